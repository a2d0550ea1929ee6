"""Modules as functions: `functional_call` and `stack_module_state`, as PyTorch's."""

import pytest


def twins(torch):
    """A module with two names for one parameter, and a buffer that it changes."""

    class Twins(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = torch.nn.Parameter(torch.ones(2))
            self.second = self.first
            self.register_buffer("calls", torch.zeros(()))

        def forward(self, x, *, factor=1.0):
            self.calls += 1
            return (x + self.first + self.second) * factor

    return Twins()


def test_other_parameters(torch):
    model = torch.nn.Linear(2, 1)
    weight, bias = torch.tensor([[1.0, 2.0]]), torch.tensor([10.0])
    assert torch.func.functional_call(model, {"weight": weight, "bias": bias}, torch.ones(2)).item() == 13.0
    assert torch.func.functional_call(model, ({"weight": weight}, {"bias": bias}), (torch.ones(2),)).item() == 13.0
    assert model.weight is dict(model.named_parameters())["weight"]
    assert model.weight is not weight


def test_gradients_of_other_parameters(torch):
    model = torch.nn.Linear(2, 1, bias=False)
    loss = lambda p, x: torch.func.functional_call(model, p, x).sum()
    grads = torch.func.grad(loss)({"weight": torch.zeros(1, 2)}, torch.tensor([3.0, 4.0]))
    assert grads["weight"].tolist() == [[3.0, 4.0]]


def test_tied_parameters_and_buffers(torch):
    model, x = twins(torch), torch.zeros(2)
    call = torch.func.functional_call
    assert call(model, {"first": torch.zeros(2)}, x).tolist() == [0.0, 0.0]
    assert call(model, {"first": torch.zeros(2)}, x, tie_weights=False).tolist() == [1.0, 1.0]
    assert call(model, {}, x, {"factor": 3.0}).tolist() == [6.0, 6.0]
    state = {"calls": torch.tensor(5.0)}
    call(model, state, x)
    assert state["calls"].item() == 6.0
    assert model.calls.item() == 3.0


def test_errors(torch):
    model, x = twins(torch), torch.zeros(2)
    call = torch.func.functional_call
    with pytest.raises(ValueError, match="functional_call got multiple values for keys"):
        call(model, {"first": torch.zeros(2), "second": torch.ones(2)}, x)
    with pytest.raises(ValueError, match="appeared in multiple dictionaries"):
        call(model, ({"first": x}, {"first": x}), x)
    with pytest.raises(ValueError, match="Expected all elements of parameter_and_buffer_dicts to be dictionaries"):
        call(model, (x,), x)
    with pytest.raises(RuntimeError, match=r"Error\(s\) in reparametrizing for Twins"):
        call(model, {"third": x}, x, strict=True)


def test_ensembles(torch):
    models = [torch.nn.Linear(3, 2) for _ in range(4)]
    parameters, buffers = torch.func.stack_module_state(models)
    assert parameters["weight"].shape == (4, 2, 3)
    assert parameters["weight"].is_leaf
    assert parameters["weight"].requires_grad
    assert buffers == {}
    x = torch.ones(5, 3)
    call = lambda p, b, x: torch.func.functional_call(models[0], (p, b), x)
    out = torch.vmap(call, (0, 0, None))(parameters, buffers, x)
    for k, model in enumerate(models):
        assert torch.allclose(out[k], model(x), atol=1e-6)
    out.sum().backward()
    assert torch.allclose(parameters["bias"].grad, torch.full((4, 2), 5.0))


def test_errors_of_ensembles(torch):
    stack = torch.func.stack_module_state
    with pytest.raises(RuntimeError, match="Expected at least one model, got 0"):
        stack([])
    with pytest.raises(RuntimeError, match="to be of the same class"):
        stack([torch.nn.Linear(1, 1), torch.nn.Bilinear(1, 1, 1)])
    with pytest.raises(RuntimeError, match="to have the same training/eval mode"):
        stack([torch.nn.Linear(1, 1), torch.nn.Linear(1, 1).eval()])
