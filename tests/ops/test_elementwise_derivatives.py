"""First and second derivatives of the elementwise operators, by central differences."""

import numpy as np
import pytest
from derivatives import check_derivatives
from ops.elementwise_cases import BINARY, COMPLEX, COMPLEX_ONLY, COMPLEX_POINTS, UNARY

import rushlight as torch
import rushlight.ops.activation as functional

REAL_CASES = {name: case for name, case in UNARY.items() if name not in ("hardsigmoid",)}
COMPLEX_CASES = {**{name: UNARY[name][0] for name in COMPLEX}, **COMPLEX_ONLY}


def function(expression, names):
    """An expression as a function of tensors of those names."""
    return eval(f"lambda {names}: {expression}", {"torch": torch, "F": functional})


def leaf(values):
    return torch.tensor(
        values, dtype=torch.complex128 if isinstance(values[0], complex) else torch.float64, requires_grad=True
    )


@pytest.mark.parametrize("name", REAL_CASES)
def test_real(name):
    expression, points = REAL_CASES[name]
    apart = [p + 1e-3 for p in points]  # away from the bends
    check_derivatives(function(expression, "x"), leaf(apart), rtol=1e-4)


@pytest.mark.parametrize("name", COMPLEX_CASES)
def test_complex(name):
    check_derivatives(function(COMPLEX_CASES[name], "x"), leaf(COMPLEX_POINTS[:4]), rtol=1e-4)


@pytest.mark.parametrize("name", BINARY)
def test_of_two(name):
    expression, pair = BINARY[name]
    check_derivatives(function(expression, "x, y"), *map(leaf, pair), rtol=1e-4)


@pytest.mark.parametrize("shapes", [((3, 1), (2,)), ((), (2, 2)), ((2, 1, 3), (4, 1))])
@pytest.mark.parametrize("name", ["atan2", "maximum", "xlogy", "lerp", "addcdiv", "where", "clamp", "float_power"])
def test_broadcasting(name, shapes):
    rng = np.random.default_rng(0)
    x, y = (torch.tensor(0.5 + rng.random(shape), dtype=torch.float64, requires_grad=True) for shape in shapes)
    check_derivatives(function(BINARY[name][0], "x, y"), x, y, rtol=1e-4)


def test_of_complex_parts():
    magnitude, angle = leaf([0.5, 1.2, 2.0]), leaf([0.3, -2.0, 1.1])
    check_derivatives(torch.polar, magnitude, angle)
    check_derivatives(torch.complex, magnitude, angle)
    check_derivatives(lambda a, b: torch.complex(a, b).abs(), magnitude, angle)


def test_of_complex_logaddexp():
    check_derivatives(torch.logaddexp, leaf([0.3 + 0.2j, -1 + 0.5j]), leaf([0.1 - 0.4j, 0.2 + 1j]))


def test_of_zeta():
    q = leaf([0.7, 1.4, 3.0])
    check_derivatives(lambda q: torch.special.zeta(torch.tensor([2.0, 3.0, 1.5], dtype=torch.float64), q), q, rtol=1e-4)
    x = torch.tensor([2.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="zeta"):
        torch.special.zeta(x, 2.0).backward()


def test_powers_of_a_number():
    """Where the base is 0 and the exponent is not negative the gradient is 0."""
    exponents = torch.tensor([2.0, 0.0, -0.0, -1.0, float("nan")], requires_grad=True)
    for base in (0, 2, -3):
        result = base**exponents
        result.sum().backward()
        expected = [0, 0, 0, -np.inf, np.nan] if base == 0 else result.detach().numpy() * np.log(np.float32(base))
        np.testing.assert_allclose(exponents.grad.numpy(), expected, rtol=1e-6)
        exponents.grad = None


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
def test_gradients_with_real_factors_of_complex_numbers(dtype):
    x, y = (torch.randn(3, 4, dtype=dtype, requires_grad=True) for _ in range(2))
    weight = torch.randn(3, 4, dtype=dtype)
    for result, factors in ((x + y, (1, 1)), (x - y, (1, -1)), (-x.t().t() + y[:, :], (-1, 1))):
        grads = torch.autograd.grad(result, (x, y), weight)
        for grad, factor in zip(grads, factors, strict=True):
            assert torch.equal(grad, factor * weight)
