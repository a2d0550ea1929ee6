"""Arrays of random numbers, the same as PyTorch's on a CPU from a generator with the same seed.

Every function takes a generator, a shape and a NumPy dtype first, and returns a C-contiguous array. The reference is
PyTorch 2.13 on x86-64 with AVX2; float64 logarithms, exponentials and tangents are the C library's.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.core.kinds import LARGEST
from rushlight.random import libm
from rushlight.random.examples import for_examples
from rushlight.random.generator import Generator, fast
from rushlight.random.names import C_TYPES, FLOATING, NUMBERS, NUMBERS_AND_BOOL, SCALAR_TYPES, require
from rushlight.random.normal import CHUNK, fill_in_pairs, fill_normal, standard_pairs

Shape = tuple[int, ...]
NO_PROBABILITY = "Expected p_in >= 0 && p_in <= 1 to be true, but got false."


def fill(generator: Generator, shape: Shape, dtype: np.dtype, draw: Callable[[int], np.ndarray]) -> np.ndarray:
    """Return an array of the numbers of `draw(count)`, computed in blocks that fit the cache, under one lock."""
    count = math.prod(shape)
    with generator.lock:
        if count <= CHUNK:
            return draw(count).astype(dtype, copy=False).reshape(shape)
        out = np.empty(count, dtype)
        for start in range(0, count, CHUNK):
            part = out[start : start + CHUNK]
            part[...] = draw(part.size)
    return out.reshape(shape)


def made(generator: Generator, shape: Shape, dtype: np.dtype, kernel: Callable[..., None], *parameters: float) -> Any:
    """An array that a kernel has filled with numbers."""
    out = np.empty(shape, dtype)
    with generator.lock:
        kernel(generator.capsule, out, *parameters)
    return out


@for_examples
def uniform(generator: Generator, shape: Shape, dtype: np.dtype, low: float = 0.0, high: float = 1.0) -> np.ndarray:
    """Draw from the uniform distribution on [low, high), as `torch.rand` and `Tensor.uniform_` do.

    `dtype` is float16, float32, float64, complex64 or complex128 (both parts are drawn). Raises RuntimeError if the
    bounds are in the wrong order or out of the range of `dtype`.

    >>> import numpy as np
    >>> from rushlight.random import Generator, distributions
    >>> distributions.uniform(Generator().manual_seed(0), (3,), np.dtype(np.float32))
    array([0.4962566 , 0.7682218 , 0.08847743], dtype=float32)
    """
    if dtype.kind == "c":
        return uniform(generator, (*shape, 2), dtype.type().real.dtype, low, high).view(dtype)[..., 0]
    require(dtype, FLOATING, "check_uniform_bounds")
    draw = generator.uniform64 if dtype == np.float64 else generator.uniform32
    if low == 0 and high == 1 and dtype.itemsize > 2:
        return fill(generator, shape, dtype, draw)
    _check_bounds(dtype, low, high)
    if fast is not None and dtype.itemsize > 2:
        return made(generator, shape, dtype, fast.uniform_between, low, high)
    kind = np.float64 if dtype == np.float64 else np.float32
    width = kind(high) - kind(low)

    def scaled(count: int) -> np.ndarray:
        numbers = libm.fma(draw(count), width, low).astype(dtype, copy=False)
        numbers[numbers == dtype.type(high)] = low
        return numbers

    return fill(generator, shape, dtype, scaled)


def is_filled(array: np.ndarray) -> bool:
    """Whether kernels write numbers over an array."""
    return fast is not None and array.dtype.char in "fd" and array.flags.c_contiguous


def _check_bounds(dtype: np.dtype, low: float, high: float) -> None:
    """Raise PyTorch's error for bounds in the wrong order or out of the dtype's range."""
    largest = LARGEST[dtype]
    for name, bound in (("from", low), ("to", high)):
        if not -largest <= bound <= largest:
            raise RuntimeError(f"{name} is out of bounds for {C_TYPES[dtype]}")
    if not low <= high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
    if high - low > largest:
        raise RuntimeError(
            f"uniform_ expects to-from <= std::numeric_limits<{SCALAR_TYPES[dtype]}>::max(), but found "
            f"to={high:g} and from={low:g} which result in to-from to exceed the limit"
        )


@for_examples
def normal(
    generator: Generator, shape: Shape, dtype: np.dtype, mean: float = 0.0, std: float = 1.0, blocks: bool = True
) -> np.ndarray:
    """Draw from the normal distribution, as `torch.randn` and `Tensor.normal_` do.

    `dtype` is float16, float32, float64, complex64 or complex128; in a complex number each part has half the variance.
    16 and more numbers are drawn in blocks unless `blocks` is False. Raises RuntimeError if `std` is negative.

    >>> import numpy as np
    >>> from rushlight.random import Generator, distributions
    >>> distributions.normal(Generator().manual_seed(0), (3,), np.dtype(np.float32))
    array([ 1.5409961, -0.2934289, -2.1787894], dtype=float32)
    """
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if dtype.kind == "c":
        part = dtype.type().real.dtype
        return normal(generator, (*shape, 2), part, mean, std / math.sqrt(2), blocks).view(dtype)[..., 0]
    require(dtype, FLOATING, "normal_kernel_cpu")
    out = np.empty(shape, dtype)
    fill_normal(generator, out, mean, std, blocks)
    return out


def fill_normal_numbers(array: np.ndarray, generator: Generator, mean: float, std: float) -> bool:
    """Writes normal numbers over a contiguous float32 or float64 array; returns whether it did."""
    if not is_filled(array) or not std >= 0:
        return False
    fill_normal(generator, array, mean, std)
    return True


@for_examples
def log_normal(generator: Generator, shape: Shape, dtype: np.dtype, mean: float = 1.0, std: float = 2.0) -> np.ndarray:
    """Draw from the log-normal distribution, as `Tensor.log_normal_` does.

    `dtype` is float16, float32 or float64. Raises RuntimeError if `std` is not positive.
    """
    _check_spread(dtype, std)
    if fast is not None and dtype.itemsize > 2:
        out = np.empty(shape, dtype)
        fill_log_normal(out, generator, mean, std)
        return out

    def draw(count: int) -> np.ndarray:
        samples = np.array(standard_pairs(generator, count))
        return libm.narrow(libm.exp(libm.fma(samples, std, mean)), dtype)

    return fill(generator, shape, dtype, draw)


def fill_log_normal(array: np.ndarray, generator: Generator, mean: float, std: float) -> bool:
    """Writes log-normal numbers over a contiguous float32 or float64 array; returns whether it did."""
    if not is_filled(array):
        return False
    _check_spread(array.dtype, std)
    with generator.lock:
        fill_in_pairs(generator, array, mean, std, raised=True)
    return True


def _check_spread(dtype: np.dtype, std: float) -> None:
    """Raise PyTorch's error for a standard deviation that is not positive."""
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    require(dtype, FLOATING, "log_normal_cpu")


