"""Distributed optimizers."""

from rushlight.distributed.optim.across import DistributedOptimizer
from rushlight.distributed.optim.zero_redundancy import ZeroRedundancyOptimizer

__all__ = ["DistributedOptimizer", "ZeroRedundancyOptimizer"]
