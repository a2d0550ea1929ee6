"""The arguments that all functions which create tensors share: sizes, dtype, device, layout, out, requires_grad."""

from collections.abc import Callable, Mapping, Sequence
from operator import index
from typing import Any, TypedDict

import numpy as np

from rushlight import dtypes
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.kinds import kind_of
from rushlight.core.meta import outline, without_data
from rushlight.devices import CPU, META, device, device_of, get_default_device
from rushlight.layouts import check_layout, layout, memory_format
from rushlight.ops.out import write_made
from rushlight.tensors import Tensor

RANGES = {"arange", "linspace", "logspace", "range"}  # their `out` may have any shape with the right number of elements


class Options(TypedDict, total=False):
    """Keyword arguments of all creation functions. All are checked; on the CPU only `requires_grad` has an effect."""

    device: device | str | None
    layout: layout | None
    pin_memory: bool | None
    requires_grad: bool


class OutOptions(Options, total=False):
    """Options of functions that can also write into an existing tensor (`out`)."""

    out: Tensor | None


class LikeOptions(Options, total=False):
    """Options of `*_like` functions, which can also choose the memory format."""

    memory_format: memory_format | None


def created(name: str, array: np.ndarray, options: Mapping[str, Any], dtype: Any = None) -> Tensor:
    """The tensor that the creation function `name` returns: a new one around `array`, or `out`, filled with its values.

    Raises PyTorch's errors for unknown options, and for those that only other devices support.
    """
    if not options and get_default_device() is CPU:
        return new_tensor(array)
    for option in options:
        if option not in OutOptions.__annotations__:
            raise TypeError(f"{name}() got an unexpected keyword argument '{option}'")
    if device_of(options.get("device")) is META:
        array = outline(array)
    check_layout(options.get("layout"))
    if options.get("pin_memory"):
        raise RuntimeError(
            "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is available on "
            "this system. Leave pin_memory out."
        )
    out = options.get("out")
    if out is None:
        tensor = new_tensor(array)
    else:
        check_type_of_out(out, dtype)
        tensor = write_made(name, out, array, name in RANGES)
    if options.get("requires_grad"):
        if not isinstance(options["requires_grad"], int):
            kind = type(options["requires_grad"]).__name__
            raise TypeError(f"{name}(): argument 'requires_grad' must be bool, not {kind}")
        require_grad(tensor)
    return tensor


def array_of(make: Callable[..., Any], shape: tuple[int, ...], dtype: np.dtype, options: Any) -> np.ndarray:
    """`make(shape, dtype)`, or an array without memory if the device is `meta`."""
    return without_data(shape, dtype) if device_of(options.get("device")) is META else make(shape, dtype)


def made(
    name: str,
    make: Callable[..., Any],
    shape: tuple[int, ...],
    kind: np.dtype,
    options: Mapping[str, Any],
    dtype: Any = None,
) -> Tensor:
    """`created` of what `make(shape, kind)` gives."""
    if not options and get_default_device() is CPU:
        return new_tensor(make(shape, kind))
    return created(name, array_of(make, shape, kind, options), options, dtype)


def like_options(tensor: Tensor, options: dict[str, Any]) -> None:
    """Sets the device of the result to that of `tensor`, unless another is given."""
    if options.get("device") is None and tensor.device is not get_default_device():
        options["device"] = tensor.device


def require_grad(tensor: Tensor) -> Tensor:
    """Sets `requires_grad` on a tensor and returns it; RuntimeError for integers and bools."""
    if kind_of(tensor._array.dtype) not in "fc":
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    tensor.requires_grad = True
    return tensor


def check_type_of_out(out: Tensor, dtype: Any) -> None:
    """Raises RuntimeError if `dtype` is given and differs from that of `out`."""
    if dtype is not None and isinstance(out, TensorBase) and dtypes.as_numpy(dtype) != out._array.dtype:
        asked = dtypes.TYPE_NAMES[dtypes.FROM_NUMPY[dtypes.as_numpy(dtype)]]
        raise RuntimeError(f"dtype {asked} does not match dtype of out parameter ({dtypes.TYPE_NAMES[out.dtype]})")


def numpy_type(name: str, dtype: Any, default: np.dtype | None = None) -> np.dtype:
    """The NumPy dtype of a function's `dtype` argument; if that is None, `default`, or the default dtype."""
    if dtype is None:
        return default or dtypes.get_default_dtype()._numpy
    try:
        return dtypes.as_numpy(dtype)
    except TypeError:
        given = type(dtype).__name__
        raise TypeError(f"{name}(): argument 'dtype' must be torch.dtype, not {given}") from None


def sizes(name: str, given: tuple[Any, ...], size: Any = None) -> tuple[int, ...]:
    """A shape given as numbers, as one sequence or as `size=`. Raises PyTorch's errors for anything else."""
    if size is not None:
        given = (size,)
    if not given:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    shape = given[0] if len(given) == 1 and isinstance(given[0], (tuple, list)) else given
    for n in shape:
        if type(n) is not int or n < 0:
            return checked_sizes(name, given, shape)
    return tuple(shape)


def checked_sizes(name: str, given: tuple[Any, ...], shape: Sequence[int]) -> tuple[int, ...]:
    """A shape as a tuple of ints; raises PyTorch's errors for elements that are not integers, or negative."""
    numbers = []
    for position, n in enumerate(shape, 1):
        try:
            numbers.append(index(n))
        except TypeError:
            if shape is given:
                raise not_sizes(name, n) from None
            raise TypeError(
                f"{name}(): argument 'size' failed to unpack the object at pos {position} with error "
                f'"type must be tuple of ints,but got {type(n).__name__}"'
            ) from None
        if isinstance(n, bool) and shape is given:
            raise not_sizes(name, n)
    if any(n < 0 for n in numbers):
        if name == "zeros":
            raise RuntimeError(f"zeros: Dimension size must be non-negative. Got {numbers}.")
        negative = next(n for n in numbers if n < 0)
        raise RuntimeError(f"Trying to create tensor with negative dimension {negative}: {numbers}")
    return tuple(numbers)


def not_sizes(name: str, value: Any) -> TypeError:
    """The TypeError for an argument that is not a shape."""
    return TypeError(f"{name}(): argument 'size' (position 1) must be tuple of ints, not {type(value).__name__}")
