"""Window functions: symmetric, or periodic (`sym=False`), as suits spectral analysis."""

import inspect
import math
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import numpy as np
from scipy.special import i0

from rushlight import dtypes
from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.core.aliases import Array
from rushlight.core.graph import new_tensor
from rushlight.layouts import strided
from rushlight.tensors import Tensor

__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]


OF_COSINES = {"general_hamming", "hamming", "hann", "nuttall"}  # PyTorch computes these by general_cosine


def window(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a public function of a length and options from one that computes the values in float64.

    ValueError for a negative length, a layout that is not strided and a dtype other than float32 and float64.
    """

    @wraps(function)
    def make(
        M: int,
        *,
        sym: bool = True,
        dtype: Any = None,
        layout: Any = strided,
        device: Any = None,
        requires_grad: bool = False,
        **options: Any,
    ) -> Tensor:
        name = "general_cosine" if function.__name__ in OF_COSINES else function.__name__
        dtype = dtypes.get_default_dtype() if dtype is None else dtype
        if M < 0:
            raise ValueError(f"{name} requires non-negative window length, got M={M}")
        if layout is not strided:
            raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
        if dtype not in (dtypes.float32, dtypes.float64):
            raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
        values = function(np.arange(float(M)), M, sym, **options)
        return new_tensor(np.asarray(values, dtype._numpy)).requires_grad_(requires_grad)

    own = [p.replace(annotation=p.empty) for p in inspect.signature(function).parameters.values()][3:]
    length, *shared = (
        p for p in inspect.signature(make, follow_wrapped=False).parameters.values() if p.name != "options"
    )
    make.__signature__ = inspect.Signature([length, *own, *shared])  # type: ignore[attr-defined]
    return make


def middle(M: int, sym: bool) -> float:
    """The position of the middle of a window."""
    return (M if not sym and M > 1 else M - 1) / 2


def steps(M: int, sym: bool) -> int:
    """The number of steps from the first sample to the last one, or if periodic to the first one of the next period."""
    return M - 1 if sym else M


@window
def exponential(k: Any, M: Any, sym: Any, *, center: float | None = None, tau: float = 1.0) -> Any:
    """exp(-|k - center| / tau). ValueError for a `tau` that is not positive, and for a center of a symmetric window.

    >>> import rushlight as torch
    >>> torch.signal.windows.exponential(3)
    tensor([0.3679, 1.0000, 0.3679])
    """
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    return np.exp(-np.abs(k - (middle(M, sym) if center is None else center)) / tau)


@window
def cosine(k: Any, M: Any, sym: Any) -> Any:
    """Half a period of a sine.

    >>> import rushlight as torch
    >>> torch.signal.windows.cosine(5)
    tensor([0.3090, 0.8090, 1.0000, 0.8090, 0.3090])
    """
    return np.sin(math.pi * (k + 0.5) / (M + 1 if not sym and M > 1 else max(M, 1)))


@window
def gaussian(k: Any, M: Any, sym: Any, *, std: float = 1.0) -> Any:
    """exp(-(k - middle)**2 / (2 std**2)). ValueError for a standard deviation that is not positive.

    >>> import rushlight as torch
    >>> torch.signal.windows.gaussian(5, std=1.0)
    tensor([0.1353, 0.6065, 1.0000, 0.6065, 0.1353])
    """
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    return np.exp(-(((k - middle(M, sym)) / std) ** 2) / 2)


@window
def kaiser(k: Any, M: Any, sym: Any, *, beta: float = 12.0) -> Any:
    """The Kaiser window, computed from Bessel functions. ValueError for a negative `beta`.

    >>> import rushlight as torch
    >>> torch.signal.windows.kaiser(5, beta=8.0)
    tensor([0.0023, 0.3690, 1.0000, 0.3690, 0.0023])
    """
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    if M < 2:
        return np.ones(M)
    return i0(beta * np.sqrt(np.maximum(1 - (2 * k / steps(M, sym) - 1) ** 2, 0))) / i0(beta)


@window
def bartlett(k: Any, M: Any, sym: Any) -> Any:
    """The Bartlett window: a triangle that starts and ends with zero.

    >>> import rushlight as torch
    >>> torch.signal.windows.bartlett(5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    return np.ones(M) if M < 2 else 1 - np.abs(2 * k / steps(M, sym) - 1)


def cosines(k: Any, M: Any, sym: Any, a: Array) -> Any:
    """A sum of cosines with alternating signs."""
    if M < 2:
        return np.ones(M)
    angle = 2 * math.pi * k / steps(M, sym)
    return sum((-1) ** i * weight * np.cos(i * angle) for i, weight in enumerate(a))


@window
def general_cosine(k: Any, M: Any, sym: Any, *, a: Iterable[float]) -> Any:
    """The sum of a[i] (-1)**i cos(2 pi i k / steps). TypeError if `a` is not iterable, ValueError if it is empty.

    >>> import rushlight as torch
    >>> torch.signal.windows.general_cosine(3, a=[0.5, 0.5])
    tensor([0., 1., 0.])
    """
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    return cosines(k, M, sym, a)


@window
def general_hamming(k: Any, M: Any, sym: Any, *, alpha: float = 0.54) -> Any:
    """alpha - (1 - alpha) cos(2 pi k / steps).

    >>> import rushlight as torch
    >>> torch.signal.windows.general_hamming(5, alpha=0.5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    return cosines(k, M, sym, [alpha, 1 - alpha])


@window
def hamming(k: Any, M: Any, sym: Any) -> Any:
    """The Hamming window: 0.54 - 0.46 cos(2 pi k / steps).

    >>> import rushlight as torch
    >>> torch.signal.windows.hamming(5)
    tensor([0.0800, 0.5400, 1.0000, 0.5400, 0.0800])
    """
    return cosines(k, M, sym, [0.54, 0.46])


@window
def hann(k: Any, M: Any, sym: Any) -> Any:
    """The Hann window: 0.5 - 0.5 cos(2 pi k / steps).

    >>> import rushlight as torch
    >>> torch.signal.windows.hann(5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    return cosines(k, M, sym, [0.5, 0.5])


@window
def blackman(k: Any, M: Any, sym: Any) -> Any:
    """The Blackman window: a sum of three cosine terms.

    >>> import rushlight as torch
    >>> torch.signal.windows.blackman(5)[1:4]
    tensor([0.3400, 1.0000, 0.3400])
    """
    return cosines(k, M, sym, [0.42, 0.5, 0.08])


@window
def nuttall(k: Any, M: Any, sym: Any) -> Any:
    """The Nuttall window: a sum of four cosine terms.

    >>> import rushlight as torch
    >>> torch.signal.windows.nuttall(5)
    tensor([3.6280e-04, 2.2698e-01, 1.0000e+00, 2.2698e-01, 3.6280e-04])
    """
    return cosines(k, M, sym, [0.3635819, 0.4891775, 0.1365995, 0.0106411])


_explain_misses(globals())
