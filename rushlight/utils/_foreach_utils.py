"""`torch.utils._foreach_utils`: which tensors PyTorch's functions on lists of tensors take, and grouping of lists."""

from collections.abc import Iterable, Sequence
from typing import Any

from rushlight.autograd.grad_mode import no_grad
from rushlight.devices import device as _device
from rushlight.dtypes import dtype as _dtype
from rushlight.tensors import Tensor

__all__: list[str] = []

Lists = list[list[Tensor | None]]


def _get_foreach_kernels_supported_devices() -> list[str]:
    """The types of accelerators with functions on lists of tensors."""
    return ["cuda", "xpu", "mtia", "privateuseone"]


def _get_fused_kernels_supported_devices() -> list[str]:
    """The types of devices on which one kernel does a step of an optimizer."""
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]


def _device_has_foreach_support(device: _device) -> bool:
    """Whether a device has functions on lists of tensors."""
    return device.type in ("cpu", *_get_foreach_kernels_supported_devices())


def _has_foreach_support(tensors: Iterable[Any], device: _device) -> bool:
    """Whether functions on lists of tensors take these, which may be None."""
    return _device_has_foreach_support(device) and all(t is None or isinstance(t, Tensor) for t in tensors)


@no_grad()
def _group_tensors_by_device_and_dtype(
    tensorlistlist: Sequence[Sequence[Tensor | None]], with_indices: bool = False
) -> dict[tuple[_device, _dtype], tuple[Lists, list[int]]]:
    """Lists of equal length as lists for each device and dtype of the first one's tensors, and their positions.

    >>> import rushlight as torch
    >>> lists = [[torch.ones(1), torch.ones(1, dtype=torch.float64)], [None, torch.zeros(2)]]
    >>> for (device, dtype), (found, places) in _group_tensors_by_device_and_dtype(lists, True).items():
    ...     print(device, dtype, found, places)
    cpu torch.float32 [[tensor([1.])], [None]] [0]
    cpu torch.float64 [[tensor([1.], dtype=torch.float64)], [tensor([0., 0.])]] [1]
    """
    groups: dict[tuple[_device, _dtype], tuple[Lists, list[int]]] = {}
    for place, row in enumerate(zip(*tensorlistlist, strict=True)):
        first = row[0]
        if first is None:
            raise RuntimeError("Tensors of the first list of nested Tensor lists are supposed to be defined")
        lists, places = groups.setdefault((first.device, first.dtype), ([[] for _ in row], []))
        for found, tensor in zip(lists, row, strict=True):
            found.append(tensor)
        if with_indices:
            places.append(place)
    return groups
