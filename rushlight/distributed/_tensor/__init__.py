"""`torch.distributed.tensor`, under its old name."""

from rushlight.distributed.tensor import *
