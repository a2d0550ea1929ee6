"""Elementwise operators against PyTorch live: random operands of several shapes, in single and double precision."""

import numpy as np
import pytest
from ops.elementwise_cases import BINARY, COMPLEX_ONLY, OTHER_NODES, UNARY, measure

import rushlight
import rushlight.ops.activation as functional

torch = pytest.importorskip("torch")

SHAPES = [(), (0,), (3, 4), (17, 5)]
TOLERANCES = {"float64": 1e-7, "float32": 1e-4}
STEEP = {"tan", "lgamma", "digamma", "mvlgamma", "polygamma0", "polygamma1", "polygamma3"}  # as their arguments


def draw(points, shape, seed):
    """Random numbers between the least and the greatest of some points."""
    rng = np.random.default_rng(seed)
    return rng.uniform(min(points), max(points), shape)


def compare(expression, operands, dtype, node=True):
    """Compares all that both libraries compute of a case."""
    found = measure(rushlight, functional, expression, operands, dtype)
    expected = measure(torch, torch.nn.functional, expression, operands, dtype)
    if node:
        assert found["node"] == expected["node"]
    tolerance = TOLERANCES[dtype]
    assert found["value"].dtype == expected["value"].dtype
    np.testing.assert_allclose(found["value"], expected["value"], rtol=tolerance, atol=tolerance)
    for what in ("grad", "second"):
        for mine, theirs in zip(found.get(what, ()), expected.get(what, ()), strict=False):
            if mine is not None and theirs is not None:
                assert mine.dtype == theirs.dtype
                size = np.abs(theirs).max(initial=1.0)
                np.testing.assert_allclose(mine, theirs, rtol=tolerance, atol=tolerance * size, err_msg=what)


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", UNARY)
def test_unary(name, shape, dtype):
    expression, points = UNARY[name]
    if name in STEEP:
        points = [abs(p) + 1.2 for p in points]
    compare(expression, {"x": draw(points, shape, seed=len(name))}, dtype, name not in OTHER_NODES)


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("shapes", [((3, 4), (3, 4)), ((2, 1, 3), (4, 1)), ((), (5,))], ids=str)
@pytest.mark.parametrize("name", [name for name in BINARY if name != "prelu"])
def test_of_two(name, shapes, dtype):
    expression, pair = BINARY[name]
    operands = {k: draw(p, shape, i) for i, (k, p, shape) in enumerate(zip("xy", pair, shapes, strict=True))}
    compare(expression, operands, dtype)


KINDS = ["bool", "uint8", "int8", "int32", "int64", "float16", "float32", "float64", "complex64"]
PROMOTED = {
    **{name: UNARY[name][0] for name in UNARY if "F." not in UNARY[name][0] and name != "ndtri"},
    **COMPLEX_ONLY,
    **{f"{name} of two": expression for name, (expression, _) in BINARY.items() if name != "prelu"},
    **{
        f"{name} of two": f"torch.{name}(x, y)"
        for name in (
            "eq",
            "lt",
            "isclose",
            "logical_and",
            "bitwise_and",
            "bitwise_left_shift",
            "floor_divide",
            "nextafter",
            "heaviside",
            "complex",
            "polar",
        )
    },
    "eq number": "x == 2",
    "lt number": "x < 1.5",
    "and number": "x & 1",
    "number and": "3 & x",
    "shift": "x << 1",
    "modulo": "x % 2",
    "number modulo": "7 % x",
    "floor": "x // 2",
    "number floor": "7 // x",
    "not": "~x",
    "abs": "abs(x)",
    "minus": "-x",
    "where number": "torch.where(x == x, x, 2.0)",
    "clamp float": "torch.clamp(x, 0.0, 1.5)",
}
# PyTorch has no half precision there, or names another kernel in its message.
UNLIKE = {
    ("erfcx", "float16"),
    ("log_ndtr", "float16"),
    ("complex of two", "float16"),
    ("polygamma1", "complex64"),
    ("polygamma3", "complex64"),
    ("polygamma0", "complex64"),
    ("mvlgamma", "complex64"),
}


def dtype_or_error(library, functional, expression, kinds):
    """The dtype of a result, or the type and first words of the error."""
    tensors = {name: library.tensor([1, 1]).to(getattr(library, kind)) for name, kind in zip("xy", kinds, strict=False)}
    try:
        result = eval(expression, {"torch": library, "F": functional}, tensors)
    except Exception as error:
        return next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins"), str(error)[:36]
    return str(result.dtype)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", PROMOTED)
def test_promotion(name, kind):
    if (name, kind) in UNLIKE:
        pytest.skip("unlike PyTorch")
    for other in (kind, "int32", "float64") if "y" in PROMOTED[name] else (kind,):
        case = PROMOTED[name], (kind, other)
        assert dtype_or_error(rushlight, functional, *case) == dtype_or_error(torch, torch.nn.functional, *case)
