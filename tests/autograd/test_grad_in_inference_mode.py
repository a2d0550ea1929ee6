"""Grad mode inside inference mode: it is on where it was switched on, and nothing is recorded all the same."""

import pytest


@pytest.fixture
def x(torch):
    return torch.ones(2, requires_grad=True)


def test_nothing_is_recorded(torch, x):
    with torch.inference_mode(), torch.enable_grad():
        assert torch.is_grad_enabled()
        assert torch.is_inference_mode_enabled()
        y = x * 2
        leaf = torch.ones(2, requires_grad=True)
        assert (leaf * 2).grad_fn is None
        with pytest.raises(
            RuntimeError, match="element 0 of tensors does not require grad and does not have a grad_fn"
        ):
            leaf.sum().backward()
    assert y.is_inference()
    assert not y.requires_grad


def test_changes_in_place(torch, x):
    with torch.inference_mode(), torch.enable_grad():
        y = x.clone()
        assert y.mul_(2).grad_fn is None
        x.mul_(3)
        view = x.view(-1)
    assert x.tolist() == [3, 3]
    assert (view.requires_grad, view.grad_fn, view.is_inference()) == (True, None, False)


def test_modes_come_back(torch, x):
    with torch.inference_mode():
        assert not torch.is_grad_enabled()
        torch.set_grad_enabled(True)
        with torch.inference_mode(False):
            assert (x * 2).requires_grad
        with torch.no_grad():
            assert not torch.is_grad_enabled()
        assert torch.is_grad_enabled()
        assert not (x * 2).requires_grad
    assert (x * 2).requires_grad


def test_custom_functions_require_grad_all_the_same(torch, x):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    with torch.inference_mode(), torch.enable_grad():
        y = Double.apply(x)
    assert (y.requires_grad, y.is_inference()) == (True, True)


def test_the_name_of_a_copy(torch, x):
    node = torch.zeros(2).copy_(x).grad_fn
    assert (node.name(), type(node).__name__) == ("torch::autograd::CopyBackwards", "CopyBackwards")
    assert x.clone().grad_fn.name() == "CloneBackward0"
