"""nn.functional against numbers recorded from PyTorch, PyTorch itself where installed, and central differences."""

from pathlib import Path

import numpy as np
import pytest
from derivatives import check_derivatives
from nn.functional.cases import CASES

import rushlight

FILE = np.load(Path(__file__).parent / "golden.npz")
GOLDEN = dict(zip(FILE["names"], np.split(FILE["values"], np.cumsum(FILE["sizes"])[:-1]), strict=True))
pytestmark = pytest.mark.filterwarnings("ignore")


def compare(found, expected, tolerance):
    assert found.keys() == expected.keys()
    for part, array in expected.items():
        assert found[part].shape == array.shape, part
        assert found[part].dtype == array.dtype, part
        np.testing.assert_allclose(found[part], array, rtol=tolerance, atol=tolerance, err_msg=part)


@pytest.mark.parametrize("name", CASES)
def test_results_and_gradients_as_recorded(name):
    for part, found in CASES[name].derivatives(rushlight).items():
        if not part.startswith("second"):  # recorded in float32
            np.testing.assert_allclose(found.ravel(), GOLDEN[f"{name}/{part}"], rtol=1e-5, atol=1e-5, err_msg=part)


@pytest.mark.parametrize("name", CASES)
def test_up_to_second_derivatives_as_pytorch(name):
    torch = pytest.importorskip("torch")
    compare(CASES[name].derivatives(rushlight), CASES[name].derivatives(torch), 10 * CASES[name].tolerance)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.numeric])
def test_derivatives_by_central_differences(name):
    case = CASES[name]
    check_derivatives(lambda *tensors: case.outputs(rushlight, tensors)[0], *case.inputs(rushlight), atol=1e-5)
