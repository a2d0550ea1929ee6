"""nn.functional against numbers recorded from PyTorch, PyTorch itself where installed, and central differences."""

from pathlib import Path

import numpy as np
import pytest
from derivatives import check_derivatives
from nn.functional.cases import CASES

import rushlight

GOLDEN = np.load(Path(__file__).parent / "golden.npz")
pytestmark = pytest.mark.filterwarnings("ignore")


def compare(found, expected, tolerance):
    assert found.keys() == expected.keys()
    for part, array in expected.items():
        assert found[part].shape == array.shape, part
        assert found[part].dtype == array.dtype, part
        np.testing.assert_allclose(found[part], array, rtol=tolerance, atol=tolerance, err_msg=part)


@pytest.mark.parametrize("name", CASES)
def test_results_and_gradients_as_recorded(name):
    parts = {key.removeprefix(f"{name}/"): GOLDEN[key] for key in GOLDEN.files if key.startswith(f"{name}/")}
    found = CASES[name].derivatives(rushlight)
    compare({part: a for part, a in found.items() if not part.startswith("second")}, parts, CASES[name].tolerance)


@pytest.mark.parametrize("name", CASES)
def test_up_to_second_derivatives_as_pytorch(name):
    torch = pytest.importorskip("torch")
    compare(CASES[name].derivatives(rushlight), CASES[name].derivatives(torch), 10 * CASES[name].tolerance)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.numeric])
def test_derivatives_by_central_differences(name):
    case = CASES[name]
    check_derivatives(lambda *tensors: case.outputs(rushlight, tensors)[0], *case.inputs(rushlight), atol=1e-5)
