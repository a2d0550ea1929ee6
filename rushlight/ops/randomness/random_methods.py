"""Methods that fill a tensor with random numbers: `uniform_`, `normal_` and so on."""

from typing import Any

import numpy as np

from rushlight.core.graph import TensorBase
from rushlight.core.inplace import changed_at_once, check_history
from rushlight.core.recording import recording
from rushlight.ops.changes.filling import enter, overwrite
from rushlight.ops.randomness.random_tensors import interval, source
from rushlight.random import Generator, distributions, integers
from rushlight.random.examples import check_overwritten
from rushlight.random.placement import drawn_into
from rushlight.refusals.numbers import as_numbers
from rushlight.tensors import Tensor

__all__: list[str] = []  # methods only

NODES = {
    "uniform_": "UniformBackward0",
    "normal_": "NormalBackward0",
    "log_normal_": "LogNormalBackward0",
    "exponential_": "ExponentialBackward0",
    "cauchy_": "CauchyBackward0",
    "geometric_": "GeometricBackward0",
    "bernoulli_": "BernoulliBackward2",
    "bernoulli_tensor_": "BernoulliBackward1",
    "random_": "RandomBackward2",
}
ENTRIES = {name: enter(name, "number", node) for name, node in NODES.items()}


def overwrite_drawn(tensor: Tensor, name: str, draw: Any, generator: Generator | None, *parameters: Any) -> Tensor:
    """Overwrites a tensor, in the order of its memory, with the numbers that `draw` returns for its shape and dtype."""
    for parameter in parameters:
        if isinstance(parameter, TensorBase) and (parameter._array.ndim or parameter.requires_grad):
            raise TypeError(f"{name}(): its parameters must be numbers, not tensors")
    fill = distributions.FILLS.get(draw)
    if fill is not None and changed_at_once(tensor, fill, source(generator), *parameters):
        return tensor
    check_overwritten(tensor._array)
    check_history(tensor, recording() and tensor.requires_grad)
    array = drawn_into(tensor._settled(), draw, source(generator), *parameters)
    return tensor if changed_at_once(tensor, copy_over, array) else overwrite(tensor, ENTRIES[name], array)


def copy_over(array: np.ndarray, numbers: np.ndarray) -> bool:
    """Overwrites an array with the numbers of another of its shape and dtype."""
    array[...] = numbers
    return True


def uniform_(
    self: Tensor, from_: float = 0, to: float = 1, *, generator: Generator | None = None, **bound: Any
) -> Tensor:
    """Fills the tensor with uniform numbers on [from, to); `from` may be passed as a keyword with `**`.

    >>> import rushlight as torch
    >>> x = torch.empty(100).uniform_(2, 3)
    >>> bool((x >= 2).all() and (x < 3).all())
    True
    """
    low = bound.pop("from", from_)
    if bound:
        raise TypeError(f"uniform_() got an unexpected keyword argument '{next(iter(bound))}'")
    return overwrite_drawn(self, "uniform_", distributions.uniform, generator, low, to)


def normal_(self: Tensor, mean: float = 0, std: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Fills the tensor with normally distributed numbers.

    >>> import rushlight as torch
    >>> torch.empty(2).normal_(3, 0)
    tensor([3., 3.])
    """
    return overwrite_drawn(self, "normal_", distributions.normal, generator, mean, std)


def log_normal_(self: Tensor, mean: float = 1, std: float = 2, *, generator: Generator | None = None) -> Tensor:
    """Fills the tensor with log-normal numbers; `mean` and `std` are those of the logarithm."""
    return overwrite_drawn(self, "log_normal_", distributions.log_normal, generator, mean, std)


def exponential_(self: Tensor, lambd: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Fills the tensor with exponentially distributed numbers of rate `lambd`."""
    return overwrite_drawn(self, "exponential_", distributions.exponential, generator, lambd)


def cauchy_(self: Tensor, median: float = 0, sigma: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Fills the tensor with Cauchy distributed numbers."""
    return overwrite_drawn(self, "cauchy_", distributions.cauchy, generator, median, sigma)


def geometric_(self: Tensor, p: float, *, generator: Generator | None = None) -> Tensor:
    """Fills the tensor with geometrically distributed numbers: trials up to the first success, of probability `p`."""
    return overwrite_drawn(self, "geometric_", distributions.geometric, generator, p)


def bernoulli_(self: Tensor, p: float | Tensor = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Fills the tensor with ones, with probability `p` (a number, or a tensor that broadcasts), and zeros.

    >>> import rushlight as torch
    >>> torch.empty(2).bernoulli_(1.0)
    tensor([1., 1.])
    """
    if isinstance(p, TensorBase):
        if p._array.shape != self._array.shape:
            p.expand(self._array.shape)  # raises PyTorch's error if it does not broadcast
        return overwrite_drawn(self, "bernoulli_tensor_", distributions.bernoulli, generator, p._array)
    return overwrite_drawn(self, "bernoulli_", distributions.bernoulli, generator, p)


def random_(self: Tensor, *bounds: int | None, to: int | None = None, generator: Generator | None = None) -> Tensor:
    """Fills the tensor with random integers: `random_(from, to)`, `random_(to)` from 0, or `random_()`.

    Without an upper bound, or with None for it, they are up to the largest integer below which the dtype represents all
    integers.

    >>> import rushlight as torch
    >>> torch.empty(2).random_(5, 6)
    tensor([5., 5.])
    """
    given = bounds if to is None else (*bounds, to)
    for bound in given:
        if isinstance(bound, TensorBase):
            (_, *given), _ = as_numbers("Tensor.random_", (self, *given), {})
            break
    if not given:
        return overwrite_drawn(self, "random_", integers.random_, generator)
    if len(given) == 2 and given[1] is None:
        return overwrite_drawn(self, "random_", integers.randint, generator, given[0], None)
    ends: Any = given if len(given) == 2 else (0, *given)
    low, high = interval("random_", *ends)
    return overwrite_drawn(self, "random_", integers.randint, generator, low, high)


for method in (uniform_, normal_, log_normal_, exponential_, cauchy_, geometric_, bernoulli_, random_):
    setattr(Tensor, method.__name__, method)
