"""Views of a base that was changed in place since: whoever uses them first finds their new history."""

import pytest

import rushlight


class Doubled(rushlight.autograd.Function):
    """A function of the user's own."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def doubled_gradient(view, leaf):
    """The gradient of the leaf through a custom function of the view."""
    Doubled.apply(view).sum().backward()
    return leaf.grad / 2


def gradient_through_a_hook(view, leaf):
    """The same where a hook on the view adds up what arrives."""
    view.register_hook(lambda grad: grad * 3)
    view.sum().backward()
    return leaf.grad / 3


def retained_gradient(view, leaf):
    """The same where the view keeps its gradient."""
    view.retain_grad()
    assert view.retains_grad
    view.sum().backward()
    assert view.grad.tolist() == [1.0, 1.0, 1.0, 1.0]
    return leaf.grad


@pytest.mark.parametrize("use", [doubled_gradient, gradient_through_a_hook, retained_gradient])
def test_first_uses_of_a_view_after_its_base_was_changed(use):
    leaf = rushlight.tensor([[0.5, -1.0], [2.0, 0.0]], dtype=rushlight.float64, requires_grad=True)
    base = leaf * 1
    view = base.view(4)
    base.tanh_()
    expected = 1 - leaf.detach().tanh() ** 2
    assert rushlight.allclose(use(view, leaf), expected)
