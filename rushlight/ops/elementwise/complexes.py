"""Complex numbers: their parts, making them from parts, and viewing them as pairs of real numbers."""

from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batched import Batched
from rushlight.core.batching import leading
from rushlight.core.formulas import Formula, evaluate
from rushlight.core.graph import TensorBase
from rushlight.core.turned import conjugated, turn, turning
from rushlight.dtypes import FROM_NUMPY, TYPE_NAMES, arithmetic, floating
from rushlight.kernels.casts import complex_of
from rushlight.kernels.parts import write_parts
from rushlight.kernels.steps import zeros_like
from rushlight.layouts import joint_shape, reread, widened
from rushlight.ops.arguments.promotion import is_complex as complex_value
from rushlight.ops.arguments.promotion import missing, refused
from rushlight.ops.elementwise.selection import ratio
from rushlight.ops.out import write_out
from rushlight.ops.protocol import UFUNCS
from rushlight.ops.table import Unary, method, operator, refuse, unary
from rushlight.tensors import Tensor

__all__ = [
    "_neg_view",
    "angle",
    "complex",
    "conj",
    "conj_physical",
    "imag",
    "is_complex",
    "is_conj",
    "is_neg",
    "polar",
    "real",
    "resolve_conj",
    "resolve_neg",
    "view_as_complex",
    "view_as_real",
]

PARTS = frozenset(map(np.dtype, ["f4", "f8"]))  # the dtypes of the parts of complex numbers


def is_complex(input: Tensor) -> bool:
    """Whether a tensor has a complex dtype.

    >>> import rushlight as torch
    >>> torch.is_complex(torch.tensor([1j]))
    True
    """
    return input.is_complex()


# real and imaginary parts


@operator(
    batch=leading,
    view=True,
    node="SelectBackward0",
    holomorphic=False,
    input=lambda grad: _complex(grad, zeros_like(grad)),
)
def _real(input: Array) -> Array:
    return input.real


@operator(
    batch=leading,
    view=True,
    node="SelectBackward0",
    holomorphic=False,
    input=lambda grad: _complex(zeros_like(grad), grad),
)
def _imag(input: Array) -> Array:
    return input.imag


def real(input: Tensor) -> Tensor:
    """The real part of each element, as a view. A real tensor is returned unchanged.

    >>> import rushlight as torch
    >>> torch.real(torch.tensor([1 + 2j]))
    tensor([1.])
    """
    if input._array.dtype.kind != "c":
        return input
    return _real(_conj(input) if is_conj(input) else input)


class NoImaginaryPart(RuntimeError, AttributeError):
    """PyTorch's error for the imaginary part of a real tensor; also an AttributeError, for `hasattr`."""


def imag(input: Tensor) -> Tensor:
    """The imaginary part of each element, as a view. RuntimeError for a real tensor.

    >>> import rushlight as torch
    >>> torch.imag(torch.tensor([1 + 2j]))
    tensor([2.])
    """
    if input._array.dtype.kind != "c":
        raise NoImaginaryPart("imag is not implemented for tensors with non-complex dtypes.")
    return _imag(_neg_view(_conj(input)) if is_conj(input) else input)


Tensor.real = property(real, lambda self, value: real(self).copy_(value), doc=real.__doc__)  # type: ignore[arg-type]  # a setter's result is not looked at
Tensor.imag = property(imag, lambda self, value: imag(self).copy_(value), doc=imag.__doc__)  # type: ignore[arg-type]


# conjugates and negatives, as views and as copies

NEGATIVE = Formula(np.negative, 1)


@operator(
    batch=leading,
    view=True,
    linear=True,
    node="ConjBackward0",
    holomorphic=False,
    layout="as computed",
    takes_turned=True,
    input=lambda grad: conjugated(grad),
)
def _conj(input: Array) -> Array:
    return turn(input, True, False)


@operator(
    batch=leading,
    view=True,
    linear=True,
    node="NegViewBackward0",
    holomorphic=False,
    input=lambda grad: evaluate(NEGATIVE, grad, None, None, None),
)
def _neg_view(input: Array) -> Array:
    return turn(input, False, True)


@method
def conj(input: Tensor) -> Tensor:
    """The complex conjugate of each element, as a view. A real tensor is returned unchanged.

    >>> import rushlight as torch
    >>> x = torch.tensor([1 + 2j])
    >>> torch.conj(x)
    tensor([1.-2.j])
    >>> x.conj().mul_(2).is_conj(), x
    (True, tensor([2.+4.j]))
    """
    if input._array.dtype.kind != "c":
        return input
    return _conj(input) if type(input._array) is not Batched else _conj_physical(input)


