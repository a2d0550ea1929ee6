"""What the letters in table.txt stand for: arrays of about `n` elements, the same numbers for every library."""

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

BOUNDS = 0.05, 0.95  # of what lies between 0 and 1
LARGEST_SIDE = 256  # of matrices that are factorized
FEW_CLASSES = 9


class Inputs:
    """Makes arrays of about n elements in a float dtype; those of a name are the same at every call."""

    def __init__(self, n: int, dtype: str):
        self.n, self.dtype = n, np.dtype(dtype)
        self.side = math.isqrt(n)
        self.generator = np.random.default_rng(0)

    def normal(self, *shape: int) -> np.ndarray:
        """Normal numbers."""
        return self.generator.standard_normal(shape, self.dtype)

    def between(self, *shape: int) -> np.ndarray:
        """Numbers between 0 and 1."""
        return self.generator.uniform(*BOUNDS, shape).astype(self.dtype)

    def below(self, high: int, *shape: int) -> np.ndarray:
        """Whole numbers from 0 to below `high`."""
        return self.generator.integers(0, high, shape)

    def definite(self, *shape: int) -> np.ndarray:
        """Positive definite matrices."""
        x = self.normal(*shape)
        return x @ np.swapaxes(x, -1, -2) / self.dtype.type(shape[-1]) + np.eye(shape[-1], dtype=self.dtype)

    def images(self) -> tuple[int, ...]:
        """Samples, channels, height and width."""
        return {100: (1, 1, 10, 10), 10_000: (4, 4, 25, 25)}.get(self.n, (16, 16, 64, max(self.n // 16_384, 1)))

    def make(self, name: str) -> np.ndarray | list:
        """The input of a name."""
        self.generator = np.random.default_rng(list(name.encode()))
        return MAKERS[name](self)


def square(made: Inputs) -> int:
    """The side of a matrix that is factorized."""
    return min(made.side, LARGEST_SIDE)


def cells(made: Inputs) -> tuple[int, int]:
    """The shape of a matrix."""
    return made.side, made.side


def filters(made: Inputs, *shape: int) -> np.ndarray:
    """Weights from the images' channels to as many."""
    channels = made.images()[1]
    return made.normal(channels, channels, *shape)


MAKERS: dict[str, Callable[[Inputs], np.ndarray | list]] = {
    # matrices of numbers
    "x": lambda made: made.normal(*cells(made)),
    "y": lambda made: made.normal(*cells(made)),
    "z": lambda made: made.normal(*cells(made)),
    "p": lambda made: made.between(*cells(made)),
    "q": lambda made: made.between(*cells(made)),
    "row": lambda made: made.normal(1, made.side),
    "column": lambda made: made.normal(made.side, 1),
    "signs": lambda made: np.sign(made.normal(*cells(made))),
    "pairs": lambda made: made.normal(made.side, made.side // 2, 2),
    "table": lambda made: made.normal(made.side, 16),
    "w1": lambda made: made.between(1),
    "wr": lambda made: made.between(made.side),
    # vectors and lists
    "v": lambda made: made.normal(made.n),
    "u": lambda made: made.normal(made.n),
    "ones": lambda made: np.ones(made.side, made.dtype),
    "hann": lambda made: np.hanning(16).astype(made.dtype),
    "ordered": lambda made: np.sort(made.normal(made.side)),
    "edges": lambda made: np.linspace(-2, 2, 20, dtype=made.dtype),
    "awkward": lambda made: made.normal({100: 101, 10_000: 10_007}.get(made.n, made.n + 3)),
    "many": lambda made: list(made.normal(100, max(made.n // 100, 1))),
    "listed": lambda made: made.normal(min(made.n, 10_000)).tolist(),
    "points": lambda made: made.normal(made.n // 3, 3),
    # whole numbers and truths
    "i": lambda made: made.below(made.side, *cells(made)),
    "j": lambda made: made.below(made.side, *cells(made)),
    "keys": lambda made: made.below(made.side, made.side),
    "few": lambda made: made.below(made.side, FEW_CLASSES),
    "ordinal": lambda made: made.generator.permutation(made.side),
    "b": lambda made: made.normal(*cells(made)) > 0,
    "c": lambda made: made.normal(*cells(made)) > 0,
    # matrices that are factorized or multiplied
    "s": lambda made: made.normal(square(made), square(made)),
    "d": lambda made: made.definite(square(made), square(made)),
    "l": lambda made: np.linalg.cholesky(made.definite(square(made), square(made))),
    "r": lambda made: made.normal(square(made), 3),
    "batch": lambda made: made.normal(max(made.n // 100, 1), 10, 10),
    "tiny": lambda made: made.normal(made.n // 9, 3, 3),
    "tinyd": lambda made: made.definite(made.n // 9, 3, 3),
    "cube": lambda made: made.normal(4, made.side, made.side),
    "heads": lambda made: made.normal(*{100: (1, 2, 5, 10), 10_000: (2, 4, 25, 50)}.get(made.n, (4, 8, 500, 64))),
    # images
    "images": lambda made: made.normal(*made.images()),
    "signals": lambda made: made.normal(*made.images()[:2], made.n // math.prod(made.images()[:2])),
    "volumes": lambda made: made.normal(*made.images()[:2], 4, *(n // 2 for n in made.images()[2:])),
    "kernel1": lambda made: filters(made, 3),
    "kernel2": lambda made: filters(made, 3, 3),
    "kernel3": lambda made: filters(made, 3, 3, 3),
    "depthwise": lambda made: made.normal(made.images()[1], 1, 3, 3),
    "pointwise": lambda made: filters(made, 1, 1),
    "grid": lambda made: made.between(made.images()[0], *made.images()[2:], 2) * 2 - 1,
    "affine": lambda made: made.normal(made.images()[0], 2, 3),
}


@lru_cache(maxsize=40)
def arrays_of(name: str, n: int, dtype: str) -> np.ndarray | list:
    """The input of a name, kept: it is not to be written to."""
    return Inputs(n, dtype).make(name)
