"""Random integers and permutations, the same as PyTorch's on a CPU."""

from functools import cache, lru_cache

import numpy as np

from rushlight.core.kinds import LARGEST
from rushlight.core.lines import warn
from rushlight.core.narrow import when_served
from rushlight.random.distributions import FILLS, Shape, fill, made
from rushlight.random.examples import for_examples, permutations
from rushlight.random.generator import Generator, fast
from rushlight.random.names import C_TYPES, NUMBERS, NUMBERS_AND_BOOL, SCALAR_TYPES, require
from rushlight.random.normal import CHUNK

LOWEST, HIGHEST = -(2**63), 2**63 - 1
MANY = 2**28  # for so many integers each is drawn from two words
WRITTEN = {np.dtype(kind).char for kind in (np.int64, np.float32, np.float64)}  # dtypes that the kernel writes
DIGITS: dict[np.dtype, int] = {np.dtype(np.float16): 11, np.dtype(np.float32): 24, np.dtype(np.float64): 53}
FEW = 0xFFFFFFFF // 20  # for fewer elements, a 32-bit word is uniform enough for a permutation
LIMITS: dict[np.dtype, tuple[int, str]] = {
    np.dtype(np.float16): (2**11, "2049"),
    np.dtype(np.float32): (2**24, "2^24+1"),
    np.dtype(np.float64): (2**53, "2^53+1"),
}


@when_served
def take(dtype: np.dtype) -> None:
    """Adds bfloat16 to the tables, once ml_dtypes is loaded."""
    if dtype.name == "bfloat16":
        DIGITS[dtype], LIMITS[dtype] = 8, (2**8, "257")


@for_examples
def random_(generator: Generator, shape: Shape, dtype: np.dtype) -> np.ndarray:
    """Draw non-negative integers over the whole range of `dtype`, as `Tensor.random_()` does.

    `dtype` is bool, or a floating or integer one other than uint16, uint32 and uint64.
    """
    require(dtype, NUMBERS_AND_BOOL, "random_kernel_cpu")
    span = np.uint64(_largest(dtype) + 1)
    words = generator.long_words if dtype.itemsize == 8 else generator.words
    return fill(generator, shape, dtype, lambda count: (words(count) % span).astype(_carrier(dtype)))


@for_examples
def randint(generator: Generator, shape: Shape, dtype: np.dtype, low: int = 0, high: int | None = None) -> np.ndarray:
    """Draw integers from [low, high), as `torch.randint` and `Tensor.random_` do; `high=None` means no bound.

    `dtype` is any floating or integer one, or bool. Raises RuntimeError if the interval is empty or out of the dtype's
    range; warns if a floating dtype cannot represent all integers of the interval.

    >>> import numpy as np
    >>> from rushlight.random import Generator, integers
    >>> integers.randint(Generator().manual_seed(0), (5,), np.dtype(np.int64), 0, 10)
    array([4, 9, 3, 0, 3])
    """
    if high is None and low == LOWEST:
        return _all_64_bits(generator, shape, dtype)
    low, count = _interval(dtype, low, high)
    if fast is not None and count < MANY and dtype.char in WRITTEN:
        return made(generator, shape, dtype, fast.integers, count, low)
    span = np.uint64(count)
    words = generator.long_words if count >= MANY else generator.words

    def draw(count: int) -> np.ndarray:
        if fast is not None and span < MANY:
            numbers = np.empty(count, np.int64)
            fast.integers(generator.capsule, numbers, span, low)
            return numbers.astype(_carrier(dtype), copy=False)
        numbers = (words(count) % span).view(np.int64)
        numbers += low
        return numbers.astype(_carrier(dtype))

    return fill(generator, shape, dtype, draw)


@cache
def _largest(dtype: np.dtype) -> int:
    """The largest integer up to which a dtype represents all integers."""
    if dtype in DIGITS:
        return 2 ** DIGITS[dtype]
    return 1 if dtype.kind == "b" else int(np.iinfo(dtype).max)


@cache
def _smallest(dtype: np.dtype) -> int:
    """The smallest number of an integer dtype, or of bool."""
    return 0 if dtype.kind == "b" else int(np.iinfo(dtype).min)


def _carrier(dtype: np.dtype) -> np.dtype:
    """The dtype through which integers are converted to `dtype`: float32 for PyTorch's 16-bit types."""
    return np.dtype(np.float32) if dtype in DIGITS and dtype.itemsize == 2 else dtype


def _all_64_bits(generator: Generator, shape: Shape, dtype: np.dtype) -> np.ndarray:
    """Draw from all 64-bit integers."""
    if dtype not in map(np.dtype, ["i8", "f8", "f4"]) and dtype.name != "bfloat16":
        raise RuntimeError("random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16")
    return fill(generator, shape, dtype, lambda count: generator.long_words(count).view(np.int64))


def fill_integers(array: np.ndarray, generator: Generator, low: int, high: int | None) -> bool:
    """Writes random integers over a contiguous array; returns whether it did."""
    if fast is None or array.dtype.char not in WRITTEN or not array.flags.c_contiguous or high is None:
        return False
    low, count = _interval(array.dtype, low, high)
    if count >= MANY:
        return False
    with generator.lock:
        fast.integers(generator.capsule, array, count, low)
    return True


FILLS[randint] = fill_integers


