"""An array type that computes by NumPy's protocols and refuses to become a NumPy array, as one on another device."""

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin


def bare(value):
    """The NumPy arrays inside foreign ones, in nested arguments."""
    if isinstance(value, Foreign):
        return value.data
    if isinstance(value, (list, tuple)):
        return type(value)([bare(item) for item in value])
    return {key: bare(item) for key, item in value.items()} if isinstance(value, dict) else value


def foreign(value):
    """A result of NumPy's as foreign arrays."""
    if isinstance(value, (np.ndarray, np.generic)):
        return Foreign(np.asarray(value))
    if isinstance(value, (list, tuple)):
        items = [foreign(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value


class Foreign(NDArrayOperatorsMixin):
    """The array type."""

    def __init__(self, data):
        self.data = data

    def __array__(self, dtype=None, copy=None):
        raise TypeError("a foreign array refuses to become a NumPy array")

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return foreign(getattr(ufunc, method)(*bare(inputs), **bare(kwargs)))

    def __array_function__(self, function, types, args, kwargs):
        return foreign(function(*bare(args), **bare(kwargs)))

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = getattr(self.data, name)
        return (lambda *args, **kwargs: foreign(value(*bare(args), **bare(kwargs)))) if callable(value) else value

    def __getitem__(self, key):
        return foreign(self.data[bare(key)])

    def __setitem__(self, key, value):
        self.data[bare(key)] = bare(value)

    def __len__(self):
        return len(self.data)

    def __bool__(self):
        return bool(self.data)

    def __int__(self):
        return int(self.data)

    def __float__(self):
        return float(self.data)

    def __complex__(self):
        return complex(self.data)

    def __index__(self):
        return self.data.__index__()

    @property
    def T(self):
        return foreign(self.data.T)

    @property
    def mT(self):
        return foreign(self.data.mT)

    @property
    def real(self):
        return foreign(self.data.real)

    @real.setter
    def real(self, value):
        self.data.real = bare(value)

    @property
    def imag(self):
        return foreign(self.data.imag)

    @imag.setter
    def imag(self, value):
        self.data.imag = bare(value)
