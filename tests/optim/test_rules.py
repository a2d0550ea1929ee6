"""All optimizers: their steps, their state and how they print are PyTorch's."""

from pathlib import Path

import numpy as np
import pytest
from derivatives import check_first_order
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
    monkeypatch.setattr("rushlight.kernels.updates.BLOCK", 2)
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
        optimizer = eval(
            f"make(params, differentiable={differentiable}, {options}",
            {
                "make": getattr(torch.optim, name),
                "params": params,
            },
        )
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


@rushlight.enable_grad()
def recorded_steps(name, options, values, steps=4):
    """A scalar of the parameter after some recorded steps from a start with options, all given by name."""
    param, settings = values["start"].clone(), {}
    for key, value in values.items():
        option, _, place = key.partition(":")
        if place:
            settings[option] = (*settings.get(option, ()), value)
        elif key != "start":
            settings[option] = value
    optimizer = getattr(rushlight.optim, name)([param], **options, differentiable=True)
    optimizer.param_groups[0].update(settings)
    for _ in range(steps):
        now = param.clone()
        loss = ((now - 0.3) ** 2 * now.cos()).sum() + now.pow(3).sum() / 5
        (param.grad,) = rushlight.autograd.grad(loss, now, create_graph=True)
        optimizer.step()
    state = [value for key, value in optimizer.state[param].items() if key != "step" and value.requires_grad]
    return sum((value * (k + 1)).sum() for k, value in enumerate([param, *state]))


@pytest.mark.parametrize(
    ("name", "options", "numbers"),
    [
        ("SGD", {"nesterov": True, "momentum": 0.5}, {"momentum": 0.5, "weight_decay": 0.1}),
        ("SGD", {"maximize": True}, {"momentum": 0.5, "dampening": 0.2, "weight_decay": 0.1}),
        ("Adam", {"amsgrad": True}, {"betas:0": 0.9, "betas:1": 0.95, "eps": 0.01, "weight_decay": 0.1}),
        ("AdamW", {}, {"betas:0": 0.9, "betas:1": 0.95, "eps": 0.01, "weight_decay": 0.1}),
        ("NAdam", {}, {"betas:0": 0.9, "betas:1": 0.95, "momentum_decay": 0.01, "weight_decay": 0.1}),
        ("NAdam", {"decoupled_weight_decay": True}, {"eps": 0.01, "momentum_decay": 0.01, "weight_decay": 0.1}),
        ("RAdam", {}, {"betas:0": 0.9, "betas:1": 0.95, "weight_decay": 0.1}),
        ("Adamax", {}, {"betas:0": 0.9, "betas:1": 0.95, "eps": 0.01, "weight_decay": 0.1}),
        ("Adagrad", {"initial_accumulator_value": 0.1}, {"lr_decay": 0.1, "weight_decay": 0.1}),
        ("Adadelta", {}, {"rho": 0.8, "eps": 0.01, "weight_decay": 0.1}),
        ("RMSprop", {"centered": True}, {"alpha": 0.7, "momentum": 0.5, "eps": 0.01, "weight_decay": 0.1}),
        ("Rprop", {}, {"etas:0": 0.5, "etas:1": 1.2}),
        ("ASGD", {"t0": 2}, {"lambd": 0.01, "alpha": 0.7, "weight_decay": 0.1}),
    ],
)
def test_recorded_steps_have_derivatives_in_everything(name, options, numbers):
    """In the start and in every number among the options, by central differences."""
    values = {"start": np.array([0.7, -1.2, 0.4, 2.0]), "lr": np.array(0.1)}
    values |= {key: np.array(value) for key, value in numbers.items()}
    rushlight.set_default_dtype(rushlight.float64)  # the state's numbers too
    try:
        check_first_order(
            lambda *given: recorded_steps(name, options, dict(zip(values, given, strict=True))),
            *[rushlight.tensor(value, requires_grad=True) for value in values.values()],
        )
    finally:
        rushlight.set_default_dtype(rushlight.float32)
