"""`DistributedDataParallel`, where PyTorch has it."""

from rushlight.nn.parallel.replicated import DistributedDataParallel

__all__ = ["DistributedDataParallel"]
