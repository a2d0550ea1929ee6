"""Fourier transforms along one dimension."""

from rushlight.fft.calls import as_complex, finished, input_and_norm, one_size, real_only
from rushlight.fft.transforms import SWAPPED, _fft_c2c, _fft_c2r, _fft_r2c
from rushlight.tensors import Tensor

__all__ = ["fft", "hfft", "ifft", "ihfft", "irfft", "rfft"]


def fft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The Fourier transform along a dimension, which is first cropped or zero-padded to size `n`.

    `norm` is "backward" (no factor here, 1/n in the inverse), "ortho" (1/sqrt(n) in both) or "forward" (1/n here).
    RuntimeError for another norm and for n < 1.

    >>> import rushlight as torch
    >>> torch.fft.fft(torch.tensor([1.0, 0.0, 0.0, 0.0]))
    tensor([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    input, norm = input_and_norm("fft", input, norm)
    sizes, dims = one_size(input, n, dim)
    if input._array.dtype.kind == "c":
        result = _fft_c2c(input, sizes, dims, norm, True)
    else:
        result = _fft_r2c(input, sizes, dims, norm, False)
    return finished("fft", result, input, out)


def ifft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The inverse of `fft`, with the same arguments.

    >>> import rushlight as torch
    >>> torch.fft.ifft(torch.tensor([4.0, 0.0, 0.0, 0.0]))
    tensor([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    input, norm = input_and_norm("ifft", input, norm)
    sizes, dims = one_size(input, n, dim)
    return finished("ifft", _fft_c2c(input, sizes, dims, norm, False), input, out)


def rfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The first n // 2 + 1 results of `fft` of a real tensor; the others are their conjugates. RuntimeError if complex.

    >>> import rushlight as torch
    >>> torch.fft.rfft(torch.tensor([1.0, 0.0, 0.0, 0.0]))
    tensor([1.+0.j, 1.+0.j, 1.+0.j])
    """
    input, norm = input_and_norm("rfft", input, norm)
    real_only("rfft", input)
    sizes, dims = one_size(input, n, dim)
    return finished("rfft", _fft_r2c(input, sizes, dims, norm, True), input, out)


def irfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The inverse of `rfft`: `n` real numbers (by default an even number) from the first half of their spectrum.

    >>> import rushlight as torch
    >>> torch.fft.irfft(torch.tensor([4.0, 0.0, 0.0]))
    tensor([1., 1., 1., 1.])
    """
    input, norm = input_and_norm("irfft", input, norm)
    sizes, dims = one_size(input, n, dim, half=True)
    return finished("irfft", _fft_c2r(as_complex(input), sizes, dims, norm), input, out)


def hfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The real `fft` of `n` Hermitian-symmetric numbers (x[-i] = conj(x[i])), of which the input is the first half.

    >>> import rushlight as torch
    >>> torch.fft.hfft(torch.tensor([1.0, 0.0, 0.0]))
    tensor([1., 1., 1., 1.])
    """
    input, norm = input_and_norm("hfft", input, norm)
    sizes, dims = one_size(input, n, dim, half=True)
    return finished("hfft", _fft_c2r(as_complex(input).conj_physical(), sizes, dims, SWAPPED[norm]), input, out)


def ihfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The inverse of `hfft`: the first half of the Hermitian-symmetric numbers whose transform is a real tensor.

    >>> import rushlight as torch
    >>> torch.fft.ihfft(torch.ones(4)).real
    tensor([1., 0., 0.])
    """
    input, norm = input_and_norm("ihfft", input, norm)
    real_only("ihfft", input)
    sizes, dims = one_size(input, n, dim)
    return finished("ihfft", _fft_r2c(input, sizes, dims, SWAPPED[norm], True).conj_physical(), input, out)
