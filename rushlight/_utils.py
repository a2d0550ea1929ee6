"""`torch._utils`: helpers that programs import: flat buffers of tensors, devices, exceptions of other processes."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import accumulate as _accumulate  # noqa: F401  # the name in PyTorch before 2.4
from types import ModuleType
from typing import Any

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.compiler import is_compiling as is_compiling
from rushlight.devices import device as _device
from rushlight.dtypes import dtype as _dtype
from rushlight.ops.shapes.joining import cat as _cat
from rushlight.reraising import ExceptionWrapper, KeyErrorMessage
from rushlight.serialization import rebuilding as _rebuilding
from rushlight.tensors import Tensor

__all__ = ["ExceptionWrapper", "KeyErrorMessage", "is_compiling"]

# Pickles name these functions.
_rebuild_tensor = _rebuilding.rebuild_early_tensor
_rebuild_tensor_v2 = _rebuilding.rebuild_tensor
_rebuild_tensor_v3 = _rebuilding.rebuild_untyped_tensor
_rebuild_meta_tensor_no_storage = _rebuilding.rebuild_meta_tensor
_rebuild_wrapper_subclass = _rebuilding.rebuild_wrapper
_rebuild_sparse_tensor = _rebuilding.rebuild_sparse_tensor
_rebuild_parameter = _rebuilding.rebuild_parameter
_rebuild_parameter_with_state = _rebuilding.rebuild_parameter_with_state


def _flatten_dense_tensors(tensors: Iterable[Tensor]) -> Tensor:
    """One tensor of all elements, one tensor after the other.

    >>> import rushlight as torch
    >>> _flatten_dense_tensors([torch.ones(2), torch.zeros(1, 2)])
    tensor([1., 1., 0., 0.])
    """
    return _cat([tensor.contiguous().view(-1) for tensor in tensors])


def _unflatten_dense_tensors(flat: Tensor, tensors: Iterable[Tensor]) -> tuple[Tensor, ...]:
    """The views of a flat tensor that have the shapes of some tensors."""
    models = list(tensors)
    parts = flat.split([model.numel() for model in models])
    return tuple(part.view(model.shape) for part, model in zip(parts, models, strict=True))


def _take_tensors(tensors: Iterable[Tensor], size_limit: int) -> Iterator[list[Tensor]]:
    """Lists of tensors of one type, in order, each of at most `size_limit` bytes together, or of one tensor."""
    pending: dict[str, list[Tensor]] = defaultdict(list)
    for tensor in tensors:
        kind = str(tensor.type())
        if pending[kind] and sum(map(_bytes_of, pending[kind])) + _bytes_of(tensor) > size_limit:
            yield pending[kind]
            pending[kind] = []
        pending[kind].append(tensor)
    yield from pending.values()


def _bytes_of(tensor: Tensor) -> int:
    """The size of a tensor's elements; of a sparse one's, and of their indices."""
    parts = (tensor._indices(), tensor._values()) if tensor.is_sparse else (tensor,)
    return sum(part.numel() * part.element_size() for part in parts)


def _reorder_tensors_as(tensors: Iterable[Tensor], ordered_tensors: Iterable[Tensor]) -> tuple[Tensor, ...]:
    """Tensors that are in order within each type, in the order of the types of other ones."""
    kinds: dict[Any, list[Tensor]] = defaultdict(list)
    for tensor in tensors:
        kinds[tensor.type()].append(tensor)
    streams = {kind: iter(found) for kind, found in kinds.items()}
    return tuple(next(streams[tensor.type()]) for tensor in ordered_tensors)


def _get_available_device_type() -> str | None:
    """The type of accelerator: always None."""


def _get_all_device_indices() -> list[int] | None:
    """The numbers of the accelerators: always None."""


def _get_current_device_index() -> int | None:
    """The number of the current accelerator: always None."""


def _get_device_module(device_type: str) -> ModuleType:
    """The module of a type of device, such as `torch.cuda`; RuntimeError if there is none."""
    try:
        return import_module(f"rushlight.{device_type}")
    except ModuleNotFoundError:
        raise RuntimeError(
            f"Device '{device_type}' does not have a corresponding module registered as 'torch.{device_type}'."
        ) from None


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int | None:
    """The number of a device, or a number itself; -1 for the CPU with `allow_cpu`, otherwise ValueError."""
    if isinstance(device, str):
        device = _device(device)
    if isinstance(device, int):
        return device
    if isinstance(device, _device) and device.type == "cpu":
        if not allow_cpu:
            raise ValueError(f"Expected a non cpu device, but got: {device}")
        return -1
    index = device.index if isinstance(device, _device) else None
    if index is None and not optional:
        raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}")
    return index


def _import_dotted_name(name: str) -> Any:
    """The object of a full name, such as `torch.nn.Linear`."""
    first, *rest = name.split(".")
    found = __import__(first)
    for part in rest:
        found = getattr(found, part)
    return found


def _element_size(dtype: _dtype) -> int:
    """The bytes of an element; RuntimeError for anything but a dtype."""
    if not isinstance(dtype, _dtype):
        raise RuntimeError(f"expected torch.dtype, but got {type(dtype)}")
    return dtype.itemsize


_explain_misses(globals())
