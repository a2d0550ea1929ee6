"""Functions of neural networks, by PyTorch's names: a file for each family."""

from rushlight.nn.functional.convolution import *
from rushlight.nn.functional.pooling import *