def _interval(dtype: np.dtype, low: int, high: int | None) -> tuple[int, int]:
    """The smallest integer to draw, and how many there are; raises if they do not fit into 64 bits or `dtype`."""
    if not LOWEST <= low <= HIGHEST or not LOWEST <= (high or 0) <= HIGHEST:
        raise ValueError("Overflow when unpacking long long: bounds lie between -2**63 and 2**63 - 1")
    low, last = _ends(dtype, low, high) if dtype in DIGITS else _whole_ends(dtype, low, high)
    return low, last - low + 1


def _ends(dtype: np.dtype, low: int, high: int | None) -> tuple[int, int]:
    """The smallest and largest integer to draw; raises if `dtype` cannot represent them, and may warn for floats."""
    if high is not None and low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if dtype not in C_TYPES:
        raise RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")
    if dtype in DIGITS:
        return _floating_interval(dtype, low, high)
    last = _largest(dtype) if high is None else high - 1
    _check_held(dtype, low, last, _smallest(dtype), min(_largest(dtype), HIGHEST))
    return low, last


_whole_ends = lru_cache(maxsize=256)(_ends)


def _check_held(dtype: np.dtype, low: int, last: int, smallest: float, largest: float) -> None:
    """Raise PyTorch's error if an end of an interval is out of a dtype's range."""
    for name, end in (("from", low), ("to - 1", last)):
        if not smallest <= end <= largest:
            raise RuntimeError(f"{name} is out of bounds for {C_TYPES[dtype]}")


def _floating_interval(dtype: np.dtype, low: int, high: int | None) -> tuple[int, int]:
    """An interval shrunk so that rounding to a floating dtype cannot lead out of it."""
    digits, largest = DIGITS[dtype], LARGEST[dtype]
    if high is not None and -(1 << digits) <= low < high <= 1 << digits:  # where each integer is a number of the dtype
        return low, high - 1
    after_low = _rounded(dtype, low + 1)
    if after_low < low:
        low = after_low + (1 << abs(low + 1).bit_length() - digits)
    if high is None:
        last = 2**digits
        problem = "less than or equal to 'to_inc' casted to dtype, but got from={} > to_inc={}"
    else:
        before_high = _rounded(dtype, high - 1)
        if before_high >= high:
            high = before_high - (1 << abs(high - 1).bit_length() - digits)
        last = high - 1
        problem = "less than 'to' casted to dtype, but got from={} >= to={}"
    end = last if high is None else high
    if low >= end:
        raise RuntimeError("random_ expects 'from' casted to dtype to be " + problem.format(low, end))
    _check_held(dtype, low, last, -largest, largest)
    for name, edge in (("from", low), ("to - 1", last)):
        if abs(edge) > 2**digits:
            warn(
                f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations "
                f"{C_TYPES[dtype]} can support discrete uniform distribution only within this range.",
            )
    return low, last


def _rounded(dtype: np.dtype, integer: int) -> int:
    """An integer rounded to a floating dtype; the lowest integer if it overflows."""
    if abs(integer) <= 2 ** DIGITS[dtype]:
        return integer
    with np.errstate(over="ignore"):
        value = float(dtype.type(integer))
    return int(value) if np.isfinite(value) else LOWEST


@permutations
def randperm(generator: Generator, n: int, dtype: np.dtype) -> np.ndarray:
    """Draw a permutation of 0 to n - 1, as `torch.randperm` does.

    `dtype` is a floating or integer one that represents them all. Raises RuntimeError otherwise and if `n` < 0.

    >>> import numpy as np
    >>> from rushlight.random import Generator, integers
    >>> integers.randperm(Generator().manual_seed(0), 6, np.dtype(np.int64))
    array([2, 5, 3, 0, 1, 4])
    """
    _check_permutation(n, dtype)
    with generator.lock:
        if fast is not None and n < FEW:
            order = np.empty(n, np.int64)
            fast.permutation(generator.capsule, order)
        else:
            order = _swapped(generator, n)
    return order if order.dtype is dtype else order.astype(_carrier(dtype)).astype(dtype, copy=False)


def _check_permutation(n: int, dtype: np.dtype) -> None:
    """Raise PyTorch's error if `dtype` cannot represent the integers below `n`."""
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    if n >= 2**31:
        raise RuntimeError(f"randperm takes n below 2**31, but got {n}")
    require(dtype, NUMBERS, "randperm")
    if dtype in LIMITS:
        largest, words = LIMITS[dtype]
        if n - 1 > largest:
            raise RuntimeError(f"n cannot be greater than {words} for {SCALAR_TYPES[dtype]} type.")
    elif n - 1 > _largest(dtype):
        raise RuntimeError(f"value cannot be converted to type {dtype}_t without overflow")


def _swapped(generator: Generator, n: int) -> np.ndarray:
    """A permutation computed by row swaps, by LAPACK."""
    from scipy.linalg.lapack import dlaswp  # pyright: ignore

    order = np.arange(n, dtype=np.float64)
    if n > 1:
        dlaswp(order.reshape(-1, 1), _partners(generator, n), overwrite_a=True)
    return order


def _partners(generator: Generator, n: int) -> np.ndarray:
    """The position with which a shuffle swaps each position: the same or a later one, or if n is large an earlier one.

    Both are shuffles of R. Durstenfeld, "Algorithm 235: Random permutation", 1964.
    """
    forward = n < FEW
    partners = np.empty(n - forward, np.int32)
    for start in range(0, partners.size, CHUNK):
        place = np.arange(start, min(start + CHUNK, partners.size), dtype=np.uint64)
        if forward:
            place += generator.words(place.size) % (n - place)
        else:
            place = generator.long_words(place.size) % (place + 1)
        partners[start : start + place.size] = place
    return partners
