"""The standard's Fourier transforms."""

from typing import Any

import numpy as np

import rushlight as torch
from rushlight.array_api.functions import on_tensors
from rushlight.tensors import Tensor

TRANSFORMS = [
    "fft",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftn",
]
__all__ = [*TRANSFORMS, "fftfreq", "rfftfreq"]


def __getattr__(name: str) -> Any:
    """The transform of a name: NumPy's of the same name."""
    if name in TRANSFORMS:
        return on_tensors(getattr(np.fft, name))
    raise AttributeError(f"the array API standard has no fft.{name}")


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Tensor:
    """The frequencies of a discrete Fourier transform of size `n`."""
    return torch.fft.fftfreq(n, d, dtype=dtype, device=device)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Tensor:
    """The frequencies of the transform of `n` real numbers."""
    return torch.fft.rfftfreq(n, d, dtype=dtype, device=device)
