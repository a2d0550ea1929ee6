"""The discrete Fourier transforms as operators: complex to complex, real to complex, complex to real.

The adjoint of a transform is its inverse with the other norm. That needs none of the conjugations around the formulas
of holomorphic operators.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batching import leading
from rushlight.fft.pocketfft import from_half_spectrum, half_spectrum, real_part, transform
from rushlight.kernels.steps import zeros
from rushlight.ops.table import operator

SWAPPED = {
    "backward": "forward",
    "ortho": "ortho",
    "forward": "backward",
}  # the norm of the adjoint transform


@operator(
    aten=(),
    batch=leading,
    linear=True,
    input=lambda grad, input_shape, dims, sizes: _fft_resize(grad, dims, [input_shape[d] for d in dims]),
)
def _fft_resize(input: Array, dims: Sequence[int], sizes: Sequence[int]) -> Array:
    """The input cropped or zero-padded to new sizes of some dimensions; its adjoint is the same with the old sizes."""
    shape = list(input.shape)
    for d, n in zip(dims, sizes, strict=True):
        shape[d] = n
    result = zeros(shape, input)
    common = tuple(slice(min(n, m)) for n, m in zip(shape, input.shape, strict=True))
    result[common] = input[common]
    return result


def resized(x: Array, dims: Sequence[int], shape: Sequence[int] | dict[int, Any]) -> Array:
    """x cropped or zero-padded to the sizes of `shape` in some dimensions."""
    sizes = [shape[d] for d in dims]
    return x if all(x.shape[d] == n for d, n in zip(dims, sizes, strict=True)) else _fft_resize(x, dims, sizes)


@operator(
    aten="_fft_c2c",
    layout="spectral",
    batch=leading,
    linear=True,
    node="FftC2CBackward0",
    holomorphic=False,
    input=lambda grad, input_shape, sizes, dims, norm, forward: resized(
        _fft_c2c(grad, sizes, dims, SWAPPED[norm], not forward), dims, input_shape
    ),
)
def _fft_c2c(input: Array, sizes: Sequence[int], dims: Sequence[int], norm: str, forward: bool) -> Array:
    """The complex transform."""
    return transform(input, sizes, dims, norm, forward)


def counted(spectrum: Array, n: int, dim: int, middle: float) -> Array:
    """A half spectrum times how often each number counts: the first once, as the one at the middle; others `middle`."""
    counts = np.full(n // 2 + 1, middle)
    counts[0] = 1
    if n % 2 == 0:
        counts[-1] = 1
    ndim = spectrum.ndim
    counts = counts.reshape([-1 if d == dim % ndim else 1 for d in range(ndim)])
    return spectrum * np.array(counts, dtype=spectrum.dtype, like=spectrum)


def real_cotangent(
    grad: Array, input_shape: Sequence[int], sizes: Sequence[int], dims: Sequence[int], norm: str, onesided: bool
) -> Array:
    """The gradient of a real input: the real part of the inverse transform of the spectrum."""
    if onesided:
        half = counted(grad, sizes[-1], dims[-1], 0.5)
        return resized(_fft_c2r(half, sizes, dims, SWAPPED[norm]), dims, input_shape)
    found = real_part(grad, sizes, dims, SWAPPED[norm])
    found = _fft_c2c(grad, sizes, dims, SWAPPED[norm], False) if found is None else found
    return resized(found, dims, input_shape)


@operator(
    aten="_fft_r2c",
    layout="half spectral",
    batch=leading,
    linear=True,
    node="FftR2CBackward0",
    holomorphic=False,
    input=real_cotangent,
)
def _fft_r2c(input: Array, sizes: Sequence[int], dims: Sequence[int], norm: str, onesided: bool) -> Array:
    """The transform of real numbers; with `onesided` only the first half, in the last of `dims`."""
    return half_spectrum(input, sizes, dims, norm) if onesided else transform(input, sizes, dims, norm, True)


def half_cotangent(
    grad: Array, input_shape: Sequence[int], sizes: Sequence[int], dims: Sequence[int], norm: str
) -> Array:
    """The gradient of a half spectrum, where all numbers but the first (and the middle one) count twice."""
    spectrum = _fft_r2c(grad, sizes, dims, SWAPPED[norm], True)
    return resized(counted(spectrum, sizes[-1], dims[-1], 2), dims, input_shape)


@operator(
    aten="_fft_c2r", layout="half spectral", batch=leading, linear=True, node="FftC2RBackward0", input=half_cotangent
)
def _fft_c2r(input: Array, sizes: Sequence[int], dims: Sequence[int], norm: str) -> Array:
    """The inverse transform of a half spectrum (in the last of `dims`) to real numbers."""
    return from_half_spectrum(input, sizes, dims, norm)
