"""Hooks of modules: before and after calls, and on gradients. Every test holds for PyTorch too."""

from importlib import import_module

import pytest


def base(torch):
    """Where the hooks on all modules are registered."""
    return import_module(f"{torch.__name__}.nn.modules.module")


@pytest.fixture
def double(torch):
    class Double(torch.nn.Module):
        def forward(self, x, factor=2.0):
            if factor == 0:
                raise ValueError("no factor")
            return x * factor

    return Double()


def test_hooks_replace_arguments_and_result(torch, double):
    double.register_forward_pre_hook(lambda module, args: args[0] + 1)
    double.register_forward_hook(lambda module, args, output: output * 10)
    assert double(torch.tensor(1.0)).item() == 40.0


def test_hooks_with_keywords(torch, double):
    seen = []
    double.register_forward_pre_hook(
        lambda module, args, kwargs: (args, {"factor": kwargs["factor"] + 1}), with_kwargs=True
    )
    double.register_forward_hook(lambda module, args, kwargs, output: seen.append(kwargs), with_kwargs=True)
    assert double(torch.tensor(1.0), factor=3.0).item() == 4.0
    assert seen == [{"factor": 4.0}]
    double.register_forward_pre_hook(lambda module, args, kwargs: 1, with_kwargs=True)
    with pytest.raises(RuntimeError, match="forward pre-hook must return None or a tuple of"):
        double(torch.tensor(1.0), factor=3.0)


def test_order_and_removal(torch, double):
    seen = []
    first = double.register_forward_hook(lambda *_: seen.append(1))
    double.register_forward_hook(lambda *_: seen.append(2), prepend=True)
    double.register_forward_pre_hook(lambda *_: seen.append(3))
    double.register_forward_pre_hook(lambda *_: seen.append(4), prepend=True)
    double(torch.tensor(1.0))
    assert seen == [4, 3, 2, 1]
    first.remove()
    first.remove()
    seen.clear()
    double(torch.tensor(1.0))
    assert seen == [4, 3, 2]


def test_always_call(torch, double):
    seen = []
    double.register_forward_hook(lambda *_: seen.append("usual"))
    double.register_forward_hook(lambda module, args, output: seen.append(output), always_call=True)
    with pytest.raises(ValueError, match="no factor"):
        double(torch.tensor(1.0), 0)
    assert seen == [None]


def test_always_called_hook_that_fails_too(torch, double):
    def fail(*_):
        raise RuntimeError("another")

    double.register_forward_hook(fail, always_call=True)
    silenced = pytest.warns(UserWarning, match="module forward hook with ``always_call=True`` raised an exception that")
    with silenced, pytest.raises(ValueError, match="no factor"):
        double(torch.tensor(1.0), 0)


def test_clearing_all_hooks(torch, double):
    double.register_forward_hook(lambda *_: 1)
    double._forward_hooks.clear()
    assert double(torch.tensor(1.0)).item() == 2.0


def test_hooks_of_all_modules(torch, double):
    seen = []
    handles = [
        base(torch).register_module_forward_pre_hook(lambda *_: seen.append("before")),
        base(torch).register_module_forward_hook(lambda *_: seen.append("after")),
        base(torch).register_module_full_backward_pre_hook(lambda *_: seen.append("before gradients")),
        base(torch).register_module_full_backward_hook(lambda *_: seen.append("after gradients")),
    ]
    double.register_forward_hook(lambda *_: seen.append("own"))
    double(torch.tensor(1.0, requires_grad=True)).backward()
    for handle in handles:
        handle.remove()
    double(torch.tensor(1.0))
    assert seen == ["before", "after", "own", "before gradients", "after gradients", "own"]


