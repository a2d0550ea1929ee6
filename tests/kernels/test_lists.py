"""Nested lists of numbers: the kernel reads what Python's and NumPy's functions read, and refuses what they refuse."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.ops.making import nested

LISTS = [
    [1.5],
    [[1.0, -0.0], [float("nan"), 1e300]],
    ([1.0, 2.0], (3.0, 4.0)),
    [1, 2, -(2**63)],
    [[[1], [2]], [[3], [4]]],
    [1, 2.5],
    [2.5, 1],
    [True, False],
    [1.0, 2j],
    [],
    [[], []],
    2.5,
    [np.float32(1.5), 2.5],
    [torch.tensor(1.5), 2.5],
    [np.arange(3), np.arange(3)],
]
WRONG = [[1, 2**63], [[1.0], [2.0, 3.0]], [[1.0], 2.0], [1.0, [2.0]], [1.0, "2"], [[1, 2], [3]]]


def outcome(data, dtype):
    """The array, or the error."""
    try:
        with np.errstate(all="ignore"):
            found = nested.array_of(data, dtype)
    except Exception as error:
        return type(error), str(error)
    return found.dtype, found.shape, found.tobytes()


@pytest.mark.skipif(nested.fast is None, reason="nothing was compiled")
@pytest.mark.parametrize("dtype", [None, "float32", "float64", "int64", "int8", "complex64"])
@pytest.mark.parametrize("data", [*LISTS, *WRONG], ids=str)
@pytest.mark.filterwarnings("ignore:Creating a tensor from a list")
def test_both_forms_read_the_same(monkeypatch, data, dtype):
    wanted = None if dtype is None else np.dtype(dtype)
    found = outcome(data, wanted)
    monkeypatch.setattr(nested, "fast", None)
    assert found == outcome(data, wanted)


def test_the_default_dtype_is_asked_for():
    before = torch.get_default_dtype()
    try:
        for kind in (torch.float64, torch.float16, torch.float32):
            torch.set_default_dtype(kind)
            assert torch.tensor([[1.0], [2.5]]).dtype is kind
    finally:
        torch.set_default_dtype(before)
