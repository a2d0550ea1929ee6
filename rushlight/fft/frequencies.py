"""The frequencies that correspond to the results of a Fourier transform, and their order."""

from typing import Any, Unpack

import numpy as np

from rushlight.core.aliases import Array
from rushlight.dtypes import dtype as DType
from rushlight.ops.arguments.dims import wrap_dim
from rushlight.ops.arguments.options import OutOptions, created, numpy_type
from rushlight.ops.shapes.rearranging import roll
from rushlight.tensors import Tensor

__all__ = ["fftfreq", "fftshift", "ifftshift", "rfftfreq"]

Dims = int | tuple[int, ...] | list[int] | None


def fftfreq(n: int, d: float = 1.0, *, dtype: DType | None = None, **options: Unpack[OutOptions]) -> Tensor:
    """The frequencies of the `n` results of `fft`, for samples `d` apart: (0, 1, ..., -2, -1) / (n d).

    >>> import rushlight as torch
    >>> torch.fft.fftfreq(5)
    tensor([ 0.0000,  0.2000,  0.4000, -0.4000, -0.2000])
    """
    counts = np.fft.ifftshift(np.arange(n) - n // 2)
    return frequencies("fftfreq", counts, n, d, dtype, options)


def rfftfreq(n: int, d: float = 1.0, *, dtype: DType | None = None, **options: Unpack[OutOptions]) -> Tensor:
    """The frequencies of the n // 2 + 1 results of `rfft`, for `n` samples `d` apart: (0, 1, ...) / (n d).

    >>> import rushlight as torch
    >>> torch.fft.rfftfreq(5)
    tensor([0.0000, 0.2000, 0.4000])
    """
    return frequencies("rfftfreq", np.arange(n // 2 + 1), n, d, dtype, options)


def frequencies(name: str, counts: Array, n: int, d: float, dtype: Any, options: Any) -> Tensor:
    """`counts / (n * d)`: periods per total length converted to frequencies."""
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    kind = numpy_type(name, dtype)
    if kind.kind not in "fc":
        raise RuntimeError(f"{name} requires a floating point or complex dtype")
    step = kind.type(1.0 / (n * d)) if n else kind.type(0)
    return created(f"fft_{name}", counts.astype(kind) * step, options, dtype)


def fftshift(input: Tensor, dim: Dims = None) -> Tensor:
    """Reorders the results of a transform by frequency, negative ones first, along some dimensions.

    >>> import rushlight as torch
    >>> torch.fft.fftshift(torch.tensor([0, 1, 2, -2, -1]))
    tensor([-2, -1,  0,  1,  2])
    """
    dims = all_dims(input, dim)
    return roll(input, tuple(input._array.shape[d] // 2 for d in dims), dims)


def ifftshift(input: Tensor, dim: Dims = None) -> Tensor:
    """The inverse of `fftshift`.

    >>> import rushlight as torch
    >>> torch.fft.ifftshift(torch.tensor([-2, -1, 0, 1, 2]))
    tensor([ 0,  1,  2, -2, -1])
    """
    dims = all_dims(input, dim)
    return roll(input, tuple((input._array.shape[d] + 1) // 2 for d in dims), dims)


def all_dims(input: Tensor, dim: Any) -> tuple[int, ...]:
    """Dimensions as a tuple of non-negative numbers; None means all."""
    ndim = input._array.ndim
    if dim is None:
        return tuple(range(ndim))
    return tuple(wrap_dim(d, ndim) for d in (dim if isinstance(dim, (tuple, list)) else (dim,)))
