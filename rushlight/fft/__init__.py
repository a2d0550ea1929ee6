"""`torch.fft`: discrete Fourier transforms of real and complex tensors, differentiable."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.fft.frequencies import fftfreq, fftshift, ifftshift, rfftfreq
from rushlight.fft.one_dimension import fft, hfft, ifft, ihfft, irfft, rfft
from rushlight.fft.several_dimensions import (
    fft2,
    fftn,
    hfft2,
    hfftn,
    ifft2,
    ifftn,
    ihfft2,
    ihfftn,
    irfft2,
    irfftn,
    rfft2,
    rfftn,
)
from rushlight.refusals.guard import guard as _guard

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

_guard(globals(), "fft")

_explain_misses(globals())
