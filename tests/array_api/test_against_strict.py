"""The namespace beside `array_api_strict`, which has what the standard says and nothing else.

What that refuses is left open by the standard, and is not compared; where PyTorch's rules contradict is in
docs/arrays.md, and left out here by `contradicts`.
"""

import contextlib
import inspect
from itertools import product
from operator import attrgetter
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


@pytest.fixture(autouse=True)
def doubles():
    """The standard's default dtype, which is that of `array_api_strict`, in place of PyTorch's."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


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
    return value.resolve_conj().numpy() if isinstance(value, torch.Tensor) else getattr(value, "_array", value)


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
        assert (np.asarray(ours).dtype, np.shape(ours)) == (np.asarray(theirs).dtype, np.shape(theirs))
        if np.asarray(theirs).dtype.kind not in "fc":
            assert np.array_equal(ours, theirs)
            continue
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
    words = expression.split("(")[0].split(".")
    own = [dtype for dtype in DTYPES if "dtype=" in expression or not any(contradicts(w, dtype) for w in words)]
    assert sum(compare(call, data(dtype, shape)) for dtype in own for shape in SHAPES)


ABSENT = set()


def functions():
    """The names of the standard's functions, and their parameters that can be given by name."""
    for home in ("", "linalg.", "fft."):
        namespace = getattr(strict, home[:-1]) if home else strict
        for name in namespace.__all__:
            function = getattr(namespace, name)
            if inspect.isfunction(function) and "strict_flags" not in name:
                parameters = inspect.signature(function).parameters.values()
                yield home + name, [p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)]


def test_all_functions_and_arguments_are_called():
    """Every function of the standard is in a list here, and every argument of it is given by name in some call."""
    own = {"result_type", "can_cast", "broadcast_shapes"}  # functions of dtypes and shapes alone: below
    lists = {*UNARY, *BINARY, *REDUCTIONS, *own}
    lacking = []
    for name, parameters in functions():
        calls = " ".join(call for call in CALLS if f"m.{name}(" in call)
        if not calls and name not in lists:
            lacking.append(name)
        lacking += [f"{name}({p}=)" for p in parameters if f"{p}=" not in calls and f"({name}, {p})" not in ABSENT]
    assert lacking == []


def test_names():
    assert [name for name, _ in functions() if not callable(attrgetter(name)(xp))] == []
    assert [name for name in ("e", "inf", "nan", "pi", "newaxis") if not hasattr(xp, name)] == []


def test_functions_of_dtypes():
    kinds = ["bool"], [*SIGNED, *UNSIGNED[:1]], ["float32", "float64", "complex64", "complex128"]
    for kind in kinds:
        for a, b in product(kind, kind):
            with contextlib.suppress(TypeError):  # what the standard leaves open
                expected = strict.result_type(getattr(strict, a), getattr(strict, b))
                assert str(xp.result_type(getattr(xp, a), getattr(xp, b))).split(".")[1] == str(expected).split(".")[1]
    for a, b in product([*SIGNED, *UNSIGNED], repeat=2):
        assert xp.can_cast(getattr(xp, a), getattr(xp, b)) == np.can_cast(a, b)
    for a, b in product(["float32", "float64", "complex64", "complex128"], repeat=2):
        assert xp.can_cast(getattr(xp, a), getattr(xp, b)) == np.can_cast(a, b)
    assert xp.broadcast_shapes((2, 1), (3,), ()) == strict.broadcast_shapes((2, 1), (3,), ())
    assert not xp.can_cast(xp.uint64, xp.float32) or xp.can_cast(xp.uint64, xp.float64)


def signs(m, x):
    """The signs of numbers, of zeros too; nan has none."""
    return m.signbit(m.where(x == x, x, m.ones_like(x)))


SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1e300, -1e300, 1e-300, 2.0, -3.0]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*UNARY, *REDUCTIONS, "cumulative_sum", "cumulative_prod", "sort", "unique_values"])
def test_special_values(name):
    """Infinities, nan, and zeros of both signs: the standard says what becomes of each."""
    call = lambda m, x: getattr(m, name)(x)
    for dtype in ("float32", "float64"):
        values = np.array(SPECIAL).astype(dtype)
        compare(call, values)
        for value in values:
            compare(call, np.array([value]))
            if name not in ("cumulative_sum", "signbit", "isnan"):  # PyTorch adds to zero
                compare(lambda m, x: signs(m, getattr(m, name)(x)), np.array([value]))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", BINARY)
def test_special_values_of_two_arrays(name):
    call = lambda m, x, y: getattr(m, name)(x, y)
    for dtype in ("float32", "float64"):
        x, y = (a.ravel() for a in np.meshgrid(SPECIAL, SPECIAL))
        compare(call, x.astype(dtype), y.astype(dtype))
