"""`torch.quasirandom`: points that fill a cube more evenly than random ones."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.dtypes import dtype as data_type
from rushlight.dtypes import get_default_dtype
from rushlight.ops.making.from_data import from_numpy
from rushlight.ops.randomness.random_tensors import randint
from rushlight.random import Generator
from rushlight.tensors import Tensor

__all__ = ["SobolEngine"]

NUMBERS = Path(str(find_spec("scipy").origin)).parent / "stats" / "_sobol_direction_numbers.npz"  # type: ignore[union-attr]


class SobolEngine:
    """Generates Sobol' sequences in the unit cube of up to 21201 dimensions, with the numbers of S. Joe and F. Kuo.

    With `scramble` they are scrambled (A. Owen, 1998) with random numbers, which `seed` determines if it is given.

    >>> import rushlight as torch
    >>> torch.quasirandom.SobolEngine(2).draw(3)
    tensor([[0.0000, 0.0000],
            [0.5000, 0.5000],
            [0.7500, 0.2500]])
    """

    num_generated: int
    quasi: Tensor

    dimension: int
    scramble: bool
    seed: int | None
    sobolstate: Tensor
    shift: Tensor

    MAXBIT = 30
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None):
        if not 1 <= dimension <= self.MAXDIM:
            raise ValueError(f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]")
        self.dimension, self.scramble, self.seed = dimension, scramble, seed
        directions = direction_numbers(dimension, self.MAXBIT)
        shift = np.zeros(dimension, np.int64)
        if scramble:
            generator = None if seed is None else Generator().manual_seed(seed)
            bits = randint(2, (dimension, self.MAXBIT), generator=generator)._array
            shift = bits @ (1 << np.arange(self.MAXBIT))
            matrices = np.tril(randint(2, (dimension, self.MAXBIT, self.MAXBIT), generator=generator)._array)
            directions = scrambled(directions, matrices)
        self.sobolstate, self.shift = from_numpy(directions), from_numpy(shift)
        self.reset()

    def draw(self, n: int = 1, out: Tensor | None = None, dtype: data_type | None = None) -> Tensor:
        """The next `n` points, (n, dimension), of the default dtype unless another is given."""
        points = self._advance(n) / 2.0**self.MAXBIT
        result = from_numpy(points).to(dtype or get_default_dtype())
        return result if out is None else out.resize_as_(result).copy_(result)

    def draw_base2(self, m: int, out: Tensor | None = None, dtype: data_type | None = None) -> Tensor:
        """The next 2**m points. ValueError unless the total number is a power of 2, which balance requires."""
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(
                f"The balance properties of Sobol' points require n to be a power of 2. {self.num_generated} points "
                f"have been previously generated, then: n={self.num_generated}+2**{m}={total}. If you still want to do "
                "this, please use 'SobolEngine.draw()' instead."
            )
        return self.draw(n, out, dtype)

    def reset(self) -> "SobolEngine":
        """Starts again at the first point, with the same scrambling."""
        self.quasi = self.shift.clone()
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> "SobolEngine":
        """Skips `n` points."""
        self._advance(n)
        return self

    def _advance(self, n: int) -> np.ndarray:
        """The next points as integers: each differs from the previous one by the direction of its lowest zero bit."""
        first = self.num_generated == 0
        before = np.arange(0 if first else self.num_generated - 1, self.num_generated - 1 + n)
        lowest = np.bitwise_count((~before & (before + 1)) - 1)
        steps = self.sobolstate._array.T[lowest]
        points = np.bitwise_xor.accumulate(np.concatenate([self.quasi._array[None], steps]), axis=0)
        self.num_generated += n
        if n:
            self.quasi = from_numpy(points[-1].copy())
        return points if first and n else points[1:]

    def __repr__(self) -> str:
        parts = [f"dimension={self.dimension}", *["scramble=True"] * self.scramble]
        parts += [] if self.seed is None else [f"seed={self.seed}"]
        return f"SobolEngine({', '.join(parts)})"


def direction_numbers(dimension: int, bits: int) -> np.ndarray:
    """The direction numbers, (dimension, bits), computed from the polynomials and initial numbers in SciPy's data."""
    with np.load(NUMBERS) as file:
        polynomials, first = file["poly"][:dimension].astype(np.int64), file["vinit"][:dimension].astype(np.int64)
    numbers = np.ones((dimension, bits), np.int64)
    degrees = np.floor(np.log2(polynomials)).astype(int)
    for degree in np.unique(degrees[1:]):
        rows = np.flatnonzero(degrees == degree)
        rows = rows[rows > 0]
        numbers[rows, :degree] = first[rows, :degree]
        for bit in range(degree, bits):
            new = numbers[rows, bit - degree].copy()
            for k in range(degree):
                there = polynomials[rows] >> (degree - 1 - k) & 1
                new ^= there * (numbers[rows, bit - k - 1] << (k + 1))
            numbers[rows, bit] = new
    return numbers << np.arange(bits - 1, -1, -1)


def scrambled(directions: np.ndarray, matrices: np.ndarray) -> np.ndarray:
    """Direction numbers multiplied by lower triangular bit matrices with unit diagonal, one for each dimension."""
    bits = matrices.shape[-1]
    diagonal = np.arange(bits)
    matrices[:, diagonal, diagonal] = 1
    rows = matrices @ (1 << np.arange(bits - 1, -1, -1))
    odd = np.bitwise_count(rows[:, None, :] & directions[:, :, None]) & 1
    return odd.astype(np.int64) @ (1 << np.arange(bits - 1, -1, -1))


_explain_misses(globals())
