"""A chain of small operations, z = (z / x) * y a thousand times on 2x3 float32 tensors: what one operation costs."""

from functools import partial

import numpy as np

from benchmarks.forms import gradient_in_autograd, gradient_in_jax, gradient_in_torch, leaves, with_torch
from benchmarks.workload import Workload

LENGTH = 1000


def data():
    """Where the chain starts; x and y, equal and near 1, so that nothing overflows."""
    x = np.random.default_rng(0).random((2, 3), np.float32) + np.float32(0.5)
    return [np.ones((2, 3), np.float32)], [x, x.copy()]


def chain(length, z, x, y):
    """The chain."""
    for _ in range(length):
        z = (z / x) * y
    return z


def compiled_links(torch):
    """The chain with the body of its loop compiled: to compile all of it takes minutes."""
    link = torch.compile(lambda z, x, y: (z / x) * y)

    def chain(length, z, x, y):
        for _ in range(length):
            z = link(z, x, y)
        return z

    return chain


def recorded(length, torch, inputs, weights, chain=chain):
    """The chain, recorded."""
    start, x, y = torch.tensor(inputs[0]), *leaves(torch, weights)
    return lambda: [chain(length, start, x, y)]


def without_grad(length, torch, inputs, weights, chain=chain):
    """The chain under no_grad."""
    return torch.no_grad()(recorded(length, torch, inputs, weights, chain))


def with_backward(length, torch, inputs, weights, chain=chain):
    """The chain, recorded and differentiated."""
    return gradient_in_torch(lambda torch, xy, start: chain(length, start, *xy).sum(), torch, inputs, weights)


def by_compiled_links(form, length, torch, inputs, weights):
    """One of these forms with the compiled chain."""
    return form(length, torch, inputs, weights, compiled_links(torch))


def total(length, library, weights, start):
    """The sum of the chain in NumPy's operations."""
    return library.numpy.sum(chain(length, start, *weights))


def recorded_by_autograd(length, autograd, inputs, weights):
    """The chain in HIPS autograd, recorded for a gradient to come."""
    record = autograd.make_vjp(lambda weights: chain(length, inputs[0], *weights))
    return lambda: [record(weights)[1]]


def bare(length, numpy, inputs, weights):
    """The chain on bare arrays."""
    return lambda: [chain(length, *inputs, *weights)]


def differentiated_by_hand(length, numpy, inputs, weights):
    """The chain with its derivative."""
    x, y = weights

    def step():
        z, quotients = inputs[0], []
        for _ in range(length):
            quotients.append(z / x)
            z = quotients[-1] * y
        dz, dx, dy = np.ones_like(z), np.zeros_like(x), np.zeros_like(y)
        for quotient in reversed(quotients):
            dy += dz * quotient
            dz = dz * y / x
            dx -= dz * quotient
        return z.sum(), dx, dy

    return step


def scanned(length, jax, start, x, y):
    """The chain as a loop that JAX compiles."""
    return jax.lax.scan(lambda z, _: ((z / x) * y, None), start, length=length)[0]


def scanned_total(length, jax, weights, start):
    """The sum of the compiled loop."""
    return scanned(length, jax, start, *weights).sum()


def bare_in_jax(length, jax, inputs, weights):
    """The compiled loop."""
    arrays = jax.device_put((*inputs, *weights))
    compiled = jax.jit(partial(scanned, length, jax))
    return lambda: [jax.block_until_ready(compiled(*arrays))]


def recorded_in_jax(length, jax, inputs, weights):
    """The compiled loop, with what its derivative needs."""
    start, *xy = jax.device_put((*inputs, *weights))
    record = jax.jit(lambda *xy: jax.vjp(partial(scanned, length, jax, start), *xy))
    return lambda: [jax.block_until_ready(record(*xy))[0]]


def differentiated(length=LENGTH, bound=0.3):
    """The workload with backward, of any length."""
    forms = {
        **with_torch(partial(with_backward, length), partial(by_compiled_links, with_backward, length)),
        "jax": partial(gradient_in_jax, partial(scanned_total, length)),
        "autograd": partial(gradient_in_autograd, partial(total, length)),
        "numpy": partial(differentiated_by_hand, length),
    }
    return Workload("chain of operations, recorded and backward", forms, data, 2 * length, bound)


def forms(of_torch, in_jax):
    """The forms of a chain of the usual length without backward."""
    return {
        **with_torch(partial(of_torch, LENGTH), partial(by_compiled_links, of_torch, LENGTH)),
        "jax": partial(in_jax, LENGTH),
        "numpy": partial(bare, LENGTH),
    }


RECORDED = {**forms(recorded, recorded_in_jax), "autograd": partial(recorded_by_autograd, LENGTH)}
WORKLOADS = [
    Workload("chain of operations, recorded", RECORDED, data, 2 * LENGTH, 0.4),
    differentiated(),
    Workload("chain of operations under no_grad", forms(without_grad, bare_in_jax), data, 2 * LENGTH, 0.4),
]
