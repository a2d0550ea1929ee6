"""`fully_shard`, under its original module name."""

from rushlight.distributed.fsdp import *  # noqa: F403
