"""Drawing indices by weights, the same as PyTorch's on a CPU."""

import numpy as np

from rushlight.kernels.ranking import first_along
from rushlight.random.distributions import exponential
from rushlight.random.generator import Generator
from rushlight.random.names import FLOATING, SCALAR_TYPES
from rushlight.random.placement import drawn_like

MOST_CATEGORIES = 2**24


def multinomial(generator: Generator, weights: np.ndarray, num_samples: int, replacement: bool = False) -> np.ndarray:
    """Draw `num_samples` indices from each row of a one- or two-dimensional floating array of weights.

    Returns int64 indices, in the shape of `weights` with `num_samples` as the last size. Raises RuntimeError if the
    weights are negative, not finite or all zero, or fewer than the samples. Without replacement, indices that tie (such
    as those of weight zero) are in ascending order; PyTorch leaves their order open.

    >>> import numpy as np
    >>> from rushlight.random import Generator
    >>> from rushlight.random.multinomial import multinomial
    >>> multinomial(Generator().manual_seed(0), np.array([0.0, 10.0, 3.0, 0.0], np.float32), 2)
    array([1, 2])
    """
    _check(weights, num_samples, replacement)
    if weights.shape[:-1] == (0,):
        return np.empty((0, num_samples), np.int64)
    if replacement and num_samples > 1:
        return _by_inversion(generator, weights, num_samples)
    return _by_race(generator, weights, num_samples)


def _check(weights: np.ndarray, num_samples: int, replacement: bool) -> None:
    """Raise PyTorch's errors about the arguments."""
    if weights.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if weights.dtype not in FLOATING:
        name = SCALAR_TYPES.get(weights.dtype, weights.dtype)
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {name}")
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > weights.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if weights.shape[-1] > MOST_CATEGORIES:
        raise RuntimeError("number of categories cannot exceed 2^24")


def _by_inversion(generator: Generator, weights: np.ndarray, num_samples: int) -> np.ndarray:
    """With replacement: the position of uniform numbers among the cumulative weights."""
    for valid, entry in ((weights >= 0, "< 0"), (np.isfinite(weights), "= infinity or NaN")):
        if not valid.all():
            raise RuntimeError(f"invalid multinomial distribution (encountering probability entry {entry})")
    rows = np.atleast_2d(weights)
    cumulative = np.cumsum(rows, axis=1, dtype=np.promote_types(weights.dtype, np.float32))
    if not rows.size or not (cumulative[:, -1] > 0).all():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    cumulative /= cumulative[:, -1:].copy()
    with generator.lock:
        uniform = generator.uniform64(len(rows) * num_samples).reshape(-1, num_samples)
    indices = [np.searchsorted(row.astype(np.float64), u) for row, u in zip(cumulative, uniform, strict=True)]
    return np.array(indices, np.int64).reshape(*weights.shape[:-1], num_samples)


def _by_race(generator: Generator, weights: np.ndarray, num_samples: int) -> np.ndarray:
    """Without replacement: the indices with the smallest exponential random numbers, of rates `weights`."""
    if not ((weights >= 0) & (weights < np.inf)).all():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not weights.sum(axis=-1, dtype=np.float64).all():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    keys = weights / drawn_like(weights, exponential, generator)
    if num_samples == 1:
        return np.argmax(keys, axis=-1, keepdims=True)
    if (first := first_along(keys, num_samples, keys.ndim - 1, True)) is not None:
        return first[1]
    return np.argsort(-keys, axis=-1, kind="stable")[..., :num_samples].copy()
