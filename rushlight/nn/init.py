"""Initialization: fills tensors in place, with the same numbers as PyTorch after the same seed."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.core.advice import advised
from rushlight.core.aliases import Array
from rushlight.core.lines import warn
from rushlight.random import Generator, default_generator, distributions
from rushlight.random.integers import randperm
from rushlight.random.placement import drawn_into, drawn_like
from rushlight.tensors import Tensor

__all__ = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]

GAINS: dict[str, float] = {
    **dict.fromkeys(["linear", "sigmoid", "conv1d", "conv2d", "conv3d"], 1),
    **dict.fromkeys(["conv_transpose1d", "conv_transpose2d", "conv_transpose3d"], 1),
    "tanh": 5 / 3,
    "relu": math.sqrt(2),
    "selu": 3 / 4,
}


def write(tensor: Tensor, values: Array) -> Tensor:
    """Overwrites a tensor's elements, outside the graph; returns the tensor."""
    tensor._array[...] = values
    tensor._bump()
    return tensor


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The gain recommended for a nonlinearity, which keeps the variance of activations when weights are scaled by it.

    `param` is the negative slope of `leaky_relu`. ValueError for an unknown name.

    >>> import rushlight as torch
    >>> torch.nn.init.calculate_gain("tanh")
    1.6666666666666667
    """
    if nonlinearity in GAINS:
        return GAINS[nonlinearity]
    if nonlinearity != "leaky_relu":
        raise ValueError(advised(f"Unsupported nonlinearity {nonlinearity}"))
    slope = 0.01 if param is None else param
    if isinstance(slope, bool) or not isinstance(slope, (int, float)):
        raise ValueError(f"negative_slope {param} not a valid number")
    return math.sqrt(2 / (1 + slope**2))


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fills a tensor with uniform random numbers on [a, b).

    >>> import rushlight as torch
    >>> generator = torch.Generator().manual_seed(0)
    >>> torch.nn.init.uniform_(torch.empty(3), generator=generator)
    tensor([0.4963, 0.7682, 0.0885])
    """
    return write(tensor, drawn_into(tensor._settled(), distributions.uniform, generator or default_generator, a, b))


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fills a tensor with normal random numbers.

    >>> import rushlight as torch
    >>> generator = torch.Generator().manual_seed(0)
    >>> torch.nn.init.normal_(torch.empty(3), generator=generator)
    tensor([ 1.5410, -0.2934, -2.1788])
    """
    return write(tensor, drawn_into(tensor._settled(), distributions.normal, generator or default_generator, mean, std))


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Fills a tensor with random numbers from the normal distribution truncated to [a, b].

    They are drawn by rejection: from the normal distribution if more than 0.3 of it is in [a, b], else from the uniform
    one.

    >>> import rushlight as torch
    >>> bool((torch.nn.init.trunc_normal_(torch.empty(100), std=5.0).abs() <= 2).all())
    True
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
            "incorrect.",
        )
    inside = normal_cdf((b - mean) / std) - normal_cdf((a - mean) / std)
    rejection = reject_normal if inside > 0.3 else reject_uniform
    return write(tensor, rejection(tensor._settled(), mean, std, a, b, generator or default_generator))


def normal_cdf(x: float) -> float:
    """The cumulative distribution function of the standard normal distribution."""
    return (1 + math.erf(x / math.sqrt(2))) / 2


def reject_normal(array: Array, mean: float, std: float, a: float, b: float, generator: Generator) -> Array:
    """Normal random numbers; those outside of [a, b] are drawn again until none is left."""
    low, high = array.dtype.type(a), array.dtype.type(b)
    values = drawn_into(array, distributions.normal, generator, mean, std)
    while (outside := (values < low) | (values > high)).any():
        values = np.where(outside, drawn_like(array, distributions.normal, generator, mean, std), values)
    return values


def reject_uniform(
    array: np.ndarray, mean: float, std: float, a: float, b: float, generator: Generator | None
) -> np.ndarray:
    """Uniform random numbers, each accepted with probability density / (largest density in [a, b])."""
    highest = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    values, pending = None, np.ones(array.shape, bool)
    while values is None or pending.any():
        candidates = drawn_into(array, distributions.uniform, generator, a, b)
        density = ((candidates - mean) / std) ** 2 * -0.5 - highest
        chance = np.log(drawn_into(array, distributions.uniform, generator))
        values = candidates if values is None else np.where(pending, candidates, values)
        pending = pending & (chance > density)
    return values


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fills a tensor with one number.

    >>> import rushlight as torch
    >>> torch.nn.init.constant_(torch.empty(2), 0.5)
    tensor([0.5000, 0.5000])
    """
    return write(tensor, val)


