"""Cross entropy of rows of scores with class indices, and the sum of the scores of the classes."""

from types import ModuleType

import numpy as np

from rushlight.core.arrays import as_array
from rushlight.core.kinds import kind_of
from rushlight.kernels.compiled import load

__all__ = ["are_classes", "cross_entropy", "cross_entropy_cotangent", "pick", "put"]

fast: ModuleType | None = load("entropy")


def are_classes(x: np.ndarray, target: np.ndarray) -> bool:
    """Return whether `target` (N, ...) has a valid class for each row of scores (N, C, ...), or each place of it."""
    if fast is not None and fast.are_classes(x, target):
        return True
    return (
        x.ndim > 1
        and target.shape == (len(x), *x.shape[2:])
        and target.size > 0
        and kind_of(x.dtype) == "f"
        and target.dtype == np.int64
        and target.view(np.uint64).max() < x.shape[1]
    )


def cross_entropy(x: np.ndarray, target: np.ndarray, factor: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the sum over rows of -log softmax(x)[target], times `factor`, and what the gradient needs.

    The latter are the largest element of each row, and the logarithm of the sum of exponentials after subtracting it;
    the computation is at least in float32. There may be dimensions in front of the rows.
    """
    if fast is not None and (results := fast.cross_entropy(x, target, factor)) is not None:
        return results
    peaks = np.maximum.reduce(x, axis=-1, keepdims=True).astype(np.promote_types(x.dtype, np.float32), copy=False)
    below = x - peaks
    sums = np.log(np.add.reduce(np.exp(below), axis=-1))
    picked = np.take_along_axis(below, target[..., None], -1)[..., 0]
    loss = np.add.reduce(sums - picked, axis=-1) * factor
    return as_array(loss).astype(x.dtype, copy=False), np.stack([peaks[..., 0], sums], axis=-2)


def cross_entropy_cotangent(grad: np.ndarray, x: np.ndarray, target: np.ndarray, moments: np.ndarray) -> np.ndarray:
    """Return the gradient of x, given that of the sum of the losses as a number: (softmax - one-hot) * grad."""
    if fast is not None and (result := fast.cross_entropy_cotangent(grad, x, target, moments)) is not None:
        return result
    peaks, sums = moments[..., None]
    probabilities = np.exp((x - peaks) - sums)
    probabilities[np.arange(len(target)), target] -= 1
    probabilities *= grad
    return probabilities


def pick(x: np.ndarray, target: np.ndarray, factor: float, before: int = 0) -> np.ndarray:
    """Return the sum of the scores (N, C, ...) at the classes (N, ...), times `factor`, behind some dimensions."""
    if fast is not None and not before and (result := fast.pick(x, target, factor)) is not None:
        return result
    picked = np.take_along_axis(x, np.expand_dims(target, before + 1), before + 1)
    total = np.add.reduce(picked, axis=tuple(range(before, x.ndim)))
    return as_array(total * factor + 0.0).astype(x.dtype, copy=False)  # no negative zero, as in PyTorch


def put(grad: np.ndarray, factor: float, target: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return zeros with a number times a factor at the classes that `target` gives: the adjoint of `pick`."""
    if fast is not None and (result := fast.put(grad, factor, target, shape)) is not None:
        return result
    result = np.zeros(shape, grad.dtype, like=target)
    np.put_along_axis(result, np.expand_dims(target, 1), grad * factor, 1)
    return result
