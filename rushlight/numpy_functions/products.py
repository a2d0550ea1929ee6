"""NumPy's products, covariances and correlations."""

from itertools import chain
from typing import Any

import rushlight as torch
from rushlight.numpy_functions.entering import as_dtype, as_tensor, as_tensors, floating, linear_algebra, numpy
from rushlight.ops.products import contractions, products
from rushlight.tensors import Tensor


@numpy
def dot(a: Tensor | complex, b: Tensor | complex) -> Tensor:
    a, b = as_tensors((a, b))
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    if max(a.ndim, b.ndim) < 3:
        return products.matmul(a, b)
    return contractions.tensordot(a, b, ([-1], [-2 if b.ndim > 1 else -1]))


@numpy
def inner(a: Tensor, b: Tensor) -> Tensor:
    return products.inner(*as_tensors((a, b)))


@numpy
def outer(a: Tensor, b: Any) -> Tensor:
    return products.outer(*[x.reshape(-1) for x in as_tensors((a, b))])


@numpy
def vdot(a: Tensor, b: Tensor) -> Tensor:
    return products.vdot(*[x.reshape(-1) for x in as_tensors((a, b))])


@numpy
def kron(a: Tensor, b: Tensor) -> Tensor:
    return products.kron(*as_tensors((a, b)))


@numpy
@linear_algebra
def tensordot(a: Any, b: Any, /, axes: Any = 2) -> Tensor:
    if not isinstance(axes, int):
        axes = [[side] if isinstance(side, int) else list(side) for side in axes]
    a, b = as_tensors((a, b))
    return contractions.tensordot(a, b, axes)


@numpy
def einsum(
    *operands: Any, dtype: Any = None, order: str = "K", casting: str = "safe", optimize: bool = False
) -> Tensor:
    if isinstance(operands[0], str):
        arrays = [x.to(as_dtype(dtype)) for x in as_tensors(operands[1:])]
        return contractions.einsum(operands[0], *arrays).to(as_dtype(dtype))
    even = len(operands) // 2 * 2
    arrays = [x.to(as_dtype(dtype)) for x in as_tensors(operands[:even:2])]
    pairs = chain(*zip(arrays, operands[1:even:2], strict=True))
    return contractions.einsum(*pairs, *operands[even:]).to(as_dtype(dtype))


@numpy
def cross(a: Tensor, b: Tensor, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Tensor:
    axisa, axisb, axisc = (axisa, axisb, axisc) if axis is None else (axis,) * 3
    a, b = (torch.movedim(x, dim, -1) for x, dim in zip(as_tensors((a, b)), (axisa, axisb), strict=True))
    if {a.shape[-1], b.shape[-1]} - {2, 3}:
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    if a.shape[-1] == b.shape[-1] == 2:
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    a, b = (x if x.shape[-1] == 3 else torch.constant_pad_nd(x, (0, 1)) for x in (a, b))
    return torch.movedim(torch.linalg.cross(*torch.broadcast_tensors(a, b), dim=-1), -1, axisc)


@numpy
def trace(a: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Tensor:
    return torch.sum(torch.diagonal(as_tensor(a), offset, axis1, axis2), -1, dtype=as_dtype(dtype))


@numpy
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    return torch.vander(as_tensor(x), N, increasing)


# covariances and correlations


@numpy
def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Tensor:
    m = floating(as_tensor(m).to(as_dtype(dtype)))
    m = m.T if not rowvar and m.ndim == 2 and m.shape[0] != 1 else m
    if y is not None:
        y = floating(as_tensor(y).to(as_dtype(dtype)))
        y = y.T if not rowvar and y.ndim == 2 and y.shape[0] != 1 else y
        m = torch.cat([torch.atleast_2d(m), torch.atleast_2d(y)])
    weights = [None if w is None else as_tensor(w, m) for w in (fweights, aweights)]
    correction = (0 if bias else 1) if ddof is None else ddof
    return torch.cov(m, correction=correction, fweights=weights[0], aweights=weights[1])


@numpy
def corrcoef(x: Tensor, y: Tensor | None = None, rowvar: bool = True, *, dtype: Any = None) -> Tensor:
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    deviation = torch.sqrt(torch.diagonal(c).real if c.is_complex() else torch.diagonal(c))
    c = c / deviation[:, None] / deviation[None, :]
    return c if c.is_complex() else torch.clamp(c, -1, 1)


@numpy
def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Tensor:
    x = as_tensor(x)
    if weights is None:
        return torch.bincount(x, minlength=minlength)
    weights = as_tensor(weights)
    n = max(int(x.max()) + 1 if x.numel() else 0, minlength)
    return torch.index_add(torch.zeros(n, dtype=weights.dtype), 0, x, weights)
