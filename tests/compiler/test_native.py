"""Native loops: functions against NumPy's, groups of every form against the reference, what is kept on the disk."""

import numpy as np
import pytest
from compiler.test_walking import DTYPES, SHAPES, random_program
from compiler.writing import Written, compare, copy_of, normal

from rushlight.compiler.native import Native, building, is_available, with_native_loops
from rushlight.compiler.native.functions import OF_NUMBERS, OF_TRUTHS
from rushlight.compiler.planning import planned
from rushlight.compiler.program import run
from rushlight.compiler.walking import executor, fast

pytestmark = pytest.mark.skipif(fast is None or not is_available(), reason="native loops need llvmlite and the walker")


@pytest.fixture(autouse=True)
def kept_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setenv("RUSHLIGHT_CACHE", str(tmp_path))


def check(written, scale=1.0, least=1):
    """Native loops give what the reference gives; at least so many groups have them."""
    plan = planned(written.improved())
    found = with_native_loops(plan).code
    assert sum(isinstance(x, Native) for x in found) >= least
    runs = executor(plan, native=True)
    for _ in range(2):
        expected_inputs, given = ([copy_of(x) for x in written.inputs] for _ in range(2))
        compare(runs(given), run(written.program, expected_inputs), scale)
        compare(given, expected_inputs, scale)


def special(dtype):
    """Numbers of all sizes, in an odd number, and parts of a turn."""
    rng = np.random.default_rng(0)
    sizes = [rng.standard_normal(4001) * size for size in (1e-30, 1e-5, 1e-2, 1, 10, 100, 1000, 1e7)]
    sizes += [np.arange(1, 1000) * (np.pi / 4), np.arange(60000, 70000) * (np.pi / 2), np.linspace(-3, 3, 50001)]
    edges = [0, -0.0, np.inf, -np.inf, np.nan, 0.625, -0.625, 88.7, -87.4, -103.9, 709.7, -745.1, 1e-40, 1e-310]
    found = np.concatenate([*sizes, edges]).astype(dtype)
    return np.concatenate([found, np.finfo(dtype).smallest_subnormal * np.arange(1, 100, dtype=dtype)]).astype(dtype)


def units_apart(found, expected):
    """The difference in units in the last place of the second."""
    unit = np.maximum(np.spacing(np.abs(expected)), np.finfo(expected.dtype).smallest_subnormal)
    return np.max(np.abs(found.astype(np.longdouble) - expected.astype(np.longdouble)) / unit, initial=0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", sorted(f.__name__ for f in OF_NUMBERS if isinstance(f, np.ufunc)))
def test_functions_of_numbers(name, dtype):
    function = getattr(np, name)
    x = special(dtype)
    operands = [x, np.roll(x, 1234)][: function.nin]
    written = Written()
    values = [written.input(array) for array in operands]
    written.returns(written.call(function, *values))
    (found,) = executor(planned(written.graph()), native=True)(operands)
    with np.errstate(all="ignore"):
        wide = function(*[array.astype(np.longdouble) for array in operands]).astype(found.dtype)
        expected = function(*operands)
    np.testing.assert_array_equal(
        np.isnan(found) if found.dtype != bool else found, np.isnan(expected) if found.dtype != bool else expected
    )
    if found.dtype == bool:
        return
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(found[~finite & ~np.isnan(expected)], expected[~finite & ~np.isnan(expected)])
    np.testing.assert_array_equal(np.signbit(found[finite]), np.signbit(expected[finite]))
    if name not in ("exp", "tanh", "log", "expm1", "log1p", "sin", "cos"):
        np.testing.assert_array_equal(found, expected)
    assert units_apart(found[finite], wide[finite]) <= 2


@pytest.mark.parametrize("name", sorted(f.__name__ for f in OF_TRUTHS))
def test_functions_of_truths(name):
    function = getattr(np, name)
    written = Written()
    x, y = (written.input(normal(37, seed=i)) for i in range(2))
    truths = [written.call("gt", x, 0), written.call("lt", y, 0)][: function.nin]
    written.returns(written.call("where", written.call(function, *truths), x, y))
    check(written)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shapes", [shapes for shapes in SHAPES if shapes != ((0, 3), (3,))])
def test_operands_that_broadcast(shapes, dtype):
    written = Written()
    x, y = (written.input(normal(*shape, dtype=dtype, seed=i)) for i, shape in enumerate(shapes))
    total = written.call("add", written.call("tanh", written.call("mul", x, y)), y)
    chosen = written.call("where", written.call("gt", total, 0.1), total, written.call("neg", x))
    written.returns(chosen, written.call("gt", chosen, y))
    check(written)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("dims", [(0,), (1,), (2,), (0, 1), (1, 2), (0, 2), (0, 1, 2)])
@pytest.mark.parametrize("shape", [(2, 3, 4), (70, 5, 300), (1, 1, 1), (3, 1, 2), (3, 16, 32)])
def test_sums(shape, dims, dtype):
    written = Written()
    x = written.input(normal(*shape, dtype=dtype))
    y = written.call("mul", written.call("exp", x), 2)
    written.returns(written.call("sum_dims", y, dims, False, None), written.call("sum", y))
    check(written, 64)


def test_a_sum_of_many_numbers_is_precise():
    written = Written()
    x = written.input(np.full((1000, 1001), 0.1, np.float32))
    written.returns(written.call("sum", written.call("mul", x, x)))
    (found,) = executor(planned(written.improved()), native=True)(written.inputs)
    exact = float(np.float32(0.1) * np.float32(0.1)) * x.shape[0] * x.shape[1]
    assert abs(found - exact) < exact * 1e-6


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed):
    with np.errstate(all="ignore"):
        check(random_program(seed), 2000, least=0)


def test_groups_of_one_form_share_their_code():
    written = Written()
    x, y, w = written.input(normal(8, 8)), written.input(normal(8, 8, seed=1)), written.input(normal(8, 8, seed=2))
    written.returns(*[written.call("tanh", written.call("mm", v, w)) for v in (x, y)])
    found = {x.address for x in with_native_loops(planned(written.improved())).code if isinstance(x, Native)}
    assert len(found) == 1
    check(written, 8)


def test_a_function_without_a_form_is_left_to_the_walker():
    written = Written()
    x = written.input(np.abs(normal(8, 8)))
    written.returns(written.call("atan", x))
    assert not any(isinstance(x, Native) for x in with_native_loops(planned(written.improved())).code)
    check(written, least=0)


def test_code_is_kept_and_used_again(tmp_path, monkeypatch):
    written = Written()
    x = written.input(normal(11))
    written.returns(written.call("tanh", written.call("mul", x, 3)))
    check(written)
    (file,) = tmp_path.glob("*.o")
    monkeypatch.setattr(building, "optimize", None)  # whoever compiles, fails
    check(written)
    file.write_bytes(b"")
    with pytest.raises(TypeError):
        check(written)


def test_code_is_made_where_nothing_can_be_kept(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RUSHLIGHT_CACHE", str(tmp_path / "file" / "folder"))
    written = Written()
    x = written.input(normal(13))
    written.returns(written.call("tanh", x))
    check(written)
