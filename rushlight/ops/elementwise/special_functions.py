"""The special functions of `torch.special`: error functions, gamma functions, entropies."""

import math
from collections.abc import Callable
from operator import index
from typing import Any, NoReturn

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.fusion import fused
from rushlight.core.inplace import change
from rushlight.core.operators import Operator
from rushlight.kernels.erfinv import erfinv as erfinv_kernel
from rushlight.kernels.special import special
from rushlight.ops.arguments.promotion import only
from rushlight.ops.elementwise.bessel_functions import floats, special_unary, wide_floats
from rushlight.ops.elementwise.selection import _drop
from rushlight.ops.out import write_out
from rushlight.ops.table import TABLE, Binary, Unary, binary, in_place, method, operator, unary
from rushlight.tensors import Tensor

__all__ = ["digamma", "erf", "erfc", "erfinv", "igamma", "igammac", "lgamma", "mvlgamma", "polygamma", "xlogy"]

ROOT_PI, ROOT_2 = math.sqrt(math.pi), math.sqrt(2)


# the error function and the normal distribution

erf: Unary = unary(
    "erf",
    special("erf"),
    lambda grad, input: 2 / ROOT_PI * np.exp(-(input * input)) * grad,
    """The error function of each element.

    >>> import rushlight as torch
    >>> torch.erf(torch.tensor([0.0, 0.5, 1.0]))
    tensor([0.0000, 0.5205, 0.8427])
    """,
    promote=floats("erf_vml_cpu"),
)
erfc: Unary = unary(
    "erfc",
    special("erfc"),
    lambda grad, input: grad * (-2 / ROOT_PI * np.exp(-(input * input))),
    """1 minus the error function of each element, accurate where that is near 1.

    >>> import rushlight as torch
    >>> torch.erfc(torch.tensor([0.0, 0.5, 1.0]))
    tensor([1.0000, 0.4795, 0.1573])
    """,
    promote=floats("erfc_vml_cpu"),
)
erfinv: Unary = unary(
    "erfinv",
    erfinv_kernel,
    lambda grad, result: ROOT_PI / 2 * np.exp(result * result) * grad,
    """The inverse of the error function.

    >>> import rushlight as torch
    >>> torch.erfinv(torch.tensor([0.0, 0.5]))
    tensor([0.0000, 0.4769])
    """,
    promote=floats("erfinv_vml_cpu"),
)
erf_of = TABLE["erf"]  # this and the next for use in gradient formulas
erfcx_of: Callable[[Array], Array] = lambda x: TABLE["erfcx"](x)
erfcx: Unary = special_unary(
    "erfcx",
    special("erfcx"),
    lambda grad, input, result: grad * (2 * input * result - 2 / ROOT_PI),
    """`exp(x²) * erfc(x)` of each element, without overflow.

    >>> import rushlight as torch
    >>> torch.special.erfcx(torch.tensor([0.0, 30.0]))
    tensor([1.0000, 0.0188])
    """,
    "erfcx_cpu",
)
ndtr: Unary = special_unary(
    "ndtr",
    special("ndtr"),
    lambda grad, input: grad * (np.exp(-0.5 * (input * input)) / (ROOT_2 * ROOT_PI)),
    """The standard normal distribution function.

    >>> import rushlight as torch
    >>> torch.special.ndtr(torch.tensor([0.0, 1.96]))
    tensor([0.5000, 0.9750])
    """,
    "erf_vml_cpu",
)
ndtri: Unary = special_unary(
    "ndtri",
    special("ndtri"),
    lambda grad, result: grad * (ROOT_2 * ROOT_PI * np.exp(0.5 * (result * result))),
    """The inverse of the standard normal distribution function.

    >>> import rushlight as torch
    >>> torch.special.ndtri(torch.tensor([0.5, 0.975]))
    tensor([0.0000, 1.9600])
    """,
    "ndtri_cpu",
)
log_ndtr: Unary = special_unary(
    "log_ndtr",
    special("log_ndtr"),
    lambda grad, input: grad * (ROOT_2 / ROOT_PI) / erfcx_of(input * (-1 / ROOT_2)),
    """The logarithm of the normal distribution function, accurate in the tails.

    >>> import rushlight as torch
    >>> torch.special.log_ndtr(torch.tensor([0.0, -10.0]))
    tensor([ -0.6931, -53.2313])
    """,
    "log_ndtr_cpu",
)

