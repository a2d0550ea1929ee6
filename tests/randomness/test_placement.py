"""Random numbers come in PyTorch's order through memory, in blocks or pair by pair as there."""

from pathlib import Path

import numpy as np
import pytest
from randomness.placed import DTYPES, FUNCTIONS, drawn

import rushlight

CLOSE = {"float16": 2e-3, "float32": 1e-5, "float64": 1e-12}


@pytest.fixture(scope="module")
def golden():
    with np.load(Path(__file__).with_name("placed.npz")) as file:
        return dict(file)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_recorded_numbers(name, dtype, golden):
    found = np.array(drawn(rushlight, name, dtype), dtype)
    expected = golden[f"{name}, {dtype}"]
    np.testing.assert_allclose(found.astype(float), expected.astype(float), rtol=CLOSE[dtype], atol=CLOSE[dtype])


def test_what_lies_in_an_order_of_our_own_is_filled_in_the_order_of_its_indices():
    image = rushlight.nn.functional.conv2d(rushlight.zeros(9, 2, 4, 4), rushlight.ones(3, 2, 3, 3))
    assert not image._array.flags.c_contiguous
    rushlight.manual_seed(3)
    found = image.normal_()
    rushlight.manual_seed(3)
    assert found.equal(rushlight.randn(9, 3, 2, 2))
