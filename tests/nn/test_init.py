"""Initial values: the same numbers as PyTorch's after the same seed. The tests of behaviour hold for PyTorch too."""

from pathlib import Path

import numpy as np
import pytest
from nn.initial_values import CASES, DTYPES, filled

import rushlight


def check(case, actual, expected):
    if "orthogonal" in case:  # LAPACK's, to rounding
        np.testing.assert_allclose(actual, expected, atol=2e-6 if actual.dtype == np.float32 else 1e-14)
    else:
        np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("case", CASES)
def test_recorded(case):
    with np.load(Path(__file__).with_name("initial_values.npz")) as golden:
        check(case, filled(rushlight, case, "float32"), golden[case])


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_live(case, dtype):
    torch = pytest.importorskip("torch")
    check(case, filled(rushlight, case, dtype), filled(torch, case, dtype))


@pytest.mark.parametrize(
    "name", ["uniform_", "normal_", "trunc_normal_", "xavier_uniform_", "kaiming_normal_", "orthogonal_"]
)
def test_generator(torch, name):
    fill = getattr(torch.nn.init, name)
    first, second = (fill(torch.empty(3, 4), generator=torch.Generator().manual_seed(1)) for _ in range(2))
    assert first.tolist() == second.tolist()


def test_parameters_are_filled_outside_the_graph(torch):
    parameter = torch.nn.Parameter(torch.zeros(2, 2))
    assert torch.nn.init.ones_(parameter) is parameter
    assert parameter.is_leaf
    assert parameter._version > 0
    assert parameter.sum().item() == 4.0


def test_orthogonality(torch):
    matrix = torch.nn.init.orthogonal_(torch.empty(3, 5), gain=2.0)
    np.testing.assert_allclose(matrix.numpy() @ matrix.numpy().T, 4 * np.eye(3), atol=1e-5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda init, torch: init.eye_(torch.empty(2)), "Only tensors with 2 dimensions are supported"),
        (lambda init, torch: init.dirac_(torch.empty(2, 2)), "Only tensors with 3, 4, or 5 dimensions are supported"),
        (lambda init, torch: init.dirac_(torch.empty(3, 2, 1), 2), "dim 0 must be divisible by groups"),
        (
            lambda init, torch: init.xavier_normal_(torch.empty(2)),
            "Fan in and fan out can not be computed for tensor with",
        ),
        (
            lambda init, torch: init.kaiming_normal_(torch.empty(2, 2), mode="x"),
            "Mode x not supported, please use one of",
        ),
        (lambda init, torch: init.orthogonal_(torch.empty(2)), "Only tensors with 2 or more dimensions are supported"),
        (lambda init, torch: init.calculate_gain("x"), "Unsupported nonlinearity x"),
        (lambda init, torch: init.calculate_gain("leaky_relu", True), "negative_slope True not a valid number"),
    ],
)
def test_errors(torch, call, message):
    with pytest.raises(ValueError, match=message):
        call(torch.nn.init, torch)


def test_gains(torch):
    gain = torch.nn.init.calculate_gain
    values = [gain(name) for name in ("linear", "conv2d", "sigmoid", "tanh", "relu", "leaky_relu", "selu")]
    assert values == [1, 1, 1, 5 / 3, 2**0.5, (2 / (1 + 0.01**2)) ** 0.5, 0.75]
    assert gain("leaky_relu", 2) == (2 / 5) ** 0.5


def test_warnings(torch):
    with pytest.warns(UserWarning, match="Initializing zero-element tensors is a no-op"):
        torch.nn.init.kaiming_uniform_(torch.empty(0, 2))
    with pytest.warns(UserWarning, match=r"mean is more than 2 std from \[a, b\] in nn.init.trunc_normal_"):
        torch.nn.init.trunc_normal_(torch.empty(2), mean=10.0, a=5.0, b=6.0)
    with pytest.warns(FutureWarning, match="`nn.init.normal` is now deprecated in favor of `nn.init.normal_`"):
        torch.nn.init.normal(torch.empty(2))