def test_gradients_of_inputs_and_outputs(torch):
    layer, seen = torch.nn.Linear(2, 1, bias=False), []
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[2.0, 3.0]]))
    layer.register_full_backward_hook(lambda module, inputs, outputs: seen.append((module, inputs, outputs)))
    x = torch.ones(1, 2, requires_grad=True)
    y = layer(x)
    assert y.grad_fn.name() == "BackwardHookFunctionBackward"
    (y * 5).sum().backward()
    module, inputs, outputs = seen[0]
    assert module is layer
    assert [grad.tolist() for grad in inputs] == [[[10.0, 15.0]]]
    assert [grad.tolist() for grad in outputs] == [[[5.0]]]
    assert layer.weight.grad.tolist() == [[5.0, 5.0]]
    assert x.grad.tolist() == [[10.0, 15.0]]


def test_hooks_replace_gradients(torch, double):
    double.register_full_backward_pre_hook(lambda module, outputs: (outputs[0] * 10,))
    double.register_full_backward_hook(lambda module, inputs, outputs: (inputs[0] + 1,))
    double.register_full_backward_hook(lambda module, inputs, outputs: (inputs[0] * 2,), prepend=True)
    x = torch.tensor(1.0, requires_grad=True)
    double(x).backward()
    assert x.grad.item() == 41.0


def test_several_inputs_and_outputs(torch):
    class Pair(torch.nn.Module):
        def forward(self, a, text, b, c):
            return a * b, text, a + c

    pair, seen = Pair(), []
    pair.register_full_backward_hook(lambda module, inputs, outputs: seen.append((inputs, outputs)))
    a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
    product, text, total = pair(a, "text", b, torch.tensor(1.0))
    assert text == "text"
    (product * 2 + total).backward()
    inputs, outputs = seen[0]
    assert [None if grad is None else grad.item() for grad in inputs] == [7.0, None, 4.0, 0.0]
    assert [None if grad is None else grad.item() for grad in outputs] == [2.0, None, 1.0]


def test_module_none_of_whose_inputs_requires_grad(torch):
    layer, seen = torch.nn.Linear(1, 1), []
    layer.register_full_backward_hook(lambda module, inputs, outputs: seen.append((inputs, outputs[0].item())))
    with pytest.warns(
        UserWarning, match="Full backward hook is firing when gradients are computed with respect to module"
    ):
        layer(torch.ones(1, 1)).sum().backward()
    assert seen == [((None,), 1.0)]


def test_wrong_number_of_gradients(torch, double):
    x = torch.tensor(1.0, requires_grad=True)
    handle = double.register_full_backward_hook(lambda *_: (1, 2))
    with pytest.raises(
        RuntimeError, match="Backward hook returned an invalid number of grad_input, got 2, but expected 1"
    ):
        double(x).backward()
    handle.remove()
    double.register_full_backward_pre_hook(lambda *_: (1, 2))
    with pytest.raises(
        RuntimeError, match="Backward pre hook returned an invalid number of grad_output, got 2, but exp"
    ):
        double(x).backward()


def test_result_that_cannot_be_hooked(torch):
    class Named(torch.nn.Module):
        def forward(self, x):
            return {"x": x}

    module = Named()
    module.register_full_backward_hook(lambda *_: None)
    with pytest.warns(
        UserWarning, match="For backward hooks to be called, module output should be a Tensor or a tuple"
    ):
        assert list(module(torch.ones(1))) == ["x"]


def test_hooks_run_for_every_call_and_gradient(torch, double):
    seen = []
    double.register_full_backward_hook(lambda module, inputs, outputs: seen.append(inputs[0].item()))
    x = torch.tensor(1.0, requires_grad=True)
    double(double(x)).backward()
    assert seen == [2.0, 4.0]


def test_second_derivatives_pass_through(torch):
    class Cube(torch.nn.Module):
        def forward(self, x):
            return x**3

    cube = Cube()
    cube.register_full_backward_hook(lambda module, inputs, outputs: (inputs[0] * 2,))
    x = torch.tensor(3.0, requires_grad=True)
    (first,) = torch.autograd.grad(cube(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    assert (first.item(), second.item()) == (54.0, 36.0)


def test_nothing_is_hooked_without_grad(torch, double):
    double.register_full_backward_hook(lambda *_: None)
    with torch.no_grad():
        assert double(torch.tensor(1.0, requires_grad=True)).grad_fn is None
    assert double(torch.tensor(1.0)).grad_fn is None
