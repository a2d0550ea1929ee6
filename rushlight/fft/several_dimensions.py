"""Fourier transforms along several dimensions."""

from collections.abc import Sequence
from typing import Any

from rushlight.fft.calls import as_complex, finished, input_and_norm, several_sizes
from rushlight.fft.transforms import SWAPPED, _fft_c2c, _fft_c2r, _fft_r2c
from rushlight.ops.arguments.mismatch import type_name
from rushlight.tensors import Tensor

__all__ = [
    "fft2",
    "fftn",
    "hfft2",
    "hfftn",
    "ifft2",
    "ifftn",
    "ihfft2",
    "ihfftn",
    "irfft2",
    "irfftn",
    "rfft2",
    "rfftn",
]

Sizes = tuple[int, ...] | list[int] | int | None


def fftn(
    input: Tensor, s: Sizes = None, dim: Sizes = None, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The Fourier transform along the dimensions `dim`, each first cropped or zero-padded to its size in `s`.

    By default these are all dimensions, or the last `len(s)` ones; -1 in `s` keeps a size. `norm` as in `fft`, with the
    product of the sizes for n. RuntimeError for sizes that do not match the dimensions.

    >>> import rushlight as torch
    >>> torch.fft.fftn(torch.ones(2, 2))
    tensor([[4.+0.j, 0.+0.j],
            [0.+0.j, 0.+0.j]])
    """
    input, norm = input_and_norm("fftn", input, norm)
    sizes, dims = several_sizes(input, s, dim)
    if not dims:
        result = as_complex(input).clone()
    elif input._array.dtype.kind == "c":
        result = _fft_c2c(input, sizes, dims, norm, True)
    else:
        result = _fft_r2c(input, sizes, dims, norm, False)
    return finished("fftn", result, input, out)


def ifftn(
    input: Tensor, s: Sizes = None, dim: Sizes = None, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The inverse of `fftn`, with the same arguments.

    >>> import rushlight as torch
    >>> torch.fft.ifftn(torch.tensor([[4.0, 0.0], [0.0, 0.0]])).real
    tensor([[1., 1.],
            [1., 1.]])
    """
    input, norm = input_and_norm("ifftn", input, norm)
    sizes, dims = several_sizes(input, s, dim)
    result = _fft_c2c(input, sizes, dims, norm, False) if dims else as_complex(input).clone()
    return finished("ifftn", result, input, out)


def rfftn(
    input: Tensor, s: Sizes = None, dim: Sizes = None, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The `fftn` of a real tensor, with only the first half of the last dimension. RuntimeError if complex.

    >>> import rushlight as torch
    >>> torch.fft.rfftn(torch.ones(2, 4)).shape
    torch.Size([2, 3])
    """
    input, norm = input_and_norm("rfftn", input, norm)
    if input._array.dtype.kind == "c":
        raise RuntimeError(f"rfftn expects a real-valued input tensor, but got {type_name(input._array)}")
    sizes, dims = transformed("rfftn", several_sizes(input, s, dim))
    return finished("rfftn", _fft_r2c(input, sizes, dims, norm, True), input, out)


def transformed(name: str, found: Sequence[Sequence[int]]) -> Any:
    """Raises RuntimeError for a transform along no dimension."""
    if not found[1]:
        raise RuntimeError(f"{name} must transform at least one axis")
    return found


def irfftn(
    input: Tensor, s: Sizes = None, dim: Sizes = None, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The inverse of `rfftn`: a real tensor; its last size is even, unless `s` is given.

    >>> import rushlight as torch
    >>> torch.fft.irfftn(torch.fft.rfftn(torch.ones(2, 3)), s=(2, 3))
    tensor([[1., 1., 1.],
            [1., 1., 1.]])
    """
    input, norm = input_and_norm("irfftn", input, norm)
    sizes, dims = transformed("irfftn", several_sizes(input, s, dim, half=True))
    return finished("irfftn", _fft_c2r(as_complex(input), sizes, dims, norm), input, out)


def hfftn(
    input: Tensor, s: Sizes = None, dim: Sizes = None, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The real `fftn` of a Hermitian-symmetric tensor, of which the input has the first half of the last dimension.

    >>> import rushlight as torch
    >>> torch.fft.hfftn(torch.ones(2, 3)).shape
    torch.Size([2, 4])
    """
    input, norm = input_and_norm("hfftn", input, norm)
    sizes, dims = transformed("hfftn", several_sizes(input, s, dim, half=True))
    return finished("hfftn", _fft_c2r(as_complex(input).conj_physical(), sizes, dims, SWAPPED[norm]), input, out)


def ihfftn(
    input: Tensor, s: Sizes = None, dim: Sizes = None, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The inverse of `hfftn`: the first half of the Hermitian-symmetric tensor whose transform is a real tensor.

    >>> import rushlight as torch
    >>> torch.fft.ihfftn(torch.ones(2, 4)).shape
    torch.Size([2, 3])
    """
    input, norm = input_and_norm("ihfftn", input, norm)
    if input._array.dtype.kind == "c":
        raise RuntimeError(f"Only supports floating-point dtypes, but found: {type_name(input._array)}")
    sizes, dims = transformed("ihfftn", several_sizes(input, s, dim))
    result = _fft_r2c(input, sizes[-1:], dims[-1:], SWAPPED[norm], True).conj_physical()
    if len(dims) > 1:
        result = _fft_c2c(result, sizes[:-1], dims[:-1], norm, False)
    return finished("ihfftn", result, input, out)


def fft2(
    input: Tensor, s: Sizes = None, dim: Sizes = (-2, -1), norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The `fftn` of two dimensions, by default the last two.

    >>> import rushlight as torch
    >>> torch.fft.fft2(torch.ones(2, 2)).real
    tensor([[4., 0.],
            [0., 0.]])
    """
    return fftn(input, s, dim, norm, out=out)


def ifft2(
    input: Tensor, s: Sizes = None, dim: Sizes = (-2, -1), norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The inverse of `fft2`.

    >>> import rushlight as torch
    >>> torch.fft.ifft2(torch.tensor([[4.0, 0.0], [0.0, 0.0]])).real
    tensor([[1., 1.],
            [1., 1.]])
    """
    return ifftn(input, s, dim, norm, out=out)


def rfft2(
    input: Tensor, s: Sizes = None, dim: Sizes = (-2, -1), norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The `rfftn` of two dimensions, by default the last two.

    >>> import rushlight as torch
    >>> torch.fft.rfft2(torch.ones(2, 4)).shape
    torch.Size([2, 3])
    """
    return rfftn(input, s, dim, norm, out=out)


def irfft2(
    input: Tensor, s: Sizes = None, dim: Sizes = (-2, -1), norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The inverse of `rfft2`.

    >>> import rushlight as torch
    >>> torch.fft.irfft2(torch.ones(2, 3)).shape
    torch.Size([2, 4])
    """
    return irfftn(input, s, dim, norm, out=out)


def hfft2(
    input: Tensor, s: Sizes = None, dim: Sizes = (-2, -1), norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The `hfftn` of two dimensions, by default the last two.

    >>> import rushlight as torch
    >>> torch.fft.hfft2(torch.ones(2, 3)).shape
    torch.Size([2, 4])
    """
    return hfftn(input, s, dim, norm, out=out)


def ihfft2(
    input: Tensor, s: Sizes = None, dim: Sizes = (-2, -1), norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The inverse of `hfft2`.

    >>> import rushlight as torch
    >>> torch.fft.ihfft2(torch.ones(2, 4)).shape
    torch.Size([2, 3])
    """
    return ihfftn(input, s, dim, norm, out=out)
