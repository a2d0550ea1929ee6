"""Large arrays: elementwise work over a million elements, and a large product of matrices."""

from functools import partial

import numpy as np

from benchmarks.forms import gradient_by_hand, gradient_forms, gradient_in_torch, with_torch
from benchmarks.workload import Workload


def data(count, size):
    """So many square matrices of numbers between 0 and 1, all differentiated."""
    generator = np.random.default_rng(0)
    return [], [generator.random((size, size), np.float32) for _ in range(count)]


def elementwise(library, weights):
    """(sin a · 2 + 1).tanh() · a, summed."""
    (a,), names = weights, library if hasattr(library, "sin") else library.numpy
    return (names.tanh(names.sin(a) * 2 + 1) * a).sum()


def elementwise_by_hand(weights):
    """The same with its derivative."""
    (a,) = weights
    t = np.tanh(np.sin(a) * 2 + 1)
    return (t * a).sum(), t + a * (1 - t * t) * 2 * np.cos(a)


def product(library, weights):
    """The product of two matrices, summed."""
    a, b = weights
    return (a @ b).sum()


def product_by_hand(weights):
    """The same with its derivative: two products, as for any cotangent."""
    a, b = weights
    result = a @ b
    cotangent = np.ones_like(result)
    return result.sum(), cotangent @ b.T, a.T @ cotangent


def forms(loss, differentiate):
    """The forms of a loss that is written with the same names everywhere."""
    return {
        **with_torch(partial(gradient_in_torch, loss)),
        **gradient_forms(loss),
        "numpy": partial(gradient_by_hand, differentiate),
    }


def elementwise_workload(size):
    """The elementwise work on a matrix of this size."""
    name = f"elementwise (sin a · 2 + 1).tanh() · a, {size * size:,} elements, backward"
    return Workload(name, forms(elementwise, elementwise_by_hand), partial(data, 1, size), bound=0.6)


WORKLOADS = [
    elementwise_workload(1000),
    Workload(
        "1024×1024 matrix product, sum, backward",
        forms(product, product_by_hand),
        partial(data, 2, 1024),
        bound=0.6,
    ),
]