# the gamma function


def log_gamma(x: Array) -> Any:
    """SciPy's `gammaln`, with the value of C's `lgamma` at -inf."""
    return np.where(x == -np.inf, np.inf, special("gammaln")(x)).astype(x.dtype, copy=False)


lgamma: Unary = unary(
    "lgamma",
    log_gamma,
    lambda grad, input: grad * digamma_of(input),
    """The logarithm of the absolute value of the gamma function.

    >>> import rushlight as torch
    >>> torch.lgamma(torch.tensor([1.0, 3.0, 5.0]))
    tensor([0.0000, 0.6931, 3.1781])
    """,
    promote=floats("lgamma_vml_cpu"),
)
digamma: Unary = unary(
    "digamma",
    special("psi"),
    lambda grad, input: grad * _polygamma(1, input),
    """The derivative of `lgamma`.

    >>> import rushlight as torch
    >>> torch.digamma(torch.tensor([1.0, 2.0]))
    tensor([-0.5772,  0.4228])
    """,
    promote=floats("digamma"),
)
lgamma_of: Operator = TABLE["lgamma"]
digamma_of: Operator = TABLE["digamma"]


@operator(input=lambda grad, n, input: grad * _polygamma(n + 1, input), promote=floats("polygamma"), broadcasts=True)
def _polygamma(n: int, input: Array) -> Array:
    return polygamma_values(input, n)


@fused
def polygamma_values(input: Array, n: int) -> Any:
    """The n-th derivative of `digamma`, computed from the Hurwitz zeta function."""
    if n == 0:
        return special("psi")(input)
    return (-1) ** (n + 1) * math.factorial(n) * special("zeta")(n + 1, input)


