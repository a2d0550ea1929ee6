"""Conversion to other types, and complex numbers of their parts, in both forms: against NumPy."""

import numpy as np
import pytest
from kernels.forms import both_forms

from rushlight.kernels import casts

form = both_forms(casts)
TYPES = ["float32", "float64", "float16", "int32", "int64", "uint8", "int16", "bool", "complex64"]
LAYOUTS = {
    "in order": lambda x: x,
    "transposed": lambda x: x.T,
    "with gaps": lambda x: x[::2, 1:],
    "reversed": lambda x: x[::-1],
    "expanded": lambda x: np.broadcast_to(x[:1], x.shape),
    "empty": lambda x: x[:0],
    "a number": lambda x: x[2, 3],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("given", TYPES)
@pytest.mark.parametrize("wanted", TYPES)
def test_conversion(given, wanted, layout):
    numbers = np.random.default_rng(0).uniform(0, 100, (30, 40))
    numbers[numbers < 20] = 0
    x = LAYOUTS[layout](numbers.astype(given))
    if x.dtype.kind == "c" and wanted != "bool":
        x = x.real
    found = casts.converted(x, np.dtype(wanted))
    assert found.dtype == wanted
    assert found.shape == x.shape
    np.testing.assert_array_equal(found, x.astype(wanted))


@pytest.mark.parametrize("wanted", ["float32", "float64", "float16", "bool"])
def test_conversion_of_special_numbers(wanted):
    x = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-45, -1.5, 70000.0])
    for given in ("float32", "float64"):
        with np.errstate(all="ignore"):
            y = x.astype(given)
            np.testing.assert_array_equal(casts.converted(y, np.dtype(wanted)), y.astype(wanted))


def test_large_arrays():
    x = np.random.default_rng(0).standard_normal(200_001) * 1e3
    for given, wanted in (("float64", "int64"), ("float64", "float32"), ("float32", "bool"), ("float32", "int32")):
        y = x.astype(given)
        np.testing.assert_array_equal(casts.converted(y, np.dtype(wanted)), y.astype(wanted))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(3,), (2, 5), (300, 301)], ids=str)
def test_complex_numbers_of_their_parts(form, shape, dtype):
    real, imag = np.random.default_rng(0).standard_normal((2, *shape)).astype(dtype)
    real.flat[0], imag.flat[0] = np.nan, -0.0
    found = casts.complex_of(real, imag)
    if form == "numpy":
        assert found is None
        return
    assert found.dtype == (1j * real).dtype
    assert found.real.tobytes() == real.tobytes()
    assert found.imag.tobytes() == imag.tobytes()
    assert casts.complex_of(real, imag[:1]) is None
    assert casts.complex_of(real, imag.astype("f2")) is None


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_parts_in_other_orders(form, dtype):
    real, imag = np.random.default_rng(0).standard_normal((2, 30, 20, 4)).astype(dtype)
    turned = [np.ascontiguousarray(x.T).T for x in (real, imag)]
    for parts in ((turned[0], imag), (real, turned[1]), turned, (real[:, ::2], imag[:, ::2])):
        found = casts.complex_of(*parts)
        if form == "numpy":
            assert found is None
        elif found is not None:
            np.testing.assert_array_equal(found.real, parts[0])
            np.testing.assert_array_equal(found.imag, parts[1])
        if parts[0].flags.forc and form != "numpy":
            assert found.flags.f_contiguous
