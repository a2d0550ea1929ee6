"""Exchanging tensors with other libraries without a copy, as `torch.utils.dlpack`."""

from typing import Any

from rushlight import from_dlpack
from rushlight.tensors import Tensor

__all__ = ["from_dlpack", "to_dlpack"]


def to_dlpack(tensor: Tensor) -> Any:
    """A DLPack capsule that shares a tensor's memory, also that of a tensor that requires grad.

    >>> import rushlight as torch
    >>> torch.from_dlpack(torch.utils.dlpack.to_dlpack(torch.ones(2)))
    tensor([1., 1.])
    """
    return tensor.detach().__dlpack__()
