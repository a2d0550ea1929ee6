"""Fourier transforms without the Python around them: as `np.fft` computes them, and never by it."""

import subprocess
import sys
from itertools import permutations

import numpy as np
import pytest

from rushlight.fft import pocketfft

NORMS = "backward", "ortho", "forward"
NAMES = "fft", "ifft", "rfft", "irfft"


def numbers(shape, dtype):
    """Normal numbers, complex ones where the type is."""
    made = np.random.default_rng(0).standard_normal((2, *shape))
    return (made[0] + 1j * made[1] if np.dtype(dtype).kind == "c" else made[0]).astype(dtype)


def cases(shape, dtype):
    """Transforms of an array over all dimensions, in all orders and norms: NumPy's, and the same here."""
    x = numbers(shape, dtype)
    for norm in NORMS:
        for dims in [dims for count in range(1, len(shape) + 1) for dims in permutations(range(len(shape)), count)]:
            for more in (-1, 0, 2):
                sizes = tuple(shape[dim] + more for dim in dims)
                yield np.fft.fftn, lambda *rest: pocketfft.transform(*rest, True), (x, sizes, dims, norm)
                yield np.fft.ifftn, lambda *rest: pocketfft.transform(*rest, False), (x, sizes, dims, norm)
                if x.dtype.kind == "c":
                    yield np.fft.irfftn, pocketfft.from_half_spectrum, (x, sizes, dims, norm)
                if x.dtype.kind == "f":
                    yield np.fft.rfftn, pocketfft.half_spectrum, (x, sizes, dims, norm)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape", [(7,), (8,), (5, 3, 4), (8200,), (7001,), (260, 270), (41, 5, 43)], ids=str)
def test_the_same_as_numpy_and_at_once(monkeypatch, shape, dtype):
    if pocketfft.functions() is None:
        pytest.skip("SciPy's functions are not there")
    expected = [(function, args, numpys(*args)) for numpys, function, args in cases(shape, dtype)]
    for name in NAMES:
        monkeypatch.setattr(np.fft, name, None)
    single = dtype in ("float32", "complex64")
    for function, args, wanted in expected:
        found = function(*args)
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, rtol=1e-4 if single else 1e-9, atol=1e-3 if single else 1e-9)


@pytest.mark.parametrize("shape", [(4, 6), (90, 60)], ids=str)
def test_without_scipys_functions_numpy_is_asked(monkeypatch, shape):
    monkeypatch.setattr(pocketfft, "functions", lambda: None)
    for numpys, function, args in cases(shape, "float64"):
        np.testing.assert_array_equal(function(*args), numpys(*args))


def test_scipy_finds_its_functions_loaded():
    program = (
        "import sys; from rushlight.fft import pocketfft; found = pocketfft.functions();"
        "assert found is None or 'scipy' not in sys.modules;"
        "from scipy.fft._pocketfft import pypocketfft; assert found is None or pypocketfft is found"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_what_lies_otherwise():
    x = numbers((4, 6), "complex64").T
    np.testing.assert_allclose(pocketfft.transform(x, (6,), (0,), "backward", True), np.fft.fft(x, axis=0), rtol=1e-4)
