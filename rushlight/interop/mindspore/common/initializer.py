"""Initializers under MindSpore's names, with rushlight's random generator: the numbers differ from MindSpore's."""

from collections.abc import Callable
from typing import Any

import rushlight as torch
from rushlight.core.above import above
from rushlight.interop.mindspore.common.dtype import Type, to_native
from rushlight.interop.mindspore.common.tensor import Tensor
from rushlight.nn import init

__all__ = [
    "Constant",
    "HeNormal",
    "HeUniform",
    "Initializer",
    "Normal",
    "One",
    "TruncatedNormal",
    "Uniform",
    "XavierNormal",
    "XavierUniform",
    "Zero",
    "initializer",
]


class Initializer:
    """Fills a rushlight tensor with initial values."""

    def __init__(self, fill: Callable[..., Any], *args: Any):
        self.fill: Callable[[Any], Any] = lambda values: fill(values, *args)


class Constant(Initializer):
    """Fills with one value."""

    def __init__(self, value: float):
        super().__init__(init.constant_, value)


class Zero(Constant):
    """Zeros."""

    def __init__(self) -> None:
        super().__init__(0)


class One(Constant):
    """Ones."""

    def __init__(self) -> None:
        super().__init__(1)


class Uniform(Initializer):
    """Uniform random numbers in [-scale, scale]."""

    def __init__(self, scale: float = 0.07):
        super().__init__(init.uniform_, -scale, scale)


class Normal(Initializer):
    """Normal random numbers."""

    def __init__(self, sigma: float = 0.01, mean: float = 0.0):
        super().__init__(init.normal_, mean, sigma)


class TruncatedNormal(Initializer):
    """Normal random numbers within [a, b] standard deviations."""

    def __init__(self, sigma: float = 0.01, mean: float = 0.0, a: float = -2.0, b: float = 2.0):
        super().__init__(init.trunc_normal_, mean, sigma, mean + a * sigma, mean + b * sigma)


class XavierUniform(Initializer):
    """Uniform random numbers of variance gain² · 2 / (fan_in + fan_out): Glorot and Bengio, 2010."""

    def __init__(self, gain: float = 1):
        super().__init__(init.xavier_uniform_, gain)


class XavierNormal(Initializer):
    """Normal random numbers of variance gain² · 2 / (fan_in + fan_out): Glorot and Bengio, 2010."""

    def __init__(self, gain: float = 1):
        super().__init__(init.xavier_normal_, gain)


class HeUniform(Initializer):
    """Uniform random numbers of variance gain² / fan: He et al., 2015."""

    def __init__(self, negative_slope: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"):
        super().__init__(init.kaiming_uniform_, negative_slope, mode, nonlinearity)


class HeNormal(Initializer):
    """Normal random numbers of variance gain² / fan: He et al., 2015."""

    def __init__(self, negative_slope: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"):
        super().__init__(init.kaiming_normal_, negative_slope, mode, nonlinearity)


BY_NAME: dict[str, Callable[..., Any]] = {
    "zeros": Zero,
    "ones": One,
    "uniform": Uniform,
    "normal": Normal,
    "truncatednormal": TruncatedNormal,
    "xavier_uniform": XavierUniform,
    "xavier_normal": XavierNormal,
    "he_uniform": HeUniform,
    "he_normal": HeNormal,
}


@above
def initializer(init: Any, shape: Any = None, dtype: Type | None = None) -> Tensor:
    """A tensor of initial values, by default float32: by an initializer, its name, a number, or a tensor.

    ValueError for an unknown name, and for a tensor of another shape.

    >>> from rushlight.interop.mindspore.common.initializer import initializer
    >>> print(initializer("ones", [2, 2]))
    [[1. 1.]
     [1. 1.]]
    """
    if isinstance(init, Tensor):
        if shape is not None and init.shape != sizes(shape):
            raise ValueError(f"For 'initializer', the shape of 'init' should be {sizes(shape)}, but got {init.shape}.")
        return Tensor(init, dtype)
    if isinstance(init, str):
        if init.lower() not in BY_NAME:
            raise ValueError(f"The 'init' {init!r} is unknown: it is one of {', '.join(BY_NAME)}.")
        init = BY_NAME[init.lower()]()
    elif isinstance(init, (int, float)):
        init = Constant(init)
    elif not isinstance(init, Initializer):
        raise TypeError(f"For 'initializer', 'init' is a Tensor, a str, a number or an Initializer, not {type(init)}.")
    values = torch.empty(sizes(shape), dtype=to_native(dtype) or torch.float32)
    init.fill(values)
    return Tensor._of(values)


def sizes(shape: Any) -> tuple[int, ...]:
    """A shape as a tuple."""
    return (shape,) if isinstance(shape, int) else tuple(shape)
