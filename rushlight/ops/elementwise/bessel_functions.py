"""Bessel functions and related functions. As in PyTorch, some of them have no derivative."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.entries import node_name
from rushlight.dtypes import floating
from rushlight.kernels.special import scipy_special, special
from rushlight.ops.arguments.promotion import only
from rushlight.ops.elementwise.selection import _where
from rushlight.ops.table import TABLE, Unary, unary

__all__ = ["i0"]


def floats(kernel: str) -> Callable[..., Any]:
    """Type promotion of functions of real numbers; integers become the default dtype."""
    return only("f", kernel, floating)


def wide_floats(kernel: str) -> Callable[..., Any]:
    """`floats` of functions that PyTorch has for float32 and float64 alone."""
    return only("f", kernel, floating, halves=False)


def special_unary(
    name: str, forward: Callable[..., Any], derivative: Callable[..., Any] | None, doc: str, kernel: str
) -> Unary:
    """Registers a function that exists only in `torch.special`, not as a method."""
    aten = f"special_{name}"
    return unary(name, forward, derivative, doc, promote=floats(kernel), node=node_name(aten), aten=aten, methods=False)


# modified Bessel functions of the first kind


def at_zero(x: Array, value: float, elsewhere: Callable[..., Any]) -> Array:
    """`elsewhere(x)` where x is not 0, and `value` at 0, where the formula would be 0 / 0."""
    zero = x == 0
    return _where(zero, np.zeros_like(x) + value, elsewhere(_where(zero, np.ones_like(x), x)))


i0: Unary = unary(
    "i0",
    special("i0"),
    lambda grad, input: grad * TABLE["i1"](input),
    """The modified Bessel function of the first kind of order 0.

    >>> import rushlight as torch
    >>> torch.i0(torch.tensor([0.0, 1.0]))
    tensor([1.0000, 1.2661])
    """,
    promote=floats("i0_vml_cpu"),
)
i0e: Unary = special_unary(
    "i0e",
    special("i0e"),
    lambda grad, input, result: grad * (TABLE["i1e"](input) - np.sign(input) * result),
    """`exp(-|x|) * i0(x)`.

    >>> import rushlight as torch
    >>> torch.special.i0e(torch.tensor([0.0, 1.0]))
    tensor([1.0000, 0.4658])
    """,
    "i0e_cpu",
)
i1: Unary = special_unary(
    "i1",
    special("i1"),
    lambda grad, input: grad * at_zero(input, 0.5, lambda x: TABLE["i0"](x) - TABLE["i1"](x) / x),
    """The modified Bessel function of the first kind of order 1.

    >>> import rushlight as torch
    >>> torch.special.i1(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.5652])
    """,
    "i1_cpu",
)
i1e: Unary = special_unary(
    "i1e",
    special("i1e"),
    lambda grad, input: (
        grad * at_zero(input, 0.5, lambda x: TABLE["i0e"](x) - TABLE["i1e"](x) * (np.sign(x) + np.reciprocal(x)))
    ),
    """`exp(-|x|) * i1(x)`.

    >>> import rushlight as torch
    >>> torch.special.i1e(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.2079])
    """,
    "i1e_cpu",
)


# functions without derivatives


def without_derivative(name: str, kernel: Callable[..., Any], doc: str) -> Unary:
    """Registers a function whose results never require grad."""
    return special_unary(name, kernel, None, doc, f"{name}_cpu")


def airy(x: Array) -> Any:
    """Ai(x), the first of the four results of SciPy's `airy`."""
    return scipy_special().airy(x)[0]


def spherical(x: Array) -> Any:
    """sin(x) / x, 1 at 0, and 0 at infinity."""
    zero, one = x.dtype.type(0), x.dtype.type(1)
    return np.where(np.isinf(x), zero, np.where(x == 0, one, np.sin(x) / x))


bessel_j0: Unary = without_derivative(
    "bessel_j0",
    special("j0"),
    """The Bessel function of the first kind of order 0.

    >>> import rushlight as torch
    >>> torch.special.bessel_j0(torch.tensor([0.0, 1.0]))
    tensor([1.0000, 0.7652])
    """,
)
bessel_j1: Unary = without_derivative(
    "bessel_j1",
    special("j1"),
    """The Bessel function of the first kind of order 1.

    >>> import rushlight as torch
    >>> torch.special.bessel_j1(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.4401])
    """,
)
bessel_y0: Unary = without_derivative(
    "bessel_y0",
    special("y0"),
    """The Bessel function of the second kind of order 0.

    >>> import rushlight as torch
    >>> torch.special.bessel_y0(torch.tensor([1.0, 2.0]))
    tensor([0.0883, 0.5104])
    """,
)
bessel_y1: Unary = without_derivative(
    "bessel_y1",
    special("y1"),
    """The Bessel function of the second kind of order 1.

    >>> import rushlight as torch
    >>> torch.special.bessel_y1(torch.tensor([1.0, 2.0]))
    tensor([-0.7812, -0.1070])
    """,
)
modified_bessel_i0: Unary = without_derivative(
    "modified_bessel_i0",
    special("i0"),
    """`i0`, without a derivative.

    >>> import rushlight as torch
    >>> torch.special.modified_bessel_i0(torch.tensor([0.0, 1.0]))
    tensor([1.0000, 1.2661])
    """,
)
modified_bessel_i1: Unary = without_derivative(
    "modified_bessel_i1",
    special("i1"),
    """`i1`, without a derivative.

    >>> import rushlight as torch
    >>> torch.special.modified_bessel_i1(torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.5652])
    """,
)
modified_bessel_k0: Unary = without_derivative(
    "modified_bessel_k0",
    special("k0"),
    """The modified Bessel function of the second kind of order 0.

    >>> import rushlight as torch
    >>> torch.special.modified_bessel_k0(torch.tensor([1.0, 2.0]))
    tensor([0.4210, 0.1139])
    """,
)
modified_bessel_k1: Unary = without_derivative(
    "modified_bessel_k1",
    special("k1"),
    """The modified Bessel function of the second kind of order 1.

    >>> import rushlight as torch
    >>> torch.special.modified_bessel_k1(torch.tensor([1.0, 2.0]))
    tensor([0.6019, 0.1399])
    """,
)
scaled_modified_bessel_k0: Unary = without_derivative(
    "scaled_modified_bessel_k0",
    special("k0e"),
    """`exp(x) * modified_bessel_k0(x)`.

    >>> import rushlight as torch
    >>> torch.special.scaled_modified_bessel_k0(torch.tensor([1.0, 2.0]))
    tensor([1.1445, 0.8416])
    """,
)
scaled_modified_bessel_k1: Unary = without_derivative(
    "scaled_modified_bessel_k1",
    special("k1e"),
    """`exp(x) * modified_bessel_k1(x)`.

    >>> import rushlight as torch
    >>> torch.special.scaled_modified_bessel_k1(torch.tensor([1.0, 2.0]))
    tensor([1.6362, 1.0335])
    """,
)
spherical_bessel_j0: Unary = without_derivative(
    "spherical_bessel_j0",
    spherical,
    """The spherical Bessel function of the first kind of order 0.

    >>> import rushlight as torch
    >>> torch.special.spherical_bessel_j0(torch.tensor([0.0, 1.0]))
    tensor([1.0000, 0.8415])
    """,
)
airy_ai: Unary = without_derivative(
    "airy_ai",
    airy,
    """The Airy function Ai.

    >>> import rushlight as torch
    >>> torch.special.airy_ai(torch.tensor([0.0, 1.0]))
    tensor([0.3550, 0.1353])
    """,
)
