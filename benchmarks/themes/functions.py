"""Derivatives of functions: Jacobian and Hessian of tanh(Wx) with a 64×64 matrix."""

from functools import partial

import numpy as np

from benchmarks.forms import as_is, by_compiling, with_torch
from benchmarks.workload import Workload, normal


def data():
    """The matrix and the vector."""
    generator = np.random.default_rng(0)
    return [normal(generator, 64, 64, over=8)], [normal(generator, 64)]


def layer(w, x, names):
    """tanh(Wx)."""
    return names.tanh(w @ x)


def total(w, x, names):
    """Its sum."""
    return layer(w, x, names).sum()


def by_functional(function, name, torch, inputs, weights):
    """A derivative by `autograd.functional`."""
    w, x = torch.tensor(inputs[0]), torch.tensor(weights[0])
    derivative = getattr(torch.autograd.functional, name)
    return lambda: [derivative(lambda x: function(w, x, torch), x)]


def by_func(function, name, torch, inputs, weights, compile=as_is):
    """A derivative by `func`. Compiled, it serves the other rows too: `torch.compile` takes `functional` in pieces."""
    w, x = torch.tensor(inputs[0]), torch.tensor(weights[0])
    derivative = compile(getattr(torch.func, name)(lambda x: function(w, x, torch)))
    return lambda: [derivative(x)]


def in_jax(function, name, jax, inputs, weights):
    """The same derivative in JAX, compiled."""
    (w,), (x,) = jax.device_put((inputs, weights))
    compiled = jax.jit(getattr(jax, name)(lambda x: function(w, x, jax.numpy)))
    return lambda: [jax.block_until_ready(compiled(x))]


def in_autograd(function, name, autograd, inputs, weights):
    """The same derivative in HIPS autograd."""
    derivative = getattr(autograd, name)(lambda x: function(inputs[0], x, autograd.numpy))
    return lambda: [derivative(weights[0])]


def jacobian_by_hand(numpy, inputs, weights):
    """diag(1 - t²) W, where t = tanh(Wx)."""
    (w,), (x,) = inputs, weights
    return lambda: [(1 - np.tanh(w @ x) ** 2)[:, None] * w]


def hessian_by_hand(numpy, inputs, weights):
    """Wᵀ diag(-2 t (1 - t²)) W."""
    (w,), (x,) = inputs, weights

    def step():
        t = np.tanh(w @ x)
        return [(w.T * (-2 * t * (1 - t * t))) @ w]

    return step


def forms(function, name, by_hand):
    """The forms of a Jacobian or Hessian for all but rushlight and PyTorch's ordinary calls."""
    return {
        "jax": partial(in_jax, function, name),
        "autograd": partial(in_autograd, function, name),
        "numpy": by_hand,
    }


BY_FUNC = with_torch(partial(by_func, total, "hessian"))
JACOBIANS = forms(layer, "jacobian", jacobian_by_hand) | with_torch(
    partial(by_functional, layer, "jacobian"), partial(by_compiling, partial(by_func, layer, "jacrev"))
)
HESSIANS = forms(total, "hessian", hessian_by_hand) | BY_FUNC
WORKLOADS = [
    Workload("functional.jacobian of tanh(Wx), 64×64", JACOBIANS, data, bound=0.3),
    Workload(
        "functional.hessian of tanh(Wx), 64×64",
        HESSIANS | with_torch(partial(by_functional, total, "hessian"), BY_FUNC["torch.compile"]),
        data,
        bound=0.3,
    ),
    Workload("func.hessian of tanh(Wx), 64×64", HESSIANS, data, bound=1.0),
]
