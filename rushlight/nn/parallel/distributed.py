"""The module in which PyTorch has `DistributedDataParallel`."""

from rushlight.nn.parallel.replicated import DistributedDataParallel

__all__ = ["DistributedDataParallel"]
