"""`DTensor`, where PyTorch had it first."""

from rushlight.distributed.tensor import *
