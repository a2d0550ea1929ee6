"""The `out=` argument: writing results into tensors that the caller provides."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from rushlight.core.forward import carries_tangents
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.inplace import change, written_at_once
from rushlight.core.interpreters import levels
from rushlight.core.lines import warn
from rushlight.core.placing import tensors_of
from rushlight.core.recording import recording
from rushlight.core.writing import APART, check_apart, check_memory, found_after_overlap
from rushlight.ops.changes.resizing import lay_anew
from rushlight.ops.out_types import JOINED, check_type, type_is_first

# Functions that resize `out` to another layout than the result's: contiguous, or contiguous unless it was empty.
CONTIGUOUS = (
    "cholesky",
    "cholesky_solve",
    "linalg_matrix_power",
    "fft_fft",
    "fft_hfft",
    "fft_ihfft2",
    "fft_ihfftn",
    "fft_irfft",
    "fft_rfft",
    "linalg_tensorinv",
    "lu",
)
CONTIGUOUS_UNLESS_EMPTY = (
    "cholesky_inverse",
    "geqrf",
    "linalg_eig",
    "linalg_householder_product",
    "linalg_lstsq",
    "ormqr",
)
# Elementwise functions, which may write where they read; `table` adds the operators of one and two tensors.
IN_STEP = set(
    "addcdiv addcmul clamp clamp_max clamp_min complex cumprod cumsum lerp logit nan_to_num polar round where".split()
)
PICKED = ("gather", "index_select", "masked_select", "take", "take_along_dim")
RESIZED = (
    "An output with one or more elements was resized since it had shape {}, which does not match the required output "
    "shape {}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they "
    "have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
    "t.resize_(0)."
)
OTHER_COUNT = (
    "The number of elements in the out tensor of shape {0} is {1} which does not match the computed number of elements "
    "{2}. Note that this may occur as a result of rounding error. The out tensor will be resized to a tensor of shape "
    "({2},)."
)


def write_out(name: str, out: Any, result: Any, *inputs: Any) -> Any:
    """Writes a result, or each of several, into the tensor given as `out=`, and returns that tensor.

    A tensor of another shape is resized, with a warning if it has elements. RuntimeError if gradients would have to be
    recorded, and for a dtype that the result cannot be cast to.
    """
    if not isinstance(result, (tuple, list)):
        if isinstance(out, TensorBase) and written_at_once(out, result, inputs):
            return out
        check_out(name, out, result, inputs)
        return overwrite(name, out, result)
    if not isinstance(out, (tuple, list)):
        raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not {type(out).__name__}")
    if len(out) != len(result):
        raise TypeError(f"{name}(): argument 'out' must have {len(result)} elements, not {len(out)}")
    for i, (target, part) in enumerate(zip(out, result, strict=True)):
        check_out(name, target, part, inputs, i)
    written = [overwrite(name, target, part) for target, part in zip(out, result, strict=True)]
    return tuple(written) if type(result) in (tuple, list) else type(result)(written)


def check_out(name: str, out: Any, result: TensorBase, inputs: tuple[Any, ...], part: int | None = None) -> None:
    """Raises PyTorch's errors for a tensor that a result, the part-th of several perhaps, cannot be written to."""
    if not isinstance(out, TensorBase):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if levels() and carries_tangents((out, *inputs)):
        if not any(isinstance(x, TensorBase) for x in inputs):
            raise NotImplementedError(f"Trying to use forward AD with aten::{name} that does not support it.")
        raise NotImplementedError(
            f"Trying to use forward AD with {name}_out that does not support it because it is an out= function"
        )
    if recording() and any(isinstance(x, TensorBase) and x.requires_grad for x in (out, *inputs)):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )
    check_overlap(name, out, inputs)
    check_type(name, part, result._array.dtype, out._array.dtype, inputs)


def check_out_first(name: str, error: Exception, out: Any, inputs: tuple[Any, ...]) -> Exception:
    """The error for a call with `out`: its memory's or its dtype's if these are wrong too, which PyTorch sees first."""
    if not isinstance(out, TensorBase):
        return error
    own = vars(error).get("absent")
    try:
        if found_after_overlap(error):
            check_overlap(name, out, inputs)
        if own is not None and (name in IN_STEP or type_is_first(name)):
            check_type(name, None, own, out._array.dtype, inputs)
    except (RuntimeError, TypeError) as earlier:
        return earlier
    return error


def check_overlap(name: str, out: TensorBase, inputs: tuple[Any, ...]) -> None:
    """Raises if `out` shares memory with an input that is still read while `out` is written.

    Elementwise functions may write where they read, element by element; indexing, joining and scattering functions may
    not. Sums and products have read everything before they write.
    """
    if name in JOINED or name in PICKED:
        check_memory(out, ())
        check_apart(out, tensors_of(inputs))
    elif name in APART:
        check_apart(out, inputs[1:])
    elif name in IN_STEP:
        check_memory(out, inputs)


def overwrite(name: str, out: TensorBase, result: TensorBase) -> TensorBase:
    """Gives a tensor the shape and the elements of a result."""
    array = result._settled()
    if out._array.shape != array.shape:
        if out._array.size:
            warn(RESIZED.format(list(out._array.shape), list(array.shape)))
        contiguous = name in CONTIGUOUS or (name in CONTIGUOUS_UNLESS_EMPTY and out._array.size)
        resize(out, np.array(array, order="C", like=array) if contiguous else array)
    return change(out, lambda _: result)


def resize(out: TensorBase, model: np.ndarray) -> None:
    """Gives a tensor the shape and the layout of an array, the strides of dimensions of size 1 too."""
    if out.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    dense = model if model.flags.c_contiguous or model.flags.f_contiguous else np.empty_like(model)
    strides = tuple([stride // dense.itemsize * out._array.itemsize for stride in dense.strides])
    lay_anew(out, model.shape, strides)


def takes_out(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `out=` to a public function of tensors."""
    name = function.__name__

    @wraps(function)
    def called(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        return result if out is None else write_out(name, out, result, *args, *kwargs.values())

    return called


def write_made(name: str, out: Any, array: np.ndarray, keeps_shape: bool = False) -> Any:
    """Writes the result of a creation function into `out`, resized to its shape and keeping its dtype.

    With `keeps_shape`, an `out` with the right number of elements keeps its shape.
    """
    check_out(name, out, new_tensor(array), ())
    if keeps_shape and 0 < out._array.size != array.size and name == "arange":
        warn(OTHER_COUNT.format(list(out._array.shape), out._array.size, array.size))
    if keeps_shape and out._array.size == array.size:
        array = array.reshape(out._array.shape)
    elif out._array.shape != array.shape:
        resize(out, array)
    return overwrite(name, out, new_tensor(array))
