"""Tools around tensors: loading data, checkpointing."""

from rushlight.utils import checkpoint, data

__all__ = ["checkpoint", "data"]
