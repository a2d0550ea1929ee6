"""50 steps of a recurrent cell written out, hidden size 32, batch 1, with backward."""

from functools import partial

import numpy as np

from benchmarks.forms import gradient_by_hand, gradient_in_autograd, gradient_in_jax, gradient_in_torch, with_torch
from benchmarks.workload import Workload, normal


def data():
    """The inputs of 50 steps and the first state; the weights of state and input."""
    generator = np.random.default_rng(0)
    weights = [normal(generator, 32, 32, over=8), normal(generator, 32, 16, over=4)]
    return [normal(generator, 50, 16), np.zeros(32, np.float32)], weights


def loss(library, weights, inputs, state):
    """The sum of squares of the last state."""
    tanh = (library if hasattr(library, "tanh") else library.numpy).tanh
    w, u = weights
    for x in inputs:
        state = tanh(w @ state + u @ x)
    return (state * state).sum()


def scanned(jax, weights, inputs, state):
    """The same as a loop that JAX compiles."""
    w, u = weights
    state, _ = jax.lax.scan(lambda h, x: (jax.numpy.tanh(w @ h + u @ x), None), state, inputs)
    return (state * state).sum()


def differentiate(weights, inputs, state):
    """The loss and its gradients by hand, with one product for all steps where that can be."""
    w, u = weights
    states = [state]
    for drive in inputs @ u.T:
        states.append(np.tanh(w @ states[-1] + drive))
    states = np.array(states)
    slopes, arrived, dh = 1 - states[1:] ** 2, np.empty_like(states[1:]), 2 * states[-1]
    for step in reversed(range(len(inputs))):
        arrived[step] = dh * slopes[step]
        dh = arrived[step] @ w
    return states[-1] @ states[-1], arrived.T @ states[:-1], arrived.T @ inputs


FORMS = {
    **with_torch(partial(gradient_in_torch, loss)),
    "jax": partial(gradient_in_jax, scanned),
    "autograd": partial(gradient_in_autograd, loss),
    "numpy": partial(gradient_by_hand, differentiate),
}
WORKLOADS = [Workload("recurrent loop, 50 steps, hidden 32, backward", FORMS, data, bound=0.4)]
