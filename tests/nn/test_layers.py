"""All layers: how they print, their seeded weights, results and gradients are PyTorch's."""

from pathlib import Path

import numpy as np
import pytest
from nn.layers import cases, evaluate
from recorded import by_case

import rushlight

each_layer = pytest.mark.parametrize(("expression", "shapes"), cases(), ids=[case[0] for case in cases()])
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def golden():
    """PyTorch's results, by layer and part."""
    return by_case(Path(__file__).with_name("layers.npz"))


def check(actual, expected):
    assert actual.keys() == expected.keys()
    assert str(actual.pop("repr")) == str(expected["repr"])
    for part, array in actual.items():
        assert array.dtype == expected[part].dtype, part
        if part.startswith("state."):
            np.testing.assert_array_equal(array, expected[part], part)
        else:
            np.testing.assert_allclose(array, expected[part], rtol=2e-4, atol=2e-5, err_msg=part)


@each_layer
def test_recorded(expression, shapes, golden):
    check(evaluate(rushlight, expression, shapes), golden[expression])


@each_layer
def test_live(expression, shapes):
    torch = pytest.importorskip("torch")
    check(evaluate(rushlight, expression, shapes), evaluate(torch, expression, shapes))
