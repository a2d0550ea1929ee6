"""All optimizers: their steps, their state and how they print are PyTorch's."""

from pathlib import Path

import numpy as np
import pytest
from optim.problems import OPTIMIZERS, parameters, set_gradients, steps
from recorded import by_case

import rushlight

each_optimizer = pytest.mark.parametrize("expression", OPTIMIZERS)


@pytest.fixture(scope="module")
def golden():
    return by_case(Path(__file__).with_name("golden.npz"))


def check(actual, expected):
    assert list(actual) == list(expected)
    assert str(actual.pop("repr")) == str(expected["repr"])
    for part, array in actual.items():
        assert array.dtype == expected[part].dtype, part
        np.testing.assert_allclose(array, expected[part], rtol=3e-5, atol=1e-6, err_msg=part)


@each_optimizer
def test_recorded(expression, golden):
    check(steps(rushlight, expression), golden[expression])


@each_optimizer
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_live(expression, dtype):
    torch = pytest.importorskip("torch")
    check(steps(rushlight, expression, dtype), steps(torch, expression, dtype))


@each_optimizer
def test_long_parameters_are_changed_block_by_block(expression, monkeypatch):
    whole = steps(rushlight, expression)
    monkeypatch.setattr("rushlight.optim.elementwise.BLOCK", 2)
    blocks = steps(rushlight, expression)
    assert all(np.array_equal(whole[part], blocks[part]) for part in whole)


@each_optimizer
def test_recorded_steps_are_the_same(expression):
    """With `differentiable=True` steps change parameters as ever, and gradients flow through them."""
    torch = rushlight
    name, _, options = expression.partition("(")
    values = {}
    for differentiable in (False, True):
        leaves = parameters(torch)
        params = [leaf.clone() for leaf in leaves] if differentiable else leaves
        optimizer = eval(f"make(params, differentiable={differentiable}, {options}", {
            "make": getattr(torch.optim, name), "params": params,
        })  # fmt: skip
        for _ in range(3):
            set_gradients(torch, params if differentiable else leaves)
            optimizer.step()
        values[differentiable] = [p.detach().numpy().copy() for p in params]
    for plain, recorded in zip(values[False], values[True], strict=True):
        np.testing.assert_allclose(recorded, plain, rtol=1e-5, atol=1e-6)
    sum(p.sum() for p in params).backward()
    assert all(leaf.grad is not None for leaf in leaves)


def test_gradient_through_steps(torch):
    """The derivative of two steps of SGD with respect to the learning rate, and to the first weight."""
    weight = torch.tensor([2.0], requires_grad=True)
    lr = torch.tensor(0.1, requires_grad=True)
    param = weight.clone()
    optimizer = torch.optim.SGD([param], lr=lr, differentiable=True)
    for _ in range(2):
        (grad,) = torch.autograd.grad((param.clone() ** 2).sum(), param, create_graph=True)
        param.grad = grad
        optimizer.step()
    param.sum().backward()  # weight * (1 - 2 * lr) ** 2
    assert weight.grad.item() == pytest.approx(0.64)
    assert lr.grad.item() == pytest.approx(-6.4)
