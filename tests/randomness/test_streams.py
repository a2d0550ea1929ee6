"""Our random numbers are PyTorch's, to the last bit, over several draws from one generator."""

import platform
from pathlib import Path

import numpy as np
import pytest
from randomness.cases import CASES, LONG_SIZES, SEEDS, SIZES, Case

from rushlight.random import Generator

NEEDS_C_LIBRARY = (
    "normal-float64",
    "normal-complex128",
    "log_normal",
    "exponential-float64",
    "cauchy-float64",
)
ELSEWHERE = platform.libc_ver()[0] != "glibc"  # another C library may differ in the last bit

by_name = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@pytest.fixture(scope="module")
def golden() -> dict[str, np.ndarray]:
    with np.load(Path(__file__).with_name("golden.npz")) as file:
        return dict(file)


def assert_same(case: Case, actual: np.ndarray, expected: np.ndarray) -> None:
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    assert actual.flags.c_contiguous
    if ELSEWHERE and case.name.startswith(NEEDS_C_LIBRARY):
        np.testing.assert_array_max_ulp(actual.view(actual.real.dtype), expected.view(actual.real.dtype), 2)
    else:
        assert actual.tobytes() == expected.tobytes()


@by_name
def test_recorded_numbers(case: Case, golden: dict[str, np.ndarray]) -> None:
    for seed, expected in zip(SEEDS, golden[case.name], strict=True):
        generator = Generator().manual_seed(seed)
        assert_same(case, np.concatenate([case.ours(generator, n).ravel() for n in SIZES]), expected)


@by_name
def test_live_numbers(case: Case) -> None:
    torch = pytest.importorskip("torch")
    ours, theirs = Generator().manual_seed(-5), torch.Generator().manual_seed(-5)
    for n in (*SIZES, *(n for n in LONG_SIZES if fits(case.name, n))):
        assert_same(case, case.ours(ours, n), case.theirs(torch, theirs, n).numpy())
        assert ours._state_array().tobytes() == theirs.get_state().numpy().tobytes()


def fits(name: str, n: int) -> bool:
    """Whether a case takes n numbers: uint8 holds no long permutation, PyTorch leaves ties in any order."""
    return name != "randperm-uint8" and (n <= 1000 or "multinomial-float32" not in name or "False-3" not in name)
