"""Contexts for `DTensor`, where PyTorch had them first."""

from rushlight.distributed.tensor.experimental import implicit_replication

__all__ = ["implicit_replication"]