_conj_physical = unary(
    "conj_physical",
    np.conjugate,
    lambda grad: np.conjugate(grad),
    """The complex conjugate of each element, a copy.

    >>> import rushlight as torch
    >>> torch.conj_physical(torch.tensor([1 + 2j]))
    tensor([1.-2.j])
    """,
    promote=arithmetic,
    holomorphic=False,
)
UFUNCS[np.conjugate] = _conj_physical


@method
def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The complex conjugate of each element, as a copy. A real tensor is returned unchanged.

    >>> import rushlight as torch
    >>> torch.conj_physical(torch.tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    real = isinstance(input, TensorBase) and input._array.dtype.kind != "c"
    return input if real and out is None else _conj_physical(input, out=out)


@method
def is_conj(input: Tensor) -> bool:
    """Whether a tensor is a view that shows the complex conjugate of its memory.

    >>> import rushlight as torch
    >>> torch.tensor([1j]).conj().is_conj()
    True
    """
    return turning(input._array)[0]


@method
def is_neg(input: Tensor) -> bool:
    """Whether a tensor is a view that shows the negative of its memory, as `x.conj().imag` does.

    >>> import rushlight as torch
    >>> torch.tensor([1j]).conj().imag.is_neg()
    True
    """
    return turning(input._array)[1]


@method
def resolve_conj(input: Tensor) -> Tensor:
    """The tensor itself, or a copy with the conjugates in memory if it is a conjugate view.

    >>> import rushlight as torch
    >>> torch.tensor([1j]).conj().resolve_conj().is_conj()
    False
    """
    return input.clone() if is_conj(input) else input


@method
def resolve_neg(input: Tensor) -> Tensor:
    """The tensor itself, or a copy with the negatives in memory if it is a negative view.

    >>> import rushlight as torch
    >>> torch.tensor([1j]).conj().imag.resolve_neg().is_neg()
    False
    """
    return input.clone() if is_neg(input) else input


# polar coordinates


def angle_of(x: Array) -> Array:
    """The angle of complex numbers; for real ones 0 or π."""
    if x.dtype.kind == "c":
        return np.arctan2(x.imag, x.real)
    return np.where(np.isnan(x), x, np.where(x < 0, x.dtype.type(np.pi), 0)).astype(x.dtype, copy=False)


def angle_cotangent(grad: Array, input: Array) -> Array:
    """The gradient of `angle`: 0 for real numbers, `grad * i x / |x|²` in PyTorch's convention for complex ones."""
    if not complex_value(input):
        return zeros_like(grad)
    return grad * ratio(1j * np.sign(input), np.absolute(input))


angle: Unary = unary(
    "angle",
    angle_of,
    angle_cotangent,
    """The angle of each element, from -π to π; for real elements 0 or π.

    >>> import rushlight as torch
    >>> torch.angle(torch.tensor([1.0, -1.0, 1j]))
    tensor([0.0000, 3.1416, 1.5708])
    """,
    layout="elementwise, complex contiguous",
    slopes={"input": "elementwise, grad last"},
    promote=floating,
    holomorphic=False,
    inplace=False,
)


@operator(
    layout="elementwise",
    real=lambda grad: np.real(grad),
    imag=lambda grad: np.imag(grad),
    takes_turned=True,
    holomorphic=False,
    broadcasts=True,
)
def _complex(real: Array, imag: Array) -> Array:
    made = complex_of(real, imag)
    if made is not None:
        return made
    dtype = np.result_type(real.dtype, np.complex64)
    if real.shape == imag.shape:
        result = np.empty_like(real, dtype)
    else:
        result = np.empty(joint_shape(real.shape, imag.shape), dtype, like=real)
    write_parts(result, real, imag)
    return result


COSINES = Formula(lambda abs, angle: abs * np.cos(angle), 2)
SINES = Formula(lambda abs, angle: abs * np.sin(angle), 2)
ALONG = Formula(lambda real, imag, angle: real * np.cos(angle) + imag * np.sin(angle), 3)
ACROSS = Formula(lambda real, imag, cosine, sine: imag * cosine - real * sine, 4)


@operator(
    layout="elementwise",
    abs=lambda grad, angle: evaluate(ALONG, np.real(grad), np.imag(grad), angle, None),
    angle=lambda grad, result: evaluate(ACROSS, np.real(grad), np.imag(grad), np.real(result), np.imag(result)),
    holomorphic=False,
    broadcasts=True,
)
def _polar(abs: Array, angle: Array) -> Array:
    return _complex(evaluate(COSINES, abs, angle, None, None), evaluate(SINES, abs, angle, None, None))


def check_parts(name: str, first: Any, second: Any, first_name: str, second_name: str) -> Any:
    """Raises PyTorch's errors for two tensors that cannot be combined to a complex one."""
    if not isinstance(first, TensorBase):
        return refuse(name, first_name, 1, first)
    if not isinstance(second, TensorBase):
        return refuse(name, second_name, 2, second)
    types = [first._array.dtype, second._array.dtype]
    if types[0] is types[1] and types[0] in PARTS:
        return
    names = [TYPE_NAMES[FROM_NUMPY[dtype]] for dtype in types]
    if any(dtype.kind != "f" for dtype in types):  # NumPy's kind of bfloat16 is not "f"
        raise RuntimeError(
            f"Expected both inputs to be Half, Float or Double tensors but got {names[0]} and {names[1]}"
        )
    if types[0] != types[1]:
        raise RuntimeError(
            f"Expected object of scalar type {names[0]} but got scalar type {names[1]} for second argument"
        )
    if types[0] == np.float16:
        raise refused(missing(f"{name}_cpu", types[0]), (first._array, second._array))


def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Complex numbers from their real and imaginary parts, both of float32 or both of float64.

    >>> import rushlight as torch
    >>> torch.complex(torch.tensor([1.0]), torch.tensor([2.0]))
    tensor([1.+2.j])
    """
    check_parts("complex", real, imag, "real", "imag")
    result = _complex(real, imag)
    return result if out is None else write_out("complex", out, result, real, imag)


def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Complex numbers from their absolute values and angles, both of float32 or both of float64.

    >>> import rushlight as torch
    >>> torch.polar(torch.tensor([2.0]), torch.tensor([0.0]))
    tensor([2.+0.j])
    """
    check_parts("polar", abs, angle, "abs", "angle")
    result = _polar(abs, angle)
    return result if out is None else write_out("polar", out, result, abs, angle)


# pairs of real numbers


def paired(grad: Array) -> Array:
    """Pairs of real numbers as complex ones: a view of contiguous ones."""
    if type(grad) is np.ndarray and grad.flags.c_contiguous and grad.size:
        return _view_as_complex(grad)
    return _complex(grad[..., 0], grad[..., 1])


@operator(batch=leading, view=True, holomorphic=False, input=paired)
def _view_as_real(input: Array) -> Array:
    return reread(widened(input, (*input.shape, 1), (input.ndim,)), input.real.dtype)


@operator(batch=leading, view=True, holomorphic=False, input=lambda grad: _view_as_real(grad))
def _view_as_complex(input: Array) -> Array:
    dtype = np.result_type(input.dtype, np.complex64)
    return reread(input, dtype)[..., 0]


def view_as_real(input: Tensor) -> Tensor:
    """A complex tensor as a real view with one more dimension of size 2: the real and imaginary parts.

    >>> import rushlight as torch
    >>> torch.view_as_real(torch.tensor([1 + 2j]))
    tensor([[1., 2.]])
    """
    if input._array.dtype.kind != "c":
        raise RuntimeError("view_as_real is only supported for complex tensors")
    if is_conj(input):
        raise RuntimeError(
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can "
            "view it as real, use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the "
            "original."
        )
    return _view_as_real(input)


def view_as_complex(input: Tensor) -> Tensor:
    """A real tensor whose last dimension has size 2 as a complex view: the pairs are real and imaginary parts.

    RuntimeError if the last dimension has another size, or its elements are not adjacent in memory.

    >>> import rushlight as torch
    >>> torch.view_as_complex(torch.tensor([[1.0, 2.0]]))
    tensor([1.+2.j])
    """
    array = input._settled()
    if array.dtype not in (np.float32, np.float64):
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a tensor of "
            "scalar type: "
            f"{TYPE_NAMES[FROM_NUMPY[array.dtype]]}"
        )
    if array.ndim == 0:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if array.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if array.size and array.strides[-1] != array.itemsize:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(stride % (2 * array.itemsize) for stride in array.strides[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    return _view_as_complex(input)
