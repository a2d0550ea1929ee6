"""NumPy's products, covariances and correlations, and polynomials."""

from itertools import chain
from typing import Any

import numpy as np

import rushlight as torch
from rushlight.numpy_functions.entering import as_dtype, as_tensor, as_tensors, floating, linear_algebra, numpy
from rushlight.numpy_functions.running import convolve
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
        return contractions.einsum(operands[0], *[x.to(as_dtype(dtype)) for x in as_tensors(operands[1:])])
    even = len(operands) // 2 * 2
    arrays = [x.to(as_dtype(dtype)) for x in as_tensors(operands[:even:2])]
    return contractions.einsum(*chain(*zip(arrays, operands[1:even:2], strict=True)), *operands[even:])


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
    weights = [None if w is None else as_tensor(w) for w in (fweights, aweights)]
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


# polynomials, with the highest power first


@numpy
def polyval(p: Tensor, x: Tensor | complex) -> Tensor:
    p, x = as_tensors((p, x))
    result = torch.zeros_like(x)
    for coefficient in p:
        result = result * x + coefficient
    return result


def same_length(a1: Any, a2: Any) -> list[Tensor]:
    """The coefficients of two polynomials, the shorter one extended with leading zeros."""
    first, second = (torch.atleast_1d(a) for a in as_tensors((a1, a2)))
    n = max(len(first), len(second))
    return [torch.constant_pad_nd(a, (n - len(a), 0)) for a in (first, second)]


@numpy
def polyadd(a1: Tensor, a2: Tensor) -> Tensor:
    first, second = same_length(a1, a2)
    return first + second


@numpy
def polysub(a1: Tensor, a2: Tensor) -> Tensor:
    first, second = same_length(a1, a2)
    return first - second


@numpy
def polymul(a1: Any, a2: Any) -> Tensor:
    first, second = (torch.atleast_1d(a) for a in as_tensors((a1, a2)))
    return convolve(first, second)


@numpy
def polydiv(u: Any, v: Any) -> Any:
    u, v = (torch.atleast_1d(floating(a)) for a in as_tensors((u, v)))
    terms, rest = [], u
    for _ in range(len(u) - len(v) + 1):
        terms.append(rest[0] / v[0])
        rest = torch.cat([(rest[: len(v)] - terms[-1] * v)[1:], rest[len(v) :]])
    if not terms:
        return torch.zeros(1, dtype=u.dtype), u
    nonzero = np.flatnonzero(~np.isclose(rest.detach().numpy(), 0, rtol=1e-14))
    rest = rest[int(nonzero[0]) :] if nonzero.size else rest[-1:] if len(rest) else torch.zeros(1, dtype=u.dtype)
    return torch.stack(terms), rest


@numpy
def polyder(p: Tensor, m: int = 1) -> Tensor:
    p = as_tensor(p)
    for _ in range(m):
        p = p[:-1] * torch.arange(len(p) - 1, 0, -1).to(p.dtype)
    return p


@numpy
def polyint(p: Any, m: int = 1, k: Any = None) -> Tensor:
    p = floating(as_tensor(p))
    constants = torch.zeros(m, dtype=p.dtype) if k is None else torch.atleast_1d(as_tensor(k, p)).to(p.dtype)
    constants = constants.expand(m) if len(constants) == 1 else constants
    for i in range(m):
        p = torch.cat([p / torch.arange(len(p), 0, -1).to(p.dtype), constants[i : i + 1]])
    return p


@numpy
def poly(seq_of_zeros: Tensor) -> Tensor:
    zeros = as_tensor(seq_of_zeros)
    zeros = torch.linalg.eigvals(zeros) if zeros.ndim == 2 else floating(zeros)
    result = torch.ones(1, dtype=zeros.dtype)
    for zero in zeros:
        result = torch.cat([result, result.new_zeros(1)]) - torch.cat([result.new_zeros(1), result * zero])
    pairs = result.is_complex() and np.all(np.sort(zeros.detach().numpy()) == np.sort(zeros.detach().numpy().conj()))
    return result.real if pairs else result


@numpy
def roots(p: Tensor) -> Tensor:
    p = floating(as_tensor(p))
    present = np.flatnonzero(p.detach().numpy())
    if not present.size:
        return p[:0]
    first, last = int(present[0]), int(present[-1])
    zeros = torch.zeros(len(p) - last - 1, dtype=torch.promote_types(p.dtype, torch.complex64))
    p = p[first : last + 1]
    if len(p) < 2:
        return zeros
    companion = torch.cat([-p[None, 1:] / p[0], torch.eye(len(p) - 2, len(p) - 1, dtype=p.dtype)])
    return torch.cat([torch.linalg.eigvals(companion), zeros])


@numpy
def polyfit(
    x: Tensor, y: Tensor, deg: int, rcond: Any = None, full: bool = False, w: Tensor | None = None, cov: bool = False
) -> Tensor:
    if full or cov:
        raise TypeError("np.polyfit of tensors returns the coefficients only: leave full and cov out.")
    x, y = (floating(a) for a in as_tensors((x, y)))
    matrix = torch.vander(x, int(deg) + 1)
    if w is not None:
        w = as_tensor(w, y).to(y.dtype)
        matrix, y = matrix * w[:, None], y * (w[:, None] if y.ndim == 2 else w)
    scale = torch.sqrt(torch.sum(matrix * matrix, 0))
    found = torch.linalg.lstsq(matrix / scale, y[:, None] if y.ndim == 1 else y).solution
    return found[:, 0] / scale if y.ndim == 1 else found / scale[:, None]
