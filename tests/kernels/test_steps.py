"""Arrays that are filled, and numbers in even steps: the compiled kernel gives what NumPy gives."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels import steps

SIZES = [0, 1, 3, 5000, 70_001]
needs_compiled = pytest.mark.skipif(steps.fast is None, reason="nothing was compiled")


def plain(monkeypatch, function):
    """What a function gives without the compiled kernel."""
    with monkeypatch.context() as patched:
        patched.setattr(steps, "fast", None)
        return function()


@needs_compiled
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("float32", 1.1),
        ("float64", np.nan),
        ("float16", -2.5),
        ("int64", -3),
        ("int8", 7),
        ("bool", 5),
        ("complex64", 1 - 2j),
        ("complex128", 0),
    ],
)
def test_an_array_is_filled(dtype, value, n):
    found = np.ones((n, 2), dtype)
    steps.fill(found, value)
    assert np.array_equal(found, np.full((n, 2), value, dtype), equal_nan=np.dtype(dtype).kind in "fc")


def test_what_has_gaps_is_filled_within_its_bounds():
    around = np.zeros((300, 300))
    steps.fill(around[1:-1, 1:-1], 2.0)
    assert around.sum() == 2 * 298**2
    assert not around[0].any()
    assert not around[:, -1].any()


@needs_compiled
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("first", "step", "origin"), [(0.1, 0.3, 0), (-7.0, 1e-3, -12), (2.5, -1 / 3, 5)])
def test_even_steps_are_rounded_once(monkeypatch, first, step, origin, dtype, n):
    found, expected = np.empty(n, dtype), np.empty(n, dtype)
    steps.count_up(found, first, step, origin)
    plain(monkeypatch, lambda: steps.count_up(expected, first, step, origin))
    assert found.tobytes() == expected.tobytes()


@needs_compiled
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int32, torch.float16])
@pytest.mark.parametrize("n", [0, 1, 2, 7, 100, 40_001])
def test_ranges_have_the_bits_that_numpy_gives(monkeypatch, dtype, n):
    calls = [
        lambda: torch.linspace(-1, 3, n, dtype=dtype),
        lambda: torch.linspace(5, 0.25, n, dtype=dtype) if dtype.is_floating_point else torch.ones(1),
        lambda: torch.arange(0.5, 0.5 + n / 8, 1 / 8, dtype=dtype),
        lambda: torch.arange(n, dtype=dtype),
        lambda: torch.full((n, 3), 2, dtype=dtype),
    ]
    for call in calls:
        assert call().numpy().tobytes() == plain(monkeypatch, call).numpy().tobytes()


@pytest.mark.parametrize("dtype", ["bool", "int64", "float32", "complex128"])
@pytest.mark.parametrize("shape", [(), (3, 0), (7, 5), (1200, 1100)])
def test_zeros(shape, dtype):
    found = steps.zeros(shape, np.ones(2, dtype))
    assert found.dtype == dtype
    assert np.array_equal(found, np.zeros(shape, dtype))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(("first", "step"), [(0, 1), (-7, 3), (5, -(2**40)), (2**63 - 1, -1), (-(2**63), 2**40)])
def test_integers_in_even_steps(first, step, n):
    found = steps.integers(first, step, n)
    assert found.dtype == np.int64
    assert found.tolist() == [first + i * step for i in range(n)]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("n", [2, 3, 10, 70_001])
def test_half_of_evenly_spaced_numbers_is_counted_from_the_end(monkeypatch, n, dtype):
    found, expected = np.empty(n, dtype), np.empty(n, dtype)
    steps.evenly(found, 0.1, 7.3)
    plain(monkeypatch, lambda: steps.evenly(expected, 0.1, 7.3))
    assert found.tobytes() == expected.tobytes()
    assert found[-1] == np.dtype(dtype).type(7.3)
