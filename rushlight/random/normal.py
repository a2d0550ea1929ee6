"""The normal distribution as PyTorch draws it: in pairs for fewer than 16 numbers, else in blocks of 16.

Both use the transform of G. E. P. Box and M. E. Muller, "A note on the generation of random normal deviates", 1958.
"""

import math

import numpy as np

from rushlight.random import cephes, libm
from rushlight.random.generator import Generator, fast

CHUNK = 65536  # numbers at a time, so few that they fit the cache


def fill_normal(generator: Generator, array: np.ndarray, mean: float, std: float, blocks: bool = True) -> None:
    """Fill a contiguous array of float16, float32 or float64 with normal numbers."""
    by_kernel, in_blocks = fast is not None and array.itemsize > 2, blocks and array.size >= 16
    with generator.lock:
        if by_kernel and in_blocks:
            fast.normal(generator.capsule, array, mean, std)  # type: ignore[union-attr]
        elif by_kernel:
            fill_in_pairs(generator, array, mean, std)
        elif in_blocks:
            _fill_blocks(generator, array.reshape(-1), mean, std)
        else:
            samples = libm.fma(np.array(standard_pairs(generator, array.size)), std, mean)
            array.reshape(-1)[:] = libm.narrow(samples, array.dtype)


def fill_in_pairs(generator: Generator, array: np.ndarray, mean: float, std: float, raised: bool = False) -> None:
    """Has the kernel fill a contiguous array with normal numbers, or their exponentials. The caller holds the lock."""
    kept = generator.next_double_normal_sample
    generator.next_double_normal_sample = fast.paired_normals(  # type: ignore[union-attr]
        generator.capsule, array, kept, mean, std, raised
    )


def standard_pairs(generator: Generator, count: int) -> list[float]:
    """Standard normal numbers, drawn in pairs; an odd one is kept for the next call. The caller holds the lock."""
    kept = generator.next_double_normal_sample
    samples = [] if kept is None or not count else [kept]
    samples += _new_pairs(generator, (count - len(samples) + 1) // 2)
    if count:
        generator.next_double_normal_sample = samples.pop() if len(samples) > count else None
    return samples


def _new_pairs(generator: Generator, count: int) -> list[float]:
    """Normal numbers in new pairs."""
    if fast is not None:
        out = np.empty(2 * count)
        fast.pairs(generator.capsule, out)
        return out.tolist()
    samples = []
    words = iter(generator.words(count * 4).tolist())
    for high1, low1, high2, low2 in zip(words, words, words, words, strict=True):
        angle = 2 * math.pi * (((high1 & 0x1FFFFF) << 32 | low1) * 2**-53)
        radius = math.sqrt(-2 * math.log1p(-((high2 & 0x1FFFFF) << 32 | low2) * 2**-53))
        samples.append(radius * math.cos(angle))
        samples.append(radius * math.sin(angle))
    return samples


def _fill_blocks(generator: Generator, flat: np.ndarray, mean: float, std: float) -> None:
    """Fill blocks of 16; if the last one is incomplete, the last 16 numbers are drawn again."""
    uniform = generator.uniform64 if flat.dtype == np.float64 else generator.uniform32
    rest = flat.size % 16
    for start in range(0, flat.size - rest, CHUNK):
        part = flat[start : min(start + CHUNK, flat.size - rest)]
        part[...] = _box_muller(uniform(part.size), mean, std)
    if rest:
        if flat.itemsize > 2:
            uniform(rest)
        flat[-16:] = _box_muller(uniform(16), mean, std)


def _box_muller(uniform: np.ndarray, mean: float, std: float) -> np.ndarray:
    """Convert each 8 + 8 uniform numbers to 8 + 8 normal ones."""
    first, second = uniform.reshape(-1, 2, 8).swapaxes(0, 1).reshape(2, -1)
    if uniform.dtype == np.float32:
        log, normal = cephes.log, cephes.cosine_sine(second)
    else:
        angle = second * (2 * math.pi)
        log, normal = libm.log, np.stack([np.cos(angle), np.sin(angle)])
    normal *= np.sqrt(log(1 - first) * -2)
    return libm.fma(normal, std, mean).reshape(2, -1, 8).swapaxes(0, 1).reshape(-1)