def polygamma(n: int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The n-th derivative of `digamma`. RuntimeError for a negative n.

    >>> import rushlight as torch
    >>> torch.polygamma(1, torch.tensor([1.0, 0.5]))
    tensor([1.6449, 4.9348])
    """
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    result = _polygamma(index(n), input)
    return result if out is None else write_out("polygamma", out, result, input)


def polygamma_method(self: Any, n: int) -> Tensor:
    """`torch.polygamma(n, self)`."""
    return polygamma(n, self)


def polygamma_(self: Any, n: int) -> Tensor:
    """`polygamma` in place."""
    return change(self, polygamma_method, n)


Tensor.polygamma = polygamma_method
Tensor.polygamma_ = polygamma_


def mvlgamma_cotangent(grad: Array, input: Array, p: int) -> Array:
    """The gradient of `mvlgamma`: the sum of the derivatives of its p terms."""
    return grad * sum(digamma_of(input - 0.5 * j) for j in range(p))


@operator(layout="contiguous", input=mvlgamma_cotangent, promote=floats("mvlgamma_cpu"), broadcasts=True)
def _mvlgamma(input: Array, p: int) -> Array:
    return sum(log_gamma(input - 0.5 * j) for j in range(p)) + 0.25 * p * (p - 1) * math.log(math.pi)


@in_place
@method
def mvlgamma(input: Tensor, p: int, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension p. RuntimeError for a p below 1.

    >>> import rushlight as torch
    >>> torch.mvlgamma(torch.tensor([2.0]), 2)
    tensor([0.4516])
    """
    if input._array.dtype.kind == "b":
        raise RuntimeError("The input tensor may not be a boolean tensor.")
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    result = _mvlgamma(input, index(p))
    return result if out is None else write_out("mvlgamma", out, result, input)


def not_derived(name: str) -> Callable[..., Any]:
    """A gradient formula that raises, for an input for which PyTorch has no derivative either."""

    def formula(grad: Array) -> NoReturn:
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

    return formula


def gamma_density(grad: Array, input: Array, other: Array) -> Any:
    """The derivative of `gammainc`, the regularized lower incomplete gamma function, by its upper limit."""
    return grad * np.exp((input - 1) * np.log(other) - other - lgamma_of(input))


igamma: Binary = binary(
    "igamma",
    special("gammainc"),
    not_derived("igamma: input"),
    gamma_density,
    """The regularized lower incomplete gamma function of (input, other); only `other` gets a gradient.

    >>> import rushlight as torch
    >>> torch.igamma(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 1.0]))
    tensor([0.6321, 0.2642])
    """,
    promote=only("f", "igamma_cpu"),
    numbers="",
)
igammac: Binary = binary(
    "igammac",
    special("gammaincc"),
    not_derived("igammac: input"),
    lambda grad, input, other: -gamma_density(grad, input, other),
    """The regularized upper incomplete gamma function of (input, other); only `other` gets a gradient.

    >>> import rushlight as torch
    >>> torch.igammac(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 1.0]))
    tensor([0.3679, 0.7358])
    """,
    promote=only("f", "igammac_cpu"),
    numbers="",
)

# entropies

entr: Unary = special_unary(
    "entr",
    lambda x: np.where(x == 0, 0.0, np.where(x < 0, -np.inf, -x * np.log(x))),
    lambda grad, input: -grad * (1 + np.log(input)),
    """`-x log(x)` of each element; 0 at 0, -inf below.

    >>> import rushlight as torch
    >>> torch.special.entr(torch.tensor([0.5, 0.0, -1.0]))
    tensor([0.3466, 0.0000,   -inf])
    """,
    "entr_cpu",
)


def log_cotangent(grad: Array, input: Array, other: Array, log: Any, least: int) -> Array:
    """`grad * log(other)`; 0 where `input` is 0 and `other <= least`, where the logarithm is not finite."""
    return _drop((input == 0) & (other <= least), grad * log(other))


xlogy: Binary = binary(
    "xlogy",
    special("xlogy"),
    lambda grad, input, other: log_cotangent(grad, input, other, np.log, 0),
    lambda grad, input, other: grad * input / other,
    """`input * log(other)`; 0 where `input` is 0, even if the logarithm is infinite, unless `other` is NaN.

    >>> import rushlight as torch
    >>> torch.xlogy(torch.tensor([0.0, 2.0]), torch.tensor([0.0, 1.0]))
    tensor([0., 0.])
    """,
    promote=floats("xlogy_cpu"),
    number_node="XlogyBackward2",
    base_node="XlogyBackward1",
    numbers="either",
    slopes={"input": "elementwise of tensors"},
)
xlog1py: Binary = binary(
    "xlog1py",
    special("xlog1py"),
    lambda grad, input, other: log_cotangent(grad, input, other, np.log1p, -1),
    lambda grad, input, other: grad * input / (other + 1),
    """`input * log1p(other)`; 0 where `input` is 0, even if the logarithm is infinite, unless `other` is NaN.

    >>> import rushlight as torch
    >>> torch.special.xlog1py(torch.tensor([0.0, 2.0]), torch.tensor([-1.0, 0.0]))
    tensor([0., 0.])
    """,
    promote=floats("xlog1py_cpu"),
    node="SpecialXlog1PyBackward0",
    aten="special_xlog1py",
    number_node="SpecialXlog1PyBackward2",
    base_node="SpecialXlog1PyBackward1",
    methods=False,
    numbers="either",
    slopes={"input": "elementwise of tensors"},
)
zeta: Binary = binary(
    "zeta",
    special("zeta"),
    not_derived("zeta"),
    lambda grad, input, other: grad * (-input * TABLE["zeta"](input + 1, other)),
    """The Hurwitz zeta function, the sum of `1 / (k + other)**input`; only `other` gets a gradient.

    >>> import rushlight as torch
    >>> torch.special.zeta(torch.tensor([2.0]), 1)
    tensor([1.6449])
    """,
    promote=wide_floats("zeta_cpu"),
    node="SpecialZetaBackward0",
    aten="special_zeta",
    number_node="SpecialZetaBackward2",
    base_node="SpecialZetaBackward1",
    methods=False,
    numbers="either",
)
