"""Tensors of which each process holds a part."""

from rushlight.distributed.tensor.sharded import DTensor

__all__ = ["DTensor"]
