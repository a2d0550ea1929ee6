"""Fourier transforms without the Python around them: few elements have the very bits of `np.fft`, and never by it."""

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
                if x.dtype.kind == "c" or x.size < pocketfft.MANY:
                    yield np.fft.irfftn, pocketfft.from_half_spectrum, (x, sizes, dims, norm)
                if x.dtype.kind == "f":
                    yield np.fft.rfftn, pocketfft.half_spectrum, (x, sizes, dims, norm)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape", [(7,), (8,), (5, 3, 4)], ids=str)
def test_the_same_as_numpy_and_at_once(monkeypatch, shape, dtype):
    expected = [(function, args, numpys(*args)) for numpys, function, args in cases(shape, dtype)]
    for name in NAMES:
        monkeypatch.setattr(np.fft, name, None)
    for function, args, wanted in expected:
        found = function(*args)
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)


def test_without_the_ufuncs_numpy_is_asked(monkeypatch):
    monkeypatch.setattr(pocketfft, "UFUNCS", None)
    pocketfft.form.cache_clear()
    for numpys, function, args in cases((4, 6), "float64"):
        np.testing.assert_array_equal(function(*args), numpys(*args))
    pocketfft.form.cache_clear()


def test_what_lies_otherwise_is_left_to_numpy():
    x = numbers((4, 6), "complex64").T
    np.testing.assert_array_equal(pocketfft.transform(x, (6,), (0,), "backward", True), np.fft.fft(x, axis=0))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape", [(8200,), (7001,), (260, 270), (41, 5, 43)], ids=str)
def test_many_elements_are_transformed_at_once(monkeypatch, shape, dtype):
    expected = [(function, args, numpys(*args)) for numpys, function, args in cases(shape, dtype)]
    monkeypatch.setattr(pocketfft, "line", None)
    single = dtype in ("float32", "complex64")
    for function, args, wanted in expected:
        found = function(*args)
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, rtol=1e-4 if single else 1e-9, atol=1e-3 if single else 1e-9)


def test_without_scipys_functions_numpy_transforms_many_elements(monkeypatch):
    monkeypatch.setattr(pocketfft, "of_many", lambda: None)
    for numpys, function, args in cases((90, 60), "float64"):
        np.testing.assert_array_equal(function(*args), numpys(*args))
