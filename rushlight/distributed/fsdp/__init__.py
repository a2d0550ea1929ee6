"""Fully sharded data parallelism: parameters, gradients and optimizer state divided among processes."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.distributed.fsdp import api as _api
from rushlight.distributed.fsdp.api import *
from rushlight.distributed.fsdp.policies import CPUOffloadPolicy, MixedPrecisionPolicy, OffloadPolicy
from rushlight.distributed.fsdp.shard_module import (
    FSDPModule,
    UnshardHandle,
    fully_shard,
    register_fsdp_forward_method,
)
from rushlight.distributed.fsdp.wrapper import FullyShardedDataParallel

__all__ = [
    "CPUOffloadPolicy",
    "FSDPModule",
    "FullyShardedDataParallel",
    "MixedPrecisionPolicy",
    "OffloadPolicy",
    "UnshardHandle",
    "fully_shard",
    "register_fsdp_forward_method",
]
__all__ += _api.__all__

_explain_misses(globals())
