"""The arguments that all Fourier transforms share (sizes, dimensions, norm), and PyTorch's errors for them."""

from collections.abc import Sequence
from typing import Any

from rushlight.core.graph import TensorBase
from rushlight.core.kinds import is_half, kind_of
from rushlight.dtypes import FROM_NUMPY, TYPE_NAMES, get_default_dtype
from rushlight.ops.arguments.dims import INTEGERS, known_dim
from rushlight.ops.arguments.mismatch import type_name
from rushlight.ops.out import write_out
from rushlight.tensors import Tensor


def input_and_norm(name: str, input: Any, norm: str | None) -> Any:
    """The input as a floating-point or complex tensor, and the name of the norm."""
    if not isinstance(input, TensorBase):
        raise TypeError(f"fft_{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    norm = norm or "backward"
    if norm not in ("backward", "ortho", "forward"):
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')
    if is_half(input._array.dtype):
        raise RuntimeError(f"Unsupported dtype {TYPE_NAMES[input.dtype]}. Convert with x.float() first.")
    if kind_of(input._array.dtype) not in "fc":
        input = input.to(get_default_dtype())
    return input, norm


def real_only(name: str, input: Tensor) -> None:
    """Raises RuntimeError for a complex input of a real transform."""
    if input._array.dtype.kind == "c":
        raise RuntimeError(f"{name} expects a real input tensor, but got {type_name(input._array)}")


def one_size(input: Tensor, n: int | None, dim: int, half: bool = False) -> tuple[Sequence[int], ...]:
    """The size of a transform along one dimension, and the dimension; with `half`, the input is a half spectrum."""
    array = input._array
    dim = known_dim(dim, array.shape)
    n = (2 * (array.shape[dim] - 1) if half else array.shape[dim]) if n is None else n
    return check_transform_sizes((n,)), (dim,)


def several_sizes(
    input: Tensor, s: Any, dim: Sequence[int] | int | None, half: bool = False
) -> tuple[Sequence[int], ...]:
    """The sizes and dimensions of a transform along several dimensions; with `half`, that of a half spectrum."""
    array = input._array
    s = (s,) if isinstance(s, int) else s
    if dim is None:
        if s is not None and len(s) > array.ndim:
            raise RuntimeError(f"Got shape with {len(s)} values but input tensor only has {array.ndim} dimensions.")
        dims = tuple(range(0 if s is None else array.ndim - len(s), array.ndim))
    else:
        dims = tuple([known_dim(d, array.shape) for d in ((dim,) if isinstance(dim, INTEGERS) else dim)])
    if len(set(dims)) < len(dims):
        raise RuntimeError("FFT dims must be unique")
    if s is not None and len(s) != len(dims):
        raise RuntimeError("When given, dim and shape arguments must have the same length")
    sizes = [array.shape[d] for d in dims]
    if half and dims:
        sizes[-1] = 2 * (sizes[-1] - 1)
    if s is not None:
        sizes = [size if n == -1 else n for n, size in zip(s, sizes, strict=True)]
    return check_transform_sizes(tuple(sizes)), dims


def check_transform_sizes(sizes: Sequence[int]) -> Any:
    """Raises RuntimeError for a transform of no elements."""
    for n in sizes:
        if n < 1:
            raise RuntimeError(f"Invalid number of data points ({n}) specified")
    return sizes


def finished(name: str, result: Tensor, input: Tensor, out: Any) -> Tensor:
    """The result, or `out` with its values. RuntimeError for a real result if `out` is of another kind."""
    if out is not None and result._array.dtype.kind == "f" and out._array.dtype.kind != "f":
        raise RuntimeError(f"{name} expects a floating point output tensor, but got {type_name(out._array)}")
    return result if out is None else write_out(f"fft_{name}", out, result, input)


def as_complex(input: Tensor) -> Tensor:
    """A real tensor converted to complex."""
    return input if input._array.dtype.kind == "c" else input.to(FROM_NUMPY[input._array.dtype].to_complex())
