"""Window functions for spectral analysis: Hann, Hamming, Blackman, Bartlett and Kaiser."""

from typing import Any, Unpack

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.fusion import fused
from rushlight.core.kinds import kind_of
from rushlight.dtypes import dtype as DType
from rushlight.ops.arguments.options import Options, created, numpy_type
from rushlight.tensors import Tensor

__all__ = ["bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window"]


@fused
def cosine(x: Array, level: float, height: float) -> Any:
    """`level - height * cos(2πx)`: one period of a cosine on [0, 1]."""
    return level - height * np.cos(2 * np.pi * x)


@fused
def two_cosines(x: Array) -> Any:
    """Blackman's window on [0, 1]."""
    return 0.42 - 0.5 * np.cos(2 * np.pi * x) + 0.08 * np.cos(4 * np.pi * x)


def hann_window(
    window_length: int, periodic: bool = True, *, dtype: DType | None = None, **options: Unpack[Options]
) -> Tensor:
    """The Hann window: one period of a cosine, rising from 0 to 1 and falling back.

    `periodic` leaves out the last number, as suits a Fourier transform of consecutive frames. All windows raise
    RuntimeError for a negative length and for a dtype that is not floating-point.

    >>> import rushlight as torch
    >>> torch.hann_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return window("hann_window", window_length, periodic, dtype, options, lambda x: cosine(x, 0.5, 0.5))


def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: DType | None = None,
    **options: Unpack[Options],
) -> Tensor:
    """The Hamming window: `alpha` minus `beta` times one period of a cosine.

    >>> import rushlight as torch
    >>> torch.hamming_window(4)
    tensor([0.0800, 0.5400, 1.0000, 0.5400])
    """
    shape = lambda x: cosine(x, alpha, beta)
    return window("hamming_window", window_length, periodic, dtype, options, shape)


def blackman_window(
    window_length: int, periodic: bool = True, *, dtype: DType | None = None, **options: Unpack[Options]
) -> Tensor:
    """The Blackman window: a sum of a cosine and its second harmonic.

    >>> import rushlight as torch
    >>> torch.blackman_window(4)[1:]
    tensor([0.3400, 1.0000, 0.3400])
    """
    return window("blackman_window", window_length, periodic, dtype, options, two_cosines)


def bartlett_window(
    window_length: int, periodic: bool = True, *, dtype: DType | None = None, **options: Unpack[Options]
) -> Tensor:
    """The Bartlett window: a triangle that rises from 0 to 1 and falls back.

    >>> import rushlight as torch
    >>> torch.bartlett_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return window("bartlett_window", window_length, periodic, dtype, options, lambda x: 1 - np.abs(2 * x - 1))


def kaiser_window(
    window_length: int,
    periodic: bool = True,
    beta: float = 12.0,
    *,
    dtype: DType | None = None,
    **options: Unpack[Options],
) -> Tensor:
    """The Kaiser window, from the modified Bessel function of order 0; `beta` trades peak width for side lobes.

    J. Kaiser and R. Schafer, "On the use of the I0-sinh window for spectrum analysis", 1980.

    >>> import rushlight as torch
    >>> torch.kaiser_window(2, beta=1.0)
    tensor([0.7898, 1.0000])
    """
    shape = lambda x: np.i0(beta * np.sqrt(np.maximum(1 - (2 * x - 1) ** 2, 0))) / np.i0(beta)
    return window("kaiser_window", window_length, periodic, dtype, options, shape)


def window(name: str, length: int, periodic: bool, dtype: Any, options: Options, shape: Any) -> Tensor:
    """A window given by a function `shape` on [0, 1]."""
    d = numpy_type(name, dtype)
    if kind_of(d) not in "f":
        raise RuntimeError(f"{name} expects floating point dtypes, got: {dtype}")
    if length < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={length}")
    if length < 2:
        return created(name, np.ones(length, d), options)
    places = np.arange(float(length)) / (length if periodic else length - 1)
    return created(name, shape(places).astype(d), options)
