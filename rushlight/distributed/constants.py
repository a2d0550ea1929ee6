"""Timeouts: `torch.distributed.constants`."""

from datetime import timedelta

from rushlight.distributed.groups import default_pg_timeout

__all__ = ["default_pg_nccl_timeout", "default_pg_timeout"]

default_pg_nccl_timeout: timedelta = timedelta(minutes=10)
