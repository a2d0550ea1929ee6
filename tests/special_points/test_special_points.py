"""Values and gradients at kinks, ties, zeros, infinities and NaN: those that PyTorch recorded, and gives live."""

import json
from pathlib import Path

import numpy as np
import pytest
from special_points.cases import CASES, evaluate, is_unlike, key

GOLDEN = json.loads(Path(__file__).with_name("golden.json").read_text())


def compare(found, expected):
    assert found.keys() == expected.keys()
    for name, wanted in expected.items():
        assert (found[name] is None) == (wanted is None), name
        if wanted is not None:
            np.testing.assert_allclose(found[name], wanted, rtol=1e-7, atol=1e-12, err_msg=name)


@pytest.mark.parametrize(("expression", "values"), CASES, ids=[key(*case) for case in CASES])
def test_special_point(torch, expression, values):
    found = evaluate(torch, expression, values)
    if torch.__name__ == "rushlight" and is_unlike(expression, values):
        with pytest.raises(AssertionError):
            compare(found, GOLDEN[key(expression, values)])
    else:
        compare(found, GOLDEN[key(expression, values)])
