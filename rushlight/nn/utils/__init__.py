"""Tools for training modules: limiting gradients, parameters as a vector."""

from rushlight.nn.utils import rnn
from rushlight.nn.utils.clip_grad import *
from rushlight.nn.utils.convert_parameters import *
