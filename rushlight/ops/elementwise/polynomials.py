"""The orthogonal polynomials of `torch.special`; the degree may differ from element to element."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.kernels.special import scipy_special
from rushlight.ops.elementwise.bessel_functions import wide_floats
from rushlight.ops.table import Binary, binary

__all__ = [
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
    "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
]


def of_scipy(name: str) -> Callable[..., Any]:
    """SciPy's orthogonal polynomials of this name."""
    return lambda n, x: getattr(scipy_special(), name)(n, x)


chebyu: Callable[..., Any] = of_scipy("eval_chebyu")


def third_kind(n: int, x: Array) -> Any:
    """Chebyshev polynomials of the third kind: V(n) = U(n) - U(n - 1)."""
    return chebyu(n, x) - np.where(n > 0, chebyu(np.maximum(n - 1, 0), x), 0)


def fourth_kind(n: int, x: Array) -> Any:
    """Chebyshev polynomials of the fourth kind: W(n) = U(n) + U(n - 1)."""
    return chebyu(n, x) + np.where(n > 0, chebyu(np.maximum(n - 1, 0), x), 0)


def shifted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Polynomials shifted to the interval from 0 to 1, from those on -1 to 1."""
    return lambda n, x: function(n, 2 * x - 1)


def chebyshev(x: Array, k: int, last: Array, before: Array) -> Array:
    """The Chebyshev polynomial of degree k + 1, from those of degrees k and k - 1."""
    return 2 * x * last - before


MOST = {4: 128, 8: 512}  # the degree from which on Hermite's polynomials are nan, by the size of a number
HIGHEST = 10  # up to this degree, if it is the same for all elements, the recurrence is used
# the polynomial of degree 1, and a function that gives degree k + 1 from degrees k and k - 1
RECURRENCES: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "chebyshev_polynomial_t": (lambda x: 1 * x, chebyshev),
    "chebyshev_polynomial_u": (lambda x: 2 * x, chebyshev),
    "chebyshev_polynomial_v": (lambda x: 2 * x - 1, chebyshev),
    "chebyshev_polynomial_w": (lambda x: 2 * x + 1, chebyshev),
    "hermite_polynomial_h": (lambda x: 2 * x, lambda x, k, last, before: 2 * x * last - 2 * k * before),
    "hermite_polynomial_he": (lambda x: 1 * x, lambda x, k, last, before: x * last - k * before),
    "laguerre_polynomial_l": (
        lambda x: 1 - x,
        lambda x, k, last, before: ((2 * k + 1 - x) * last - k * before) * (1 / (k + 1)),
    ),
    "legendre_polynomial_p": (
        lambda x: 1 * x,
        lambda x, k, last, before: ((2 * k + 1) * x * last - k * before) * (1 / (k + 1)),
    ),
}


def by_recurrence(name: str, x: Array, n: int) -> Any:
    """The polynomial of degree `n` >= 1, the same for all elements, by the recurrence."""
    if name.startswith("shifted_"):
        name, x = name.removeprefix("shifted_"), 2 * x - 1
    first, following = RECURRENCES[name]
    last, before = first(x), 1.0
    for k in range(1, n):
        last, before = following(x, k, last, before), last
    return last


def polynomial(name: str, function: Callable[..., Any], doc: str) -> Binary:
    """Registers the polynomials of a kind. Degrees are truncated to integers; negative ones give 0. No derivative."""

    def forward(x: Array, n: Array) -> Array:
        if type(n) in (int, float) and 1 <= n < HIGHEST + 1:
            return by_recurrence(name, x, int(n))
        whole = np.trunc(n)
        proper = (whole >= 0) & (whole < np.inf)
        known = np.where(proper, whole, 0).astype(np.int64)
        values = np.where(known == 0, 1, function(known, np.asarray(x, np.float64)))
        if name.startswith("hermite"):
            values = np.where(known >= MOST.get(np.result_type(x, n).itemsize, np.inf), np.nan, values)
        return np.where(proper, values, 0).astype(np.result_type(x, n), copy=False)

    return binary(name, forward, doc=doc, promote=wide_floats(f"{name}_cpu"), numbers="either", methods=False)


chebyshev_polynomial_t: Binary = polynomial(
    "chebyshev_polynomial_t",
    of_scipy("eval_chebyt"),
    """The Chebyshev polynomials of the first kind: cos(n arccos(input)).

    >>> import rushlight as torch
    >>> torch.special.chebyshev_polynomial_t(torch.tensor([0.5, 2.0]), 2)
    tensor([-0.5000,  7.0000])
    """,
)
chebyshev_polynomial_u: Binary = polynomial(
    "chebyshev_polynomial_u",
    chebyu,
    """The Chebyshev polynomials of the second kind.

    >>> import rushlight as torch
    >>> torch.special.chebyshev_polynomial_u(torch.tensor([0.5, 2.0]), 2)
    tensor([ 0., 15.])
    """,
)
chebyshev_polynomial_v: Binary = polynomial(
    "chebyshev_polynomial_v",
    third_kind,
    """The Chebyshev polynomials of the third kind.

    >>> import rushlight as torch
    >>> torch.special.chebyshev_polynomial_v(torch.tensor([0.5, 2.0]), 2)
    tensor([-1., 11.])
    """,
)
chebyshev_polynomial_w: Binary = polynomial(
    "chebyshev_polynomial_w",
    fourth_kind,
    """The Chebyshev polynomials of the fourth kind.

    >>> import rushlight as torch
    >>> torch.special.chebyshev_polynomial_w(torch.tensor([0.5, 2.0]), 2)
    tensor([ 1., 19.])
    """,
)
hermite_polynomial_h: Binary = polynomial(
    "hermite_polynomial_h",
    of_scipy("eval_hermite"),
    """The physicist's Hermite polynomials.

    >>> import rushlight as torch
    >>> torch.special.hermite_polynomial_h(torch.tensor([0.5, 2.0]), 2)
    tensor([-1., 14.])
    """,
)
hermite_polynomial_he: Binary = polynomial(
    "hermite_polynomial_he",
    of_scipy("eval_hermitenorm"),
    """The probabilist's Hermite polynomials.

    >>> import rushlight as torch
    >>> torch.special.hermite_polynomial_he(torch.tensor([0.5, 2.0]), 2)
    tensor([-0.7500,  3.0000])
    """,
)
laguerre_polynomial_l: Binary = polynomial(
    "laguerre_polynomial_l",
    of_scipy("eval_laguerre"),
    """The Laguerre polynomials.

    >>> import rushlight as torch
    >>> torch.special.laguerre_polynomial_l(torch.tensor([0.5, 2.0]), 2)
    tensor([ 0.1250, -1.0000])
    """,
)
legendre_polynomial_p: Binary = polynomial(
    "legendre_polynomial_p",
    of_scipy("eval_legendre"),
    """The Legendre polynomials.

    >>> import rushlight as torch
    >>> torch.special.legendre_polynomial_p(torch.tensor([0.5, 2.0]), 2)
    tensor([-0.1250,  5.5000])
    """,
)
shifted_chebyshev_polynomial_t: Binary = polynomial(
    "shifted_chebyshev_polynomial_t",
    shifted(of_scipy("eval_chebyt")),
    """`chebyshev_polynomial_t` of 2 * input - 1.

    >>> import rushlight as torch
    >>> torch.special.shifted_chebyshev_polynomial_t(torch.tensor([0.5, 1.0]), 2)
    tensor([-1.,  1.])
    """,
)
shifted_chebyshev_polynomial_u: Binary = polynomial(
    "shifted_chebyshev_polynomial_u",
    shifted(chebyu),
    """`chebyshev_polynomial_u` of 2 * input - 1.

    >>> import rushlight as torch
    >>> torch.special.shifted_chebyshev_polynomial_u(torch.tensor([0.5, 1.0]), 2)
    tensor([-1.,  3.])
    """,
)
shifted_chebyshev_polynomial_v: Binary = polynomial(
    "shifted_chebyshev_polynomial_v",
    shifted(third_kind),
    """`chebyshev_polynomial_v` of 2 * input - 1.

    >>> import rushlight as torch
    >>> torch.special.shifted_chebyshev_polynomial_v(torch.tensor([0.5, 1.0]), 2)
    tensor([-1.,  1.])
    """,
)
shifted_chebyshev_polynomial_w: Binary = polynomial(
    "shifted_chebyshev_polynomial_w",
    shifted(fourth_kind),
    """`chebyshev_polynomial_w` of 2 * input - 1.

    >>> import rushlight as torch
    >>> torch.special.shifted_chebyshev_polynomial_w(torch.tensor([0.5, 1.0]), 2)
    tensor([-1.,  5.])
    """,
)
