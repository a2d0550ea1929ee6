"""The names of PyTorch's module with this name."""

# ruff: noqa: F403 (it has these names and no others)

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.distributed.fsdp import api as _api
from rushlight.distributed.fsdp.api import *
from rushlight.distributed.fsdp.wrapper import FullyShardedDataParallel as FullyShardedDataParallel

__all__ = ["FullyShardedDataParallel"]
__all__ += _api.__all__

_explain_misses(globals())
