"""Random matrices of given kinds, as PyTorch's test files draw them."""

from typing import Any

import numpy as np

from rushlight import linalg
from rushlight.autograd.grad_mode import no_grad
from rushlight.dtypes import complex64, complex128, dtype, float32, float64
from rushlight.ops.making.creation import eye
from rushlight.ops.making.ranges import arange
from rushlight.ops.randomness.random_tensors import rand, randn
from rushlight.tensors import Tensor
from rushlight.testing.making import make_tensor

REAL = {complex64: float32, complex128: float64}


def drawn(size: int, batch_dims: tuple[int, ...], options: dict[str, Any]) -> Tensor:
    """Square matrices of normally distributed numbers, float64 by default."""
    return randn(*batch_dims, size, size, dtype=options.get("dtype", float64), device=options.get("device", "cpu"))


def random_symmetric_matrix(l: int, *batches: int, **kwargs: Any) -> Tensor:  # noqa: E741
    """Symmetric matrices (*batches, l, l)."""
    x = drawn(l, batches, kwargs)
    return (x + x.mT).div_(2)


def random_hermitian_matrix(l: int, *batches: int, **kwargs: Any) -> Tensor:  # noqa: E741
    """Hermitian matrices (*batches, l, l)."""
    x = drawn(l, batches, kwargs)
    return (x + x.mH).div_(2)


def random_symmetric_psd_matrix(l: int, *batches: int, **kwargs: Any) -> Tensor:  # noqa: E741
    """Symmetric matrices (*batches, l, l) without negative eigenvalues."""
    x = drawn(l, batches, kwargs)
    return x @ x.mT


def random_symmetric_pd_matrix(matrix_size: int, *batch_dims: int, **kwargs: Any) -> Tensor:
    """Symmetric matrices (*batch_dims, matrix_size, matrix_size) with positive eigenvalues."""
    x = drawn(matrix_size, batch_dims, kwargs)
    return x @ x.mT + eye(matrix_size, dtype=x.dtype) * 1e-5


def random_hermitian_pd_matrix(matrix_size: int, *batch_dims: int, dtype: dtype, device: Any) -> Tensor:
    """Hermitian matrices (*batch_dims, matrix_size, matrix_size) with positive eigenvalues."""
    x = drawn(matrix_size, batch_dims, {"dtype": dtype, "device": device})
    return x @ x.mH + eye(matrix_size, dtype=dtype)


def random_well_conditioned_matrix(
    *shape: int, dtype: dtype, device: Any, mean: float = 1.0, sigma: float = 0.001
) -> Tensor:
    """Matrices whose singular values are normally distributed around `mean`."""
    u, _, vh = linalg.svd(rand(shape, dtype=dtype, device=device), full_matrices=False)
    values = randn(*shape[:-2], min(shape[-2:]), dtype=REAL.get(dtype, dtype)) * sigma + mean
    return (u * values.sort(-1, descending=True).values.to(dtype).unsqueeze(-2)) @ vh


def make_fullrank_matrices_with_distinct_singular_values(
    *shape: int, device: Any, dtype: dtype, requires_grad: bool = False
) -> Tensor:
    """Matrices with different singular values between 2/3 and 3/2."""
    with no_grad():
        u, _, vh = linalg.svd(make_tensor(shape, device=device, dtype=dtype), full_matrices=False)
        values = arange(2, min(shape[-2:]) + 2, dtype=REAL.get(dtype, dtype))
        values[1::2] *= -1.0
        result = (u * values.reciprocal_().add_(1.0).to(u.dtype)) @ vh
    return result.requires_grad_(requires_grad)


def noncontiguous_like(t: Tensor) -> Tensor:
    """A tensor with the same elements that is not contiguous; those between them must not be read."""
    if not t.is_contiguous():
        return t
    between = np.nan if t.dtype.is_floating_point or t.dtype.is_complex else 1
    spread = t.new_full((*t.shape, 2), between)
    spread[..., 1] = t.detach()
    return spread[..., 1].requires_grad_(t.requires_grad)
