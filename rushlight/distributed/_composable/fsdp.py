"""`fully_shard`, where PyTorch had it first."""

from rushlight.distributed.fsdp import *  # noqa: F403
