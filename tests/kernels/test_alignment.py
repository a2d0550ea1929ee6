"""Arrays' memory begins where a cache line does, and survives what NumPy does with memory."""

import subprocess
import sys

import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels.compiled import load

MAKERS = {
    "empty": np.empty,
    "zeros": np.zeros,
    "a sum": lambda n: np.ones(n) + 1,
    "random": lambda n: torch.rand(n).numpy(),
    "a product": lambda n: (torch.ones(n) * 2).numpy(),
}


@pytest.mark.skipif(load("alignment") is None, reason="only the compiled allocator aligns")
@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("size", [128, 1000, 5000, 1 << 21])
def test_arrays_begin_at_a_line_of_the_cache(name, size):
    kept = [MAKERS[name](size) for _ in range(9)]
    assert {array.ctypes.data % 64 for array in kept} == {0}


def test_zeros_are_zeros_in_used_memory():
    for size in (3, 100, 5000):
        np.full(size, 7.0)
        assert not np.zeros(size).any()


@pytest.mark.parametrize("seed", range(9))
def test_resized_arrays_keep_their_elements(seed):
    sizes = np.random.default_rng(seed).integers(0, 3000, 30)
    array, length = np.arange(100.0), 100
    for size in sizes:
        array.resize(size, refcheck=False)
        length = min(length, size)
        assert np.array_equal(array[:length], np.arange(length))
        assert not array[length:].any()


PROGRAM = """
import numpy as np
before = np.arange(5000.0)
import rushlight
before.resize(9000, refcheck=False)
print(before[4999], (before + 1)[-1])
del before
"""


def test_arrays_from_before_are_freed_by_who_made_them():
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert run.stdout == "4999.0 1.0\n"
