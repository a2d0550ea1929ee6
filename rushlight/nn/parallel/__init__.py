"""Modules trained by several processes at once: `DistributedDataParallel`."""

from rushlight.nn.parallel.data_parallel import DataParallel
from rushlight.nn.parallel.replicated import DistributedDataParallel

__all__ = ["DataParallel", "DistributedDataParallel"]
