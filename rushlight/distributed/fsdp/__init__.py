"""Modules whose parameters, gradients and optimizer state are shared out among processes: `fully_shard`."""

from rushlight.distributed.fsdp.policies import CPUOffloadPolicy, MixedPrecisionPolicy, OffloadPolicy
from rushlight.distributed.fsdp.shard_module import FSDPModule, fully_shard

__all__ = ["CPUOffloadPolicy", "FSDPModule", "MixedPrecisionPolicy", "OffloadPolicy", "fully_shard"]
