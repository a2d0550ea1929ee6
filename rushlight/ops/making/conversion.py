"""Conversion to other dtypes, memory formats and libraries: `to` and similar methods, DLPack."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.core.above import ABOVE
from rushlight.core.advice import advised
from rushlight.core.aliases import Array
from rushlight.core.batching import by
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.interpreters import STACK
from rushlight.core.kinds import kind_of
from rushlight.core.lines import warn
from rushlight.core.meta import COPIED_OUT, outline
from rushlight.core.placing import suggests_channels_last
from rushlight.core.recording import recording
from rushlight.core.turned import turning
from rushlight.devices import CPU, check_device, device, device_of
from rushlight.devices import device as Device
from rushlight.kernels.casts import cast
from rushlight.kernels.casts import convert as write_converted
from rushlight.kernels.parts import assign
from rushlight.layouts import RANKS, contiguous_format, empty_array, has_format, memory_format
from rushlight.ops.making.capsules import capsule_of, is_capsule, memory_exported, of_capsule
from rushlight.ops.making.from_data import shared
from rushlight.ops.table import operator, with_public_name
from rushlight.tensors import Tensor

__all__ = ["from_dlpack"]


@operator(
    converts=True,
    aten=("to", "_to_copy"),
    linear=True,
    name="to_copy",
    layout="as computed",
    batch=by(lambda n, input, dtype, format: _to_copy.forward(input, dtype, None)),
    input=lambda grad: grad,  # the core casts the cotangent back
)
def _to_copy(input: Array, dtype: np.dtype[Any], format: memory_format | None) -> Array:
    if format is None and type(input) is np.ndarray and (made := cast(input, dtype)) is not None:
        return made
    out = empty_array(input, dtype, format)
    if input.dtype.kind == "c" and out.dtype.kind not in "cb":
        input = input.real
    if not write_converted(input, out):
        assign(out, input)
    return out


def suggested_format(array: Array) -> memory_format:
    """The memory format that PyTorch takes an array for."""
    channels = next((format for format, rank in RANKS.items() if rank == array.ndim), None)
    if channels is None or not suggests_channels_last(array.shape, array.strides):
        return contiguous_format
    return channels


def may_be_recorded(input: Tensor) -> bool:
    """Whether an operation on a tensor is recorded."""
    return input.requires_grad and recording()


def convert(input: Tensor, dtype: np.dtype, copy: bool = False, format: memory_format | None = None) -> Tensor:
    """A tensor in another dtype and memory format; the tensor itself if nothing changes."""
    same = input._array.dtype is dtype and not copy
    if same and format is None:
        return input
    array = input._settled()
    if same and format is not None and (has_format(array, format) or suggested_format(array) is format):
        return input
    if array.dtype.kind == "c" and dtype.kind not in "cb":
        warn("Casting complex values to real discards the imaginary part")
    recorded = kind_of(dtype) in "fc"
    if format is None and type(array) is np.ndarray and not STACK.depth and not (recorded and may_be_recorded(input)):
        made = cast(array, dtype)
        if made is not None:
            return new_tensor(made)
    if recorded:
        return _to_copy(input, dtype, format)
    return new_tensor(_to_copy(array, dtype, format))


def to(
    self: Tensor,
    *args: Any,
    dtype: Any = None,
    device: Any = None,
    non_blocking: bool = False,
    copy: bool = False,
    memory_format: memory_format | None = None,
) -> Tensor:
    """Converts the dtype: `to(dtype)`, `to(device, dtype=None)`, or `to(other)` for the dtype of another tensor.

    Returns the tensor itself if nothing changes, unless `copy`. Differentiable. Raises an error for any device but the
    CPU and `meta`.

    >>> import rushlight as torch
    >>> torch.ones(2).to(torch.int64), torch.ones(2).to(torch.zeros(1, dtype=torch.float64)).dtype
    (tensor([1, 1]), torch.float64)
    """
    d = self._array.dtype if dtype is None else dtypes.as_numpy(dtype)
    if args:
        first, *rest = args
        if isinstance(first, TensorBase):
            d = first._array.dtype
        elif isinstance(first, dtypes.dtype) or first in dtypes.SCALARS:
            d = dtypes.as_numpy(first)
        else:
            device = first
            if rest and rest[0] is not None and not isinstance(rest[0], bool):
                d = dtypes.as_numpy(rest.pop(0))
        if not all(flag is None or isinstance(flag, bool) for flag in rest):
            raise TypeError("to() takes what to convert to, and then non_blocking and copy, True or False.")
        copy = copy or (len(rest) > 1 and bool(rest[1]))
    if device is not None and device_of(device) is not self.device:
        return moved(self, device_of(device), d)
    return convert(self, d, copy, memory_format)


def moved(tensor: Tensor, device: device, dtype: np.dtype) -> Tensor:
    """A tensor on the `meta` device, which drops its values; back from there NotImplementedError is raised."""
    if device is CPU:
        raise NotImplementedError(f"{COPIED_OUT} Use to_empty() of a module, or torch.empty_like(x, device='cpu').")
    return new_tensor(outline(convert(tensor, dtype)._settled()))


def type_(self: Tensor, dtype: Any = None, non_blocking: bool = False) -> Tensor | str:
    """The name of the tensor's type, or the tensor converted to a dtype, a tensor class or the name of one.

    >>> import rushlight as torch
    >>> torch.ones(2).type(), torch.ones(2).type("torch.LongTensor")
    ('torch.FloatTensor', tensor([1, 1]))
    """
    if dtype is None:
        return f"torch.{dtypes.TYPE_NAMES[self.dtype]}Tensor"
    if dtype in (Tensor, "torch.Tensor"):
        return convert(self, dtypes.get_default_dtype()._numpy)
    if isinstance(dtype, str):
        for d, name in dtypes.TYPE_NAMES.items():
            if dtype == f"torch.{name}Tensor":
                return convert(self, d._numpy)
        raise ValueError(advised(f"invalid type: '{dtype}'"))
    return convert(self, dtypes.as_numpy(getattr(dtype, "dtype", dtype)))


def type_as(self: Tensor, other: Tensor) -> Tensor:
    """The tensor converted to the dtype of another.

    >>> import rushlight as torch
    >>> torch.ones(2).type_as(torch.tensor([1]))
    tensor([1, 1])
    """
    return convert(self, other._array.dtype)


def astype(self: Tensor, dtype: Any, copy: bool = True) -> Tensor:
    """NumPy's name for `to`, for libraries that expect arrays; also takes NumPy's dtypes. Differentiable.

    >>> import rushlight as torch
    >>> torch.ones(2).astype("int64"), torch.ones(2).astype(float).dtype
    (tensor([1, 1]), torch.float64)
    """
    wanted = dtype if isinstance(dtype, dtypes.dtype) else dtypes.from_numpy_dtype(np.dtype(dtype))
    return convert(self, wanted._numpy, copy)


def method_to(name: str, d: dtypes.dtype) -> Callable[..., Any]:
    """A method that converts to one dtype."""

    def method(self: Tensor, memory_format: Any = None) -> Tensor:
        return convert(self, d._numpy, False, memory_format)

    return with_public_name(method, name, f"The tensor in {d}, or itself if it is of that type already.")


def cpu(self: Tensor, memory_format: Any = None) -> Tensor:
    """The tensor itself: it is on the CPU already."""
    return to(self, CPU, memory_format=memory_format)


def cuda(self: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:
    """Always raises, as PyTorch without CUDA does: AssertionError, or RuntimeError if a device number is given."""
    if Device("cuda" if device is None else device).type != "cuda":
        raise RuntimeError("Invalid device, must be cuda device. Tensors are on the CPU: leave cuda() out.")
    check_device("cuda")
    return self


def is_pinned(self: Tensor, device: Any = None) -> bool:
    """Always False: without an accelerator no memory is pinned."""
    return False


def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """Always raises RuntimeError, as PyTorch does without an accelerator."""
    raise RuntimeError("Cannot access accelerator device when none is available. Leave pin_memory() out on a CPU.")


def dlpack(self: Tensor, *, stream: int | None = None, **options: Any) -> Any:
    """The DLPack capsule of the tensor's memory. BufferError for a tensor that requires grad.

    A CPU has no streams: `stream` is None, or -1 for no waiting.
    """
    if stream is not None and not isinstance(stream, int):
        raise TypeError("stream must be ``int`` or ``none``")
    if stream not in (None, -1):
        raise AssertionError("stream should be None on cpu.")
    if self.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if any(turning(self._array)):
        raise BufferError(f"Can't export tensors with the {'conjugate' if self.is_conj() else 'negative'} bit set")
    return capsule_of(self._settled(), **options)


def dlpack_device(self: Tensor) -> tuple[int, int]:
    """The device as DLPack numbers it: the CPU, (1, 0)."""
    return self._array.__dlpack_device__()


def from_dlpack(ext_tensor: Any, *, device: device | str | None = None, copy: bool | None = None) -> Tensor:
    """A tensor that shares the memory of another library's array, or of a capsule that `__dlpack__` returned.

    >>> import numpy as np, rushlight as torch
    >>> torch.from_dlpack(np.arange(3))
    tensor([0, 1, 2])
    """
    check_device(device)
    if is_capsule(ext_tensor):
        return new_tensor(of_capsule(ext_tensor, copy))
    return new_tensor(shared(memory_exported(ext_tensor, copy)))


def to_device(self: Tensor, device: Any, /, *, stream: None = None) -> Tensor:
    """The array API standard's `to_device`: the tensor itself. RuntimeError for any device but the CPU."""
    if stream is not None:
        raise ValueError("a CPU has no streams: leave stream out.")
    return to(self, device)