@for_examples
def exponential(generator: Generator, shape: Shape, dtype: np.dtype, lambd: float = 1.0) -> np.ndarray:
    """Draw from the exponential distribution of rate `lambd`, as `Tensor.exponential_` does.

    `dtype` is float16, float32 or float64. Raises RuntimeError for another dtype and if `lambd` is not
    positive.
    """
    _check_rate(dtype, lambd)
    if fast is not None and dtype.itemsize > 2:
        return made(generator, shape, dtype, fast.exponential_numbers, lambd)

    def draw(count: int) -> np.ndarray:
        return libm.narrow(-1.0 / lambd * libm.log1p(-generator.uniform64(count)), dtype)

    return fill(generator, shape, dtype, draw)


def _check_rate(dtype: np.dtype, lambd: float) -> None:
    """Raise PyTorch's errors for a rate that is not positive and for another dtype."""
    if not lambd > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")
    if dtype not in FLOATING:
        raise RuntimeError(
            "Exponential distribution is a continuous probability distribution. "
            f"dtype must be a floating point but you specified {SCALAR_TYPES.get(dtype, dtype)}"
        )


@for_examples
def cauchy(generator: Generator, shape: Shape, dtype: np.dtype, median: float = 0.0, sigma: float = 1.0) -> np.ndarray:
    """Draw from the Cauchy distribution, as `Tensor.cauchy_` does.

    `dtype` is float16, float32 or float64. Raises RuntimeError for another dtype and if `sigma` is not
    positive.
    """
    _check_width(dtype, median, sigma)
    if fast is not None and dtype.itemsize > 2:
        return made(generator, shape, dtype, fast.cauchy_numbers, median, sigma)

    def draw(count: int) -> np.ndarray:
        slope = libm.tan(math.pi * (generator.uniform64(count) - 0.5))
        return libm.narrow(libm.fma(slope, sigma, median), dtype)

    return fill(generator, shape, dtype, draw)


def _check_width(dtype: np.dtype, median: float, sigma: float) -> None:
    """Raise PyTorch's errors for a width that is not positive and for another dtype."""
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    if dtype not in FLOATING:
        raise RuntimeError(
            "Cauchy distribution is a continuous probability distribution. "
            f"dtype must be a floating point but you specified {C_TYPES.get(dtype, dtype)}"
        )


@for_examples
def geometric(generator: Generator, shape: Shape, dtype: np.dtype, p: float) -> np.ndarray:
    """Draw from the geometric distribution (trials up to the first success), as `Tensor.geometric_` does.

    `dtype` is any floating or integer one. Raises RuntimeError if `p` is not between 0 and 1.
    """
    _check_success(dtype, p)
    if fast is not None and dtype in (np.float32, np.float64):
        return made(generator, shape, dtype, fast.geometric_numbers, p)

    def draw(count: int) -> np.ndarray:
        return libm.narrow(np.ceil(libm.log(generator.uniform64(count)) / math.log1p(-p)), dtype)

    return fill(generator, shape, dtype, draw)


def _check_success(dtype: np.dtype, p: float) -> None:
    """Raise PyTorch's errors for a probability that is not between 0 and 1 and for another dtype."""
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    require(dtype, NUMBERS, "geometric_cpu")


