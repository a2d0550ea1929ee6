"""The namespace beside `array_api_strict`, which has what the standard says and nothing else.

What that refuses is left open by the standard, and is not compared; where PyTorch's rules contradict is in
docs/arrays.md, and left out here by `contradicts`.
"""

from pathlib import Path

import numpy as np
import pytest

import rushlight as torch

strict = pytest.importorskip("array_api_strict")

xp = torch.ones(1).__array_namespace__()
SIGNED, UNSIGNED = ["int8", "int16", "int32", "int64"], ["uint8", "uint16", "uint32", "uint64"]
DTYPES = ["bool", *SIGNED, *UNSIGNED, "float32", "float64", "complex64", "complex128"]
SHAPES = [(), (3,), (2, 3), (0, 3), (2, 1, 3)]
CALLS = Path(__file__).with_name("strict_calls.txt").read_text().splitlines()
UNARY = (
    "abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag isfinite isinf isnan "
    "log log1p log2 log10 logical_not negative positive real reciprocal round sign signbit sin sinh sqrt square tan "
    "tanh trunc"
).split()
BINARY = (
    "add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide equal "
    "floor_divide greater greater_equal hypot less less_equal logaddexp logical_and logical_or logical_xor maximum "
    "minimum multiply nextafter not_equal pow remainder subtract"
).split()
REDUCTIONS = "all any argmax argmin count_nonzero max mean min prod std sum var".split()


def data(dtype, shape, seed=0):
    """Numbers of a dtype, of both signs where it has them."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0 if dtype[0] in "ub" else -5, 2 if dtype == "bool" else 9, shape)
    imaginary = 1j * rng.standard_normal(shape) if dtype.startswith("complex") else 0
    return np.asarray(numbers + (rng.random(shape) if dtype[0] in "fc" else 0) + imaginary).astype(dtype)


def small(dtype, shape):
    """Numbers from 1 to 4 to divide by, to raise to, and to shift by."""
    return np.asarray(np.abs(data(dtype, shape, 1).real) % 4 + 1).astype(dtype)


def plain(value):
    """A result as NumPy's arrays, or as it is."""
    if isinstance(value, (tuple, list)):
        return [plain(part) for part in value]
    return value.numpy() if isinstance(value, torch.Tensor) else getattr(value, "_array", value)


def contradicts(name, dtype):
    """Whether PyTorch's dtype of a result is another than the standard's."""
    return dtype in UNSIGNED and name in ("sum", "prod", "cumulative_sum", "cumulative_prod")


def compare(call, *arrays):
    """Compares a call in both namespaces, where the standard has it; tells whether it has."""
    try:
        expected = plain(call(strict, *[strict.asarray(x) for x in arrays]))
    except Exception:
        return False
    found = plain(call(xp, *[xp.asarray(x) for x in arrays]))
    for ours, theirs in zip(*[x if isinstance(x, list) else [x] for x in (found, expected)], strict=True):
        assert np.asarray(ours).dtype == np.asarray(theirs).dtype
        single = np.asarray(theirs).dtype in (np.float32, np.complex64)
        np.testing.assert_allclose(ours, theirs, rtol=1e-4 if single else 1e-9, atol=1e-5 if single else 1e-10)
    return True


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_array(name):
    call = lambda m, x: getattr(m, name)(x)
    assert sum(compare(call, data(dtype, shape)) for dtype in DTYPES for shape in SHAPES)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_arrays(name):
    call = lambda m, x, y: getattr(m, name)(x, y)
    shapes = [((), (3,)), ((3,), (3,)), ((2, 1, 3), (2, 3)), ((0, 3), (1, 3))]
    assert sum(compare(call, data(dtype, a), small(dtype, b)) for dtype in DTYPES for a, b in shapes)
    pairs = [("int8", "int32"), ("uint8", "int8"), ("float32", "float64"), ("float32", "complex64")]
    for a, b in pairs:
        compare(call, data(a, (3,)), small(b, (3,)))
    for dtype in DTYPES:
        for number in (2, 2.5, True):
            compare(lambda m, x, number=number: getattr(m, name)(x, number), data(dtype, (3,)))
            compare(lambda m, x, number=number: getattr(m, name)(number, x), small(dtype, (3,)))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name):
    compared = 0
    for dtype in [dtype for dtype in DTYPES if not contradicts(name, dtype)]:
        for shape in [(), (3,), (2, 3), (2, 1, 3), (0, 3)]:
            for axis in (None, 0, -1, (0, 1), ()):
                for keepdims in (False, True):
                    options = {"axis": axis, "keepdims": keepdims}
                    call = lambda m, x, options=options: getattr(m, name)(x, **options)
                    compared += compare(call, data(dtype, shape))
    assert compared


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", CALLS)
def test_calls(expression):
    call = lambda m, x: eval(expression, {"m": m, "x": x})
    own = [
        dtype for dtype in DTYPES if not any(contradicts(word, dtype) for word in expression.split("(")[0].split("."))
    ]
    assert sum(compare(call, data(dtype, shape)) for dtype in own for shape in SHAPES)
