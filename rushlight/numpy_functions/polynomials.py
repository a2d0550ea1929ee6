"""NumPy's polynomials, with the highest power first."""

from typing import Any

import numpy as np

import rushlight as torch
from rushlight.numpy_functions.entering import as_tensor, as_tensors, floating, numpy
from rushlight.numpy_functions.linear_algebra import lstsq
from rushlight.numpy_functions.running import convolve
from rushlight.tensors import Tensor


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
    x: Tensor,
    y: Tensor,
    deg: int,
    rcond: float | None = None,
    full: bool = False,
    w: Tensor | None = None,
    cov: bool | str = False,
) -> Any:
    x, y = (floating(a) for a in as_tensors((x, y)))
    matrix, order = torch.vander(x, int(deg) + 1), int(deg) + 1
    if w is not None:
        w = as_tensor(w, y).to(y.dtype)
        matrix, y = matrix * w[:, None], y * (w[:, None] if y.ndim == 2 else w)
    scale = torch.sqrt(torch.sum(matrix * matrix, 0))
    rcond = len(x) * torch.finfo(x.dtype).eps if rcond is None else rcond
    found, rest, rank, values = lstsq(matrix / scale, y, rcond)
    found = (found.T / scale).T
    if full:
        return found, rest, rank, values, rcond
    if not cov:
        return found
    spread = torch.linalg.inv((matrix / scale).T @ (matrix / scale)) / torch.outer(scale, scale)
    if cov != "unscaled":
        if len(x) <= order:
            raise ValueError("the number of data points must exceed order to scale the covariance matrix.")
        rest = rest / (len(x) - order)
        return found, spread * rest if y.ndim == 1 else spread[:, :, None] * rest
    return found, spread if y.ndim == 1 else spread[:, :, None]