@for_examples
def bernoulli(generator: Generator, shape: Shape, dtype: np.dtype, p: float | np.ndarray = 0.5) -> np.ndarray:
    """Draw ones with probability `p`, else zeros, as `Tensor.bernoulli_` and `torch.bernoulli` do.

    `dtype` is any floating or integer one, or bool. `p` is a number, or a floating array that broadcasts to `shape`; a
    float32 array uses half as many words of the stream. Raises RuntimeError for a probability outside [0, 1].

    >>> import numpy as np
    >>> from rushlight.random import Generator, distributions
    >>> distributions.bernoulli(Generator().manual_seed(0), (6,), np.dtype(np.int64), 0.5)
    array([0, 0, 1, 0, 0, 0])
    """
    if isinstance(p, np.ndarray):
        return _bernoulli_each(generator, shape, dtype, p)
    bound = _bound(dtype, p)
    if fast is not None and dtype.char in "?fd":
        return made(generator, shape, dtype, fast.below, bound)
    return fill(generator, shape, dtype, lambda count: generator.below(bound, count))


def _bound(dtype: np.dtype, p: float) -> int:
    """The number of 53 bits below which a draw is a one; raises PyTorch's errors for no probability, another dtype."""
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    require(dtype, NUMBERS_AND_BOOL, "bernoulli_scalar_cpu_")
    return math.ceil(p * 2**53)


def fill_flips(array: np.ndarray, generator: Generator, p: float | np.ndarray) -> bool:
    """Writes ones, with probability `p`, and zeros over a contiguous array of floats; returns whether it did."""
    if not is_filled(array):
        return False
    if not isinstance(p, np.ndarray):
        bound = _bound(array.dtype, p)
        with generator.lock:
            fast.below(generator.capsule, array, bound)  # type: ignore[union-attr]
        return True
    if p.dtype != array.dtype or p.shape != array.shape or not p.flags.c_contiguous:
        return False
    with generator.lock:
        if not fast.below_each(generator.capsule, array, p):  # type: ignore[union-attr]
            raise RuntimeError(NO_PROBABILITY)
    return True


def _bernoulli_each(generator: Generator, shape: Shape, dtype: np.dtype, p: np.ndarray) -> np.ndarray:
    """Draw ones, each with its own probability."""
    require(dtype, NUMBERS_AND_BOOL, "bernoulli_tensor_cpu_self_")
    require(p.dtype, FLOATING, "bernoulli_tensor_cpu_p_")
    if p.dtype == dtype and p.shape == shape:
        out = np.empty(shape, dtype)
        if fill_flips(out, generator, p):
            return out
    if not ((p >= 0) & (p <= 1)).all():
        raise RuntimeError(NO_PROBABILITY)
    draw = generator.uniform64 if p.dtype == np.float64 else generator.uniform32
    numbers = fill(generator, shape, np.promote_types(p.dtype, np.float32), draw)
    return (numbers < p).astype(dtype)


@for_examples
def dropout_mask(generator: Generator, shape: Shape, dtype: np.dtype, p: float = 0.5) -> np.ndarray:
    """Draw the mask that dropout multiplies its input by: zero with probability `p`, else 1 / (1 - p).

    No random numbers are used if `p` is 0 or 1. `dtype` is float16, float32 or float64. Raises RuntimeError for another
    dtype and if `p` is not from [0, 1].

    >>> import numpy as np
    >>> from rushlight.random import Generator, distributions
    >>> distributions.dropout_mask(Generator().manual_seed(0), (6,), np.dtype(np.float32), 0.5)
    array([0., 0., 2., 0., 0., 0.], dtype=float32)
    """
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")
    if dtype not in FLOATING:
        name = SCALAR_TYPES.get(dtype, dtype)
        raise RuntimeError(f"result type Float can't be cast to the desired output type {name}")
    if p in (0, 1):
        return np.full(shape, 1 - p, dtype)
    kind = np.float64 if dtype == np.float64 else np.float32
    scale = dtype.type(kind(1) / kind(1 - p))
    return np.multiply(bernoulli(generator, shape, np.dtype(np.bool), 1 - p), scale, out=np.empty(shape, dtype))


def filling(check: Callable[..., None], kernel: str) -> Callable[..., bool]:
    """A function that writes numbers over a contiguous float32 or float64 array, and returns whether it did."""

    def fills(array: np.ndarray, generator: Generator, *parameters: float) -> bool:
        if not is_filled(array):
            return False
        check(array.dtype, *parameters)
        with generator.lock:
            getattr(fast, kernel)(generator.capsule, array, *parameters)
        return True

    return fills


FILLS: dict[Any, Callable[..., bool]] = {
    uniform: filling(_check_bounds, "uniform_between"),
    normal: fill_normal_numbers,
    log_normal: fill_log_normal,
    exponential: filling(_check_rate, "exponential_numbers"),
    cauchy: filling(_check_width, "cauchy_numbers"),
    geometric: filling(_check_success, "geometric_numbers"),
    bernoulli: fill_flips,
}
