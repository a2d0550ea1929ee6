"""`torch.distributed.tensor` by its old name."""

from rushlight.distributed.tensor import *
