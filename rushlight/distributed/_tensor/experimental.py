"""Contexts for `DTensor`, under their old module name."""

from rushlight.distributed.tensor.experimental import implicit_replication

__all__ = ["implicit_replication"]