def ones_(tensor: Tensor) -> Tensor:
    """Fills a tensor with ones.

    >>> import rushlight as torch
    >>> torch.nn.init.ones_(torch.empty(2))
    tensor([1., 1.])
    """
    return write(tensor, 1)


def zeros_(tensor: Tensor) -> Tensor:
    """Fills a tensor with zeros.

    >>> import rushlight as torch
    >>> torch.nn.init.zeros_(torch.empty(2))
    tensor([0., 0.])
    """
    return write(tensor, 0)


def eye_(tensor: Tensor) -> Tensor:
    """Fills a matrix with the identity: ones on the diagonal. ValueError unless there are 2 dimensions.

    >>> import rushlight as torch
    >>> torch.nn.init.eye_(torch.empty(2, 3))
    tensor([[1., 0., 0.],
            [0., 1., 0.]])
    """
    require_matrix(tensor)
    return write(tensor, np.eye(*tensor._array.shape))


def require_matrix(tensor: Tensor) -> None:
    """Raises PyTorch's error for a tensor that does not have two dimensions."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fills a convolution's weight so that it passes as many input channels as possible through unchanged.

    ValueError unless there are 3 to 5 dimensions and the first is divisible by `groups`.

    >>> import rushlight as torch
    >>> weight = torch.nn.init.dirac_(torch.empty(1, 1, 3))
    >>> torch.nn.functional.conv1d(torch.tensor([[1.0, 2.0, 3.0]]), weight, padding=1)
    tensor([[1., 2., 3.]])
    """
    if tensor.ndim not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    channels, inputs, *sizes = tensor._array.shape
    if channels % groups:
        raise ValueError("dim 0 must be divisible by groups")
    write(tensor, 0)
    middle = tuple(size // 2 for size in sizes)
    for group in range(groups):
        for channel in range(min(channels // groups, inputs)):
            tensor._array[(group * (channels // groups) + channel, channel, *middle)] = 1
    return tensor


def fans(tensor: Tensor) -> tuple[int, int]:
    """Fan-in and fan-out of a layer's weight: the number of inputs of each output, and of outputs of each input."""
    if tensor.ndim < 2:
        raise ValueError(advised("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"))
    outputs, inputs, *sizes = tensor._array.shape
    field = math.prod(sizes)
    return inputs * field, outputs * field


_calculate_fan_in_and_fan_out = fans  # PyTorch's private name, which many programs use


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    """Fan-in or fan-out, according to `mode`."""
    modes = ["fan_in", "fan_out"]
    if mode.lower() not in modes:
        raise ValueError(f"Mode {mode.lower()} not supported, please use one of {modes}")
    return fans(tensor)[modes.index(mode.lower())]


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fills a weight with uniform random numbers of standard deviation gain * sqrt(2 / (fan_in + fan_out)).

    Source: X. Glorot, Y. Bengio, "Understanding the difficulty of training deep feedforward neural networks", 2010.
    ValueError for fewer than 2 dimensions.

    >>> import rushlight as torch
    >>> weight = torch.nn.init.xavier_uniform_(torch.empty(300, 300))
    >>> weight.abs().max().item() <= 0.1  # sqrt(6 / (300 + 300))
    True
    """
    bound = math.sqrt(3) * (gain * math.sqrt(2 / float(sum(fans(tensor)))))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fills a weight with normal random numbers of standard deviation gain * sqrt(2 / (fan_in + fan_out)).

    >>> import rushlight as torch
    >>> weight = torch.nn.init.xavier_normal_(torch.empty(300, 100))
    >>> abs(weight.std().item() - 0.0707) < 0.005  # sqrt(2 / (300 + 100))
    True
    """
    return normal_(tensor, 0.0, gain * math.sqrt(2 / float(sum(fans(tensor)))), generator)


def kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    """The standard deviation gain / sqrt(fan), which keeps the variance of activations, or that of gradients."""
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def is_empty(tensor: Tensor) -> bool:
    """Whether a tensor has no elements, with PyTorch's warning if so."""
    if tensor._array.size == 0:
        warn("Initializing zero-element tensors is a no-op")
    return tensor._array.size == 0


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fills a weight with uniform random numbers of standard deviation gain / sqrt(fan).

    `a` is the negative slope of the leaky ReLU after the layer; `mode` is "fan_in" or "fan_out".

    Source: K. He et al., "Delving deep into rectifiers", 2015.

    ValueError for fewer than 2 dimensions, and for unknown names.

    >>> import rushlight as torch
    >>> weight = torch.nn.init.kaiming_uniform_(torch.empty(100, 600), nonlinearity="relu")
    >>> weight.abs().max().item() <= 0.1  # sqrt(6 / 600)
    True
    """
    if is_empty(tensor):
        return tensor
    bound = math.sqrt(3) * kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fills a weight with normal random numbers of standard deviation gain / sqrt(fan); see `kaiming_uniform_`.

    >>> import rushlight as torch
    >>> weight = torch.nn.init.kaiming_normal_(torch.empty(400, 200), nonlinearity="relu")
    >>> abs(weight.std().item() - 0.1) < 0.01  # sqrt(2 / 200)
    True
    """
    if is_empty(tensor):
        return tensor
    return normal_(tensor, 0.0, kaiming_std(tensor, a, mode, nonlinearity), generator)


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """Fills a tensor, flattened to a matrix after its first dimension, with `gain` times an orthogonal matrix.

    Source: A. Saxe et al., "Exact solutions to the nonlinear dynamics of learning in deep linear neural networks",
    2013. ValueError for fewer than 2 dimensions.

    >>> import rushlight as torch
    >>> weight = torch.nn.init.orthogonal_(torch.empty(3, 5))
    >>> torch.allclose(weight @ weight.T, torch.eye(3), atol=1e-5)
    True
    """
    from scipy.linalg import qr

    array = tensor._array
    if array.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if array.size == 0:
        return tensor
    rows = array.shape[0]
    matrix = distributions.normal(generator or default_generator, (rows, array.size // rows), array.dtype)
    wide = matrix.shape[0] < matrix.shape[1]
    q, r = qr(matrix.T if wide else matrix, mode="economic", check_finite=False)
    q *= np.sign(np.diag(r))  # so that all orthogonal matrices are equally likely
    return write(tensor, (q.T if wide else q).reshape(array.shape) * array.dtype.type(gain))


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> Tensor:
    """Fills a matrix with normal random numbers, and sets a fraction `sparsity` of each column to zero.

    Source: J. Martens, "Deep learning via Hessian-free optimization", 2010. ValueError unless there are 2 dimensions.

    >>> import rushlight as torch
    >>> weight = torch.nn.init.sparse_(torch.empty(10, 4), sparsity=0.3)
    >>> (weight == 0).sum(0)
    tensor([3, 3, 3, 3])
    """
    require_matrix(tensor)
    rows, columns = tensor._array.shape
    zeros = math.ceil(sparsity * rows)
    normal_(tensor, 0.0, std, generator)
    for column in range(columns):
        tensor._array[randperm(default_generator, rows, np.dtype(np.int64))[:zeros], column] = 0
    return tensor


def deprecated(function: Callable[..., Any]) -> Callable[..., Any]:
    """The old name of a function, without the underscore; it warns."""
    name = function.__name__
    old = name[:-1]

    def renamed(*args: Any, **kwargs: Any) -> Tensor:
        warn(f"`nn.init.{old}` is now deprecated in favor of `nn.init.{name}`.", FutureWarning)
        return function(*args, **kwargs)

    renamed.__name__ = renamed.__qualname__ = old
    renamed.__doc__ = f"The old name of `{name}`."
    return renamed


uniform: Callable[..., Any] = deprecated(uniform_)
normal: Callable[..., Any] = deprecated(normal_)
constant: Callable[..., Any] = deprecated(constant_)
eye: Callable[..., Any] = deprecated(eye_)
dirac: Callable[..., Any] = deprecated(dirac_)
xavier_uniform: Callable[..., Any] = deprecated(xavier_uniform_)
xavier_normal: Callable[..., Any] = deprecated(xavier_normal_)
kaiming_uniform: Callable[..., Any] = deprecated(kaiming_uniform_)
kaiming_normal: Callable[..., Any] = deprecated(kaiming_normal_)
orthogonal: Callable[..., Any] = deprecated(orthogonal_)
sparse: Callable[..., Any] = deprecated(sparse_)


# What PyTorch's own initializers call: these change tensors outside of the graph in any case.
_no_grad_uniform_ = uniform_
_no_grad_normal_ = normal_
_no_grad_trunc_normal_ = trunc_normal_
_no_grad_fill_ = constant_
_no_grad_zero_ = zeros_
