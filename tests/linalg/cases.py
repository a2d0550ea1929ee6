"""Matrices for the tests of linear algebra."""

import numpy as np

import rushlight

DTYPES = [np.float64, np.complex128]


def array(*shape, dtype=np.float64, seed=0):
    """Random numbers, always the same for a shape and seed."""
    rng = np.random.default_rng([seed, *shape])
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return np.asarray(values, dtype)


def tensor(values, grad=True):
    """A tensor around an array, a leaf that requires grad."""
    out = rushlight.from_numpy(np.asarray(values))
    out.requires_grad = grad
    return out


def random(*shape, dtype=np.float64, seed=0):
    """A leaf of random numbers."""
    return tensor(array(*shape, dtype=dtype, seed=seed))


def positive(*shape, dtype=np.float64, seed=0):
    """A leaf of positive-definite matrices."""
    a = array(*shape, dtype=dtype, seed=seed)
    return tensor(a @ a.conj().swapaxes(-1, -2) + shape[-1] * np.eye(shape[-1]))


def hermitian(x):
    """The Hermitian part of a tensor: so its elements can be changed one by one."""
    return (x + x.mH) / 2