def array_namespace(self: Tensor, *, api_version: str | None = None) -> ModuleType:
    """The array API standard's namespace of functions on tensors. ValueError for an unsupported version."""
    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
        raise ValueError(f"version {api_version!r} of the array API standard is not there: versions to 2024.12 are.")
    namespace: ModuleType = ABOVE.array_namespace()
    return namespace


def array_interface(self: Tensor) -> dict[Any, Any]:
    """NumPy's array interface, which shares the tensor's memory.

    AttributeError for a tensor that has none, as one that requires grad: `hasattr` is False for it, and NumPy goes on
    to `__array__`, which says why.
    """
    try:
        return self.numpy().__array_interface__
    except (RuntimeError, TypeError) as error:
        raise AttributeError(f"__array_interface__: {error}") from error


def module_load(self: Tensor, other: Tensor, assign: bool = False) -> Tensor:
    """What a parameter becomes when another tensor is loaded into it: that one with `assign`, else a copy of it."""
    return other.detach() if assign else self.copy_(other).detach()


METHODS = (to, to_device, module_load, type_as, astype, cpu, cuda, is_pinned, pin_memory)
CONVERSIONS: dict[str, dtypes.dtype] = {
    "bool": dtypes.bool,
    "byte": dtypes.uint8,
    "char": dtypes.int8,
    "short": dtypes.int16,
    "int": dtypes.int32,
    "long": dtypes.int64,
    "half": dtypes.float16,
    "bfloat16": dtypes.bfloat16,
    "float": dtypes.float32,
    "double": dtypes.float64,
    "cfloat": dtypes.complex64,
    "cdouble": dtypes.complex128,
}

for function in METHODS:
    setattr(Tensor, function.__name__, function)
for name, d in CONVERSIONS.items():
    setattr(Tensor, name, method_to(name, d))
Tensor.type = type_
Tensor.__dlpack__, Tensor.__dlpack_device__ = dlpack, dlpack_device
Tensor.__array_namespace__, Tensor.__array_interface__ = array_namespace, property(array_interface)
