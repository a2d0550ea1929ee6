"""Random numbers drawn by rejection: gamma and Dirichlet (with implicit gradients), and binomial."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batching import on_more_levels
from rushlight.kernels.implicit import beta_slope, gamma_slope
from rushlight.kernels.steps import zeros_like
from rushlight.layouts import joint_shape
from rushlight.ops.randomness.random_tensors import source
from rushlight.ops.table import no_derivative, operator
from rushlight.random import Generator
from rushlight.random.binomial import binomial as draw_binomial
from rushlight.random.examples import for_examples
from rushlight.random.gamma import dirichlet as draw_dirichlet
from rushlight.random.gamma import standard_gamma as draw_gamma
from rushlight.tensors import Tensor

__all__ = ["_dirichlet_grad", "_sample_dirichlet", "_standard_gamma", "_standard_gamma_grad", "binomial"]

zero = lambda grad: zeros_like(grad)


@operator(
    name="standard_gamma_grad",
    broadcasts=True,
    input=no_derivative("_standard_gamma_grad"),
    output=no_derivative("_standard_gamma_grad"),
)
def _gamma_slope(input: Array, output: Array) -> Array:
    return gamma_slope(input, output)


@operator(
    name="standard_gamma", batch=on_more_levels, input=lambda grad, input, result: grad * _gamma_slope(input, result)
)
def _gamma(input: Array, generator: Generator | None) -> Array:
    return gammas(generator, input.shape, input)


gammas: Callable[..., Any] = for_examples(lambda generator, shape, a: draw_gamma(generator, np.broadcast_to(a, shape)))


def _standard_gamma(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Random numbers from gamma distributions of rate 1 with the concentrations in `input`.

    They have implicit gradients for the concentrations. NotImplementedError for dtypes other than float32 and float64.

    >>> import rushlight as torch
    >>> bool((torch._standard_gamma(torch.ones(5)) > 0).all())
    True
    """
    return _gamma(input, source(generator))


def _standard_gamma_grad(self: Tensor, output: Tensor) -> Tensor:
    """The implicit gradients of gamma random numbers `output` with respect to their concentrations `self`."""
    return _gamma_slope(self, output)


@operator(
    name="dirichlet_grad",
    broadcasts=True,
    x=no_derivative("_dirichlet_grad"),
    alpha=no_derivative("_dirichlet_grad"),
    total=no_derivative("_dirichlet_grad"),
)
def _dirichlet_slope(x: Array, alpha: Array, total: Array) -> Array:
    return beta_slope(x, alpha, total)


def dirichlet_cotangent(grad: Array, input: Array, result: Array) -> Any:
    """The gradient of the concentrations of a Dirichlet sample.

    When a concentration changes, its own component moves like a beta random number, and the other components are
    rescaled so that the sum stays 1.
    """
    slope = _dirichlet_slope(result, input, np.add.reduce(input, axis=-1, keepdims=True))
    return slope * (grad - np.add.reduce(result * grad, axis=-1, keepdims=True))


@operator(name="sample_dirichlet", batch=on_more_levels, input=dirichlet_cotangent)
def _dirichlet(input: Array, generator: Generator | None) -> Array:
    return dirichlets(generator, input.shape, input)


dirichlets: Callable[..., Any] = for_examples(
    lambda generator, shape, a: draw_dirichlet(generator, np.broadcast_to(a, shape))
)


def _sample_dirichlet(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Rows drawn from Dirichlet distributions; each row of `input` holds the concentrations.

    They have implicit gradients for the concentrations. NotImplementedError for dtypes other than float32 and float64.

    >>> import rushlight as torch
    >>> torch._sample_dirichlet(torch.ones(2, 3)).sum(-1).round(decimals=4)
    tensor([1., 1.])
    """
    return _dirichlet(input, source(generator))


def _dirichlet_grad(x: Tensor, alpha: Tensor, total: Tensor) -> Tensor:
    """The implicit gradients of components `x` by their concentrations `alpha`, divided by 1 - x.

    `total` is the sum of the concentrations.
    """
    return _dirichlet_slope(x, alpha, total)


@operator(name="binomial", batch=on_more_levels, broadcasts=True, count=zero, prob=zero)
def _binomial(count: Array, prob: Array, generator: Generator | None) -> Array:
    return successes(generator, joint_shape(count.shape, prob.shape), count, prob)


@for_examples
def successes(generator: Generator, shape: Sequence[int], count: Array, prob: Array) -> Array:
    """Binomial random numbers of the shape to which `count` and `prob` broadcast."""
    return draw_binomial(generator, np.broadcast_to(count, shape), np.broadcast_to(prob, shape))


def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """Random numbers from binomial distributions: the successes in `count` trials of probability `prob`.

    Both are float32 or float64, and are broadcast. Their gradients are zero, as in PyTorch.

    >>> import rushlight as torch
    >>> torch.binomial(torch.tensor([3.0, 4.0]), torch.tensor([0.0, 1.0]))
    tensor([0., 4.])
    """
    return _binomial(count, prob, source(generator))
