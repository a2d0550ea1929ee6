"""Ways that operators take for frequent arguments: they give what the general ones do."""

import math

import numpy as np
import pytest

import rushlight as torch
from rushlight.ops.table import TABLE

INTEGERS = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("shift", ["bitwise_left_shift", "bitwise_right_shift"])
def test_shifts_by_a_number_and_by_a_tensor_of_it(dtype, shift):
    x = torch.arange(0 if dtype is torch.uint8 else -20, 100, 7, dtype=dtype)
    bits = x.element_size() * 8
    for count in (0, 1, bits - 1, bits, bits + 1):
        found = getattr(torch, shift)(x, count)
        expected = getattr(torch, shift)(x, torch.full_like(x, count))
        assert found.dtype is dtype
        assert found.tolist() == expected.tolist()


@pytest.mark.parametrize(("function", "factor"), [("deg2rad", math.pi / 180), ("rad2deg", 180 / math.pi)])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_degrees_are_rounded_once(function, factor, dtype):
    x = (np.random.default_rng(0).standard_normal(500) * 100).astype(dtype)
    computed_in = np.float32 if dtype == np.float16 else dtype
    expected = (x.astype(computed_in) * computed_in(factor)).astype(dtype)
    assert np.array_equal(getattr(torch, function)(torch.from_numpy(x)).numpy(), expected)


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("shape", [(50, 60), (3, 4, 1000), (0, 3), (5,)])
def test_a_sum_over_every_dimension_is_the_sum(shape, keepdim):
    x = torch.from_numpy(np.random.default_rng(0).standard_normal(shape).astype(np.float32))
    found = x.sum(tuple(range(x.ndim)), keepdim)
    assert found.shape == ((1,) * x.ndim if keepdim else ())
    assert found.item() == x.sum().item()
    assert x.half().sum(tuple(range(x.ndim)), keepdim).dtype is torch.float16


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "int64", "float16", "bfloat16", "float64", "complex64"])
@pytest.mark.parametrize(
    "call",
    [
        lambda x, y: x + y,
        lambda x, y: x - y,
        lambda x, y: x * y,
        lambda x, y: x / y,
        lambda x, y: x & y,
        lambda x, y: x << y,
        lambda x, y: x == y,
        lambda x, y: x < y,
        lambda x, y: torch.floor_divide(x, y),
        lambda x, y: torch.gcd(x, y),
        lambda x, y: torch.clamp(x, min=y),
        lambda x, y: torch.where(x == y, x, y),
        lambda x, y: torch.lerp(x, y, x),
        lambda x, y: torch.sub(x, y, alpha=2),
        lambda x, y: torch.sub(x, y, alpha=True),
        lambda x, y: torch.sub(x, y, alpha=0.5),
        lambda x, y: ~x,
        lambda x, y: -x,
        lambda x, y: torch.ceil(x),
        lambda x, y: torch.erf(x),
        lambda x, y: torch.maximum(x, y),
    ],
)
def test_operands_of_one_dtype_that_are_not_promoted_give_what_promoted_ones_give(monkeypatch, call, dtype):
    """The result, or the error, is that of the way that promotes, which tensors of one dtype need not go."""
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes")
    x = torch.tensor([[1, 0, 3], [2, 5, 1]]).to(getattr(torch, dtype))
    y = torch.tensor([[1, 1, 2]]).to(getattr(torch, dtype))
    quick = outcome(call, x, y)
    for entry in TABLE.values():
        monkeypatch.setattr(entry, "kept", "")
    assert outcome(call, x, y) == quick


def outcome(call, *operands):
    try:
        result = call(*operands)
    except Exception as error:
        return type(error), str(error)
    return result.dtype, result.tolist()
