"""Covariance and correlation matrices."""

from typing import Any

from rushlight.core.aliases import Array
from rushlight.core.graph import TensorBase
from rushlight.core.interpreters import answered
from rushlight.core.kinds import kind_of
from rushlight.core.lines import warn
from rushlight.dtypes import TYPE_NAMES
from rushlight.ops.arguments.keywords import keywords
from rushlight.ops.table import method
from rushlight.tensors import Tensor

__all__ = ["corrcoef", "cov"]


def check_weights(input: Tensor, fweights: Any, aweights: Tensor | None) -> None:
    """Raises PyTorch's errors for arguments that `cov` does not accept."""
    for name, weights in (("fweights", fweights), ("aweights", aweights)):
        if weights is None:
            continue
        if weights._array.ndim > 1:
            raise RuntimeError(
                f"cov(): expected {name} to have one or fewer dimensions but got {name} with "
                f"{weights._array.ndim} dimensions"
            )
        if weights._array.size != input._array.shape[1]:
            raise RuntimeError(
                f"cov(): expected {name} to have the same numel as there are observations in the input but "
                f"got {weights._array.size} != {input._array.shape[1]}"
            )
    if fweights is not None and fweights._array.dtype.kind not in "iu":
        raise RuntimeError(
            f"cov(): expected fweights to have integral dtype but got fweights with {TYPE_NAMES[fweights.dtype]} dtype"
        )
    if aweights is not None and kind_of(aweights._array.dtype) != "f":
        raise RuntimeError(
            "cov(): expected aweights to have floating point dtype but got aweights with "
            f"{TYPE_NAMES[aweights.dtype]} dtype"
        )
    for name, weights in (("fweights", fweights), ("aweights", aweights)):
        if weights is not None and answered(has_negative, weights._array):
            raise RuntimeError(f"cov(): {name} cannot be negative")


def has_negative(array: Array) -> bool:
    """Whether some element is negative."""
    return bool((array < 0).any())


def divisor_of(observations: int, fweights: Tensor | None, aweights: Tensor | None, correction: int) -> Any:
    """The weights of the observations (or None), their sum, and the divisor of the sum of weighted products."""
    weights = fweights if aweights is None else aweights if fweights is None else fweights * aweights
    if weights is None:
        return None, observations, max(observations - correction, 0)
    total = weights.sum()
    if correction == 0:
        return weights, total, total
    lost = correction if aweights is None else correction * (weights * aweights).sum() / total
    return weights, total, (total - lost).clamp(min=0)


@method
@keywords
def cov(
    input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    """The covariance matrix of variables (rows) over observations (columns).

    `fweights` are integer counts of the observations, `aweights` relative weights. A one-dimensional tensor is a single
    variable. RuntimeError for more than two dimensions.

    >>> import rushlight as torch
    >>> torch.cov(torch.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    refuse_dimensions("cov", input)
    if input._array.dtype.kind == "b":
        raise RuntimeError("cov(): bool dtype is not supported for input")
    x = input if input._array.ndim == 2 else input.reshape(1, -1)
    check_weights(x, fweights, aweights)
    weights, total, divisor = divisor_of(x._array.shape[1], fweights, aweights, correction)
    if (divisor._array.min() if isinstance(divisor, TensorBase) else divisor) <= 0:
        warn(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.",
        )
    x = x - (x if weights is None else x * weights).sum(1, True) / total
    return ((x if weights is None else x * weights) @ x.t().conj_physical() / divisor).squeeze()


def refuse_dimensions(name: str, input: Tensor) -> None:
    """Raises PyTorch's error for more than two dimensions."""
    ndim = input._array.ndim
    if ndim > 2:
        raise RuntimeError(
            f"{name}(): expected input to have two or fewer dimensions but got an input with {ndim} dimensions"
        )


@method
@keywords
def corrcoef(input: Tensor) -> Tensor:
    """The matrix of Pearson's correlation coefficients of variables (rows), between -1 and 1.

    >>> import rushlight as torch
    >>> torch.corrcoef(torch.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    refuse_dimensions("corrcoef", input)
    c = cov(input)
    if c._array.ndim == 0:
        return c / c
    deviations = (c.diagonal().real if c._array.dtype.kind == "c" else c.diagonal()).sqrt()
    c = c / deviations.unsqueeze(1) / deviations.unsqueeze(0)
    return c.clamp(-1, 1) if kind_of(c._array.dtype) == "f" else clamped_parts(c)


def clamped_parts(c: Any) -> Any:
    """Complex coefficients, with real and imaginary parts each clamped to [-1, 1]."""
    return c.real.clamp(-1, 1) + 1j * c.imag.clamp(-1, 1)
