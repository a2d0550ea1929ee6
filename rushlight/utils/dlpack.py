"""Tensors of other libraries without a copy, as `torch.utils.dlpack`."""

from rushlight import from_dlpack

__all__ = ["from_dlpack"]
