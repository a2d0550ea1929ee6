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


def gradient_of_joined(view, leaf):
    """The same where the view is one of several that are joined."""
    rushlight.cat([rushlight.zeros(4, dtype=view.dtype), view]).sum().backward()
    return leaf.grad


def gradient_of_stacked(view, leaf):
    """The same where the view is stacked on itself."""
    rushlight.stack([view, view]).sum().backward()
    return leaf.grad / 2


USES = [doubled_gradient, gradient_through_a_hook, retained_gradient, gradient_of_joined, gradient_of_stacked]


@pytest.mark.parametrize("use", USES)
def test_first_uses_of_a_view_after_its_base_was_changed(use):
    leaf = rushlight.tensor([[0.5, -1.0], [2.0, 0.0]], dtype=rushlight.float64, requires_grad=True)
    base = leaf * 1
    view = base.view(4)
    base.tanh_()
    expected = 1 - leaf.detach().tanh() ** 2
    assert rushlight.allclose(use(view, leaf), expected)


def test_a_view_of_what_did_not_require_grad_is_joined_with_the_history_that_it_has_now():
    base, factor = rushlight.ones(2, 2), rushlight.full((2, 2), 3.0, requires_grad=True)
    view = base[0]
    base.mul_(factor)
    rushlight.stack([view, view]).sum().backward()
    assert factor.grad.tolist() == [[2.0, 2.0], [0.0, 0.0]]


def test_a_view_made_in_inference_mode_cannot_be_joined_after_a_change():
    base = rushlight.ones(2, requires_grad=True) * 2
    with rushlight.inference_mode():
        view = base.view(2)
    base.zero_()
    with pytest.raises(RuntimeError, match="A view was created in inference mode"):
        rushlight.cat([view, base])


def test_what_was_freed_of_a_changed_view_raises_though_it_saved_nothing():
    row = rushlight.ones(2, requires_grad=True)
    whole = rushlight.ones(2, 2, requires_grad=True) * 1
    whole[0] = row
    whole.sum().backward()
    with pytest.raises(RuntimeError, match="a second time"):
        (whole * 2).sum().backward()
    assert row.grad.tolist() == [1.0, 1.0]


def test_a_leaf_that_no_longer_requires_grad_tells_its_hooks_all_the_same():
    leaf, told = rushlight.ones(2, requires_grad=True), []
    leaf.register_post_accumulate_grad_hook(lambda x: told.append(x.grad))
    result = (leaf * 2).sum()
    leaf.requires_grad_(False)
    result.backward()
    assert told == [None]


def test_a_view_recorded_nowhere_tells_its_hooks_nothing():
    leaf, told = rushlight.ones(2, requires_grad=True), []
    with rushlight.no_grad():
        view = leaf.expand(2, 2)
    view.register_post_accumulate_grad_hook(lambda x: told.append(x.grad))
    (view * leaf).sum().backward()
    assert told == []


def test_gradients_of_strided_windows_on_an_expanded_tensor():
    leaf = rushlight.ones(3, 4, requires_grad=True)
    (leaf * 1).expand(2, 3, 4).as_strided((2, 2), (1, 1)).sum().backward()
    assert leaf.grad.sum().item() == 4


@pytest.mark.parametrize("view", [lambda x: x[0], lambda x: x.unsqueeze(-1), lambda x: x.view(3, 2)])
def test_views_made_without_recording_have_no_gradient_though_their_base_has(view):
    x = rushlight.ones(2, 3, requires_grad=True)
    with rushlight.no_grad():
        y = view(x)
    for result in ((y**2).sum(), (y * y).sum()):
        assert rushlight.autograd.grad(result, [x, y], allow_unused=True) == (None, None)


def test_what_was_packed_is_freed():
    x = rushlight.ones(2, requires_grad=True)
    with rushlight.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = rushlight.where(rushlight.tensor([True, False]), rushlight.zeros(2), x)
    y.sum().backward()
    with pytest.raises(RuntimeError, match="a second time"):
        y.sum().backward()


@pytest.mark.parametrize(
    "hook", [lambda t: t.register_hook(print), lambda t: t.register_post_accumulate_grad_hook(print)]
)
def test_hooks_are_not_registered_on_a_view_whose_history_cannot_be_rewritten(hook):
    base = rushlight.ones(3, requires_grad=True) * 2
    with rushlight.no_grad():
        view = base[1:]
    base.mul_(2)
    with pytest.raises(RuntimeError, match="created in no_grad mode"):
        hook(view)


CALLS = {
    "mul": lambda t, view, other: view * other,
    "mul, second": lambda t, view, other: other * view,
    "matmul": lambda t, view, other: view @ other,
    "cat": lambda t, view, other: t.cat([view, view * other]),
    "where": lambda t, view, other: t.where(other > 0, view, other),
}


@pytest.mark.parametrize("name", CALLS)
def test_nothing_is_saved_for_a_gradient_that_leads_nowhere(torch, name):
    base, other = torch.ones(3, requires_grad=True) * 2, torch.ones(2)
    with torch.no_grad():
        view = base[1:]
    result = CALLS[name](torch, view, other)
    assert result.requires_grad
    assert all(node is None or node.next_functions[0][0] is None for node, _ in result.grad_fn.next_functions)
    other.mul_(2)
    result.sum().backward()
