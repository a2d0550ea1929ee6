"""Details that random programs found: what passes refuse, what hooks are told, what requires grad, what is drawn."""

import pytest


def leaf(torch, *values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def number(torch, value=0.5):
    return torch.tensor(value, dtype=torch.float64, requires_grad=True)


PRODUCTS = {
    "prod": lambda x: x.prod(),
    "prod along": lambda x: x.prod(-1),
    "cumprod": lambda x: x.cumprod(-1),
    "pow": lambda x: x ** x.detach(),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_save_their_result(torch, name):
    x = leaf(torch, 1.0, 2.0, 3.0)
    y = PRODUCTS[name](x)
    y.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


@pytest.mark.parametrize("use", [lambda y: y.log(), lambda y: y * y.clone(), lambda y: y.clone().atan2_(y)])
def test_what_was_saved_cannot_be_detached_in_place(torch, use):
    x = leaf(torch, 1.0, 2.0)
    y = x * 2
    z = use(y)
    y.detach_()
    with pytest.raises(RuntimeError, match="saved tensor that has been detached in-place"):
        z.sum().backward()
    y.log().sum()  # what it is used for afterwards does not need its history


def test_results_that_were_saved_can_be_detached(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x.exp()
    z = y * 2
    y.detach_()
    z.sum().backward()
    assert torch.equal(x.grad, 2 * x.detach().exp())


def test_detaching_in_place_does_nothing_in_inference_mode(torch):
    y = leaf(torch, 1.0, 2.0) * 2
    row = y[:1]
    with torch.inference_mode():
        y.detach_()
        row.detach_()
    assert y.requires_grad
    assert row.requires_grad
    assert y.grad_fn is not None


CONSTANT = {
    "prod": lambda s: s.prod(),
    "cumprod": lambda s: s.cumprod(0),
    "cumprod of one": lambda s: s.reshape(1).cumprod(0).sum(),
    "logcumsumexp": lambda s: s.logcumsumexp(0),
    "var": lambda s: s.var(),
}


@pytest.mark.parametrize("name", CONSTANT)
def test_a_constant_derivative_does_not_require_grad(torch, name):
    s = number(torch)
    (grad,) = torch.autograd.grad(CONSTANT[name](s), s, create_graph=True)
    assert not grad.requires_grad


@pytest.mark.parametrize("function", ["var_mean", "std_mean"])
def test_the_mean_of_one_number_has_a_derivative_where_its_variance_has_none(torch, function):
    b = leaf(torch, 0.5).reshape(1, 1)
    (grad,) = torch.autograd.grad(getattr(torch, function)(b, 0)[1], b, torch.ones(1).double(), create_graph=True)
    assert grad.tolist() == [[1.0]]
    assert not grad.requires_grad


@pytest.mark.parametrize("function", ["var_mean", "std_mean"])
def test_both_moments_together(torch, function):
    x = leaf(torch, 1.0, 2.0, 6.0)
    spread, mean = getattr(torch, function)(x)
    (both,) = torch.autograd.grad(spread + 3 * mean, x)
    parts = [torch.autograd.grad(y, x)[0] for y in (getattr(torch, function)(x)[0], 3 * x.mean())]
    assert torch.allclose(both, sum(parts))


def test_hooks_of_nodes_are_told_only_what_is_wanted(torch):
    seen = []
    x, s = leaf(torch, 1.0, 2.0), number(torch)
    y = torch.dist(x, s.detach())
    y.grad_fn.register_hook(lambda inputs, outputs: seen.append([g is None for g in inputs]))
    y.backward()
    z = torch.nn.functional.mse_loss(x, s.expand(2))
    z.grad_fn.register_hook(lambda inputs, outputs: seen.append([g is None for g in inputs]))
    torch.autograd.grad(z, s)
    assert [told[:2] for told in seen] == [[False, True], [True, False]]


def test_hooks_of_nodes_are_told_what_arrived(torch):
    seen = []
    mean = torch.var_mean(leaf(torch, 1.0, 2.0))[1]
    mean.grad_fn.register_hook(lambda inputs, outputs: seen.append([g is None for g in outputs]))
    mean.backward()
    assert seen == [[True, False]]


def test_a_view_made_without_grad_waits_for_no_gradient(torch):
    seen = []
    x = leaf(torch, 1.0, 2.0)
    with torch.no_grad():
        view = x.view(2)
    view.register_post_accumulate_grad_hook(seen.append)
    (view * x).sum().backward()
    (view.sum() + (view + torch.zeros(3, 2, dtype=torch.float64)).sum()).backward()
    assert view.grad is None
    assert seen == []
    assert x.grad.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("name", ["mode", "cummax", "cummin", "kthvalue"])
def test_the_extreme_of_a_complex_number_has_no_derivative(torch, name):
    s = torch.tensor(1 + 2j)
    arguments = {"kthvalue": (1,), "mode": ()}.get(name, (0,))
    assert getattr(s, name)(*arguments)[0] == s
    with pytest.raises(RuntimeError, match=f"{name} does not support automatic differentiation for outputs"):
        getattr(s.requires_grad_(), name)(*arguments)


@pytest.mark.parametrize(
    ("view", "name"),
    [
        (lambda torch, z: torch.view_as_real(z), "ViewAsRealBackward0"),
        (lambda torch, z: torch.view_as_real(z)[0], "AsStridedBackward0"),
        (lambda torch, z: z[:1], "AsStridedBackward0"),
    ],
)
def test_a_view_of_another_type_keeps_the_name_of_its_node(torch, view, name):
    z = leaf(torch, 1.0, 2.0) * 1j
    part = view(torch, z)
    part.mul_(2)
    assert part.grad_fn.name() == name
    z.mul_(2)
    assert part.grad_fn.name() == name


WRONG = {
    "diagonal": lambda torch, view: view.diagonal(),
    "a slice": lambda torch, view: view[0:],
    "an assignment": lambda torch, view: view.__setitem__(slice(0, 1), 1.0),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_lost_history_is_told_before_wrong_arguments(torch, name):
    y = leaf(torch, 1.0, 2.0) * 2
    view = y.unbind(0)[1]
    y.mul_(2)
    with pytest.raises(RuntimeError, match="is a view and its base or another view of its base"):
        WRONG[name](torch, view)


def test_a_lost_history_does_not_matter_without_grad(torch):
    y = leaf(torch, 1.0, 2.0) * 2
    with torch.no_grad():
        view = y.view(2)
        y.mul_(2)
        assert view.exp().shape == (2,)
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode"):
        view.exp()
    c = torch.ones(2, dtype=torch.float64)
    with torch.no_grad():
        view = c.view(2)
    c.mul_(y)
    assert view.requires_grad_() is view


@pytest.mark.parametrize("name", ["uniform_", "normal_", "bernoulli_", "exponential_", "random_", "log_normal_"])
def test_nothing_is_drawn_for_what_must_not_be_changed(torch, name):
    x = leaf(torch, 1.0, 2.0)
    torch.manual_seed(0)
    expected = torch.rand(2)
    torch.manual_seed(0)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        getattr(x, name)()
    assert torch.equal(torch.rand(2), expected)


def test_a_value_of_fewer_dimensions_may_be_the_target_itself(torch):
    x = torch.arange(3.0)
    for row in (x.unsqueeze(0), x[None]):
        row[:] = x
        assert row.tolist() == [[0.0, 1.0, 2.0]]
    with pytest.raises(RuntimeError):
        x.reshape(3, 1)[:] = x


def test_numbers_without_dimensions(torch):
    s = number(torch)
    y = s * 1
    y.masked_scatter_(torch.tensor(True), y * 2)
    y.backward()
    assert s.grad == 2.0
    assert torch.atleast_2d(s).grad_fn.name() == "ViewBackward0"
    with pytest.raises(RuntimeError, match="unflatten got an unexpected error"):
        s.unflatten(0, (1,))


def test_what_is_like_a_result_lies_as_the_result_shows_it(torch):
    c = torch.ones(3, 4).t()
    stacked = torch.stack([c, c * 2])
    assert torch.empty_like(stacked).stride() == torch.zeros_like(stacked).stride() == (12, 3, 1)


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("fill", [lambda y: y.zero_(), lambda y: y.fill_(0.0)])
def test_an_expanded_tensor_can_be_filled(torch, fill, recorded):
    y = leaf(torch, 1.0, 2.0) * (1 if recorded else 2)
    y = y if recorded else y.detach()
    fill(y.expand(2, 2))
    assert y.tolist() == [0.0, 0.0]
    assert y.requires_grad == recorded
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        y.expand(2, 2).mul_(2)


@pytest.mark.parametrize("name", ["add", "sub"])
def test_a_multiple_that_is_added_or_subtracted(torch, name):
    x, y = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 5.0)
    z = getattr(torch, name)(x, y, alpha=0.5)
    assert z.grad_fn.name() == f"{name.title()}Backward0"
    sign = 1 if name == "add" else -1
    assert z.tolist() == [1 + sign * 1.5, 2 + sign * 2.5]
    z.sum().backward()
    assert (x.grad.tolist(), y.grad.tolist()) == ([1.0, 1.0], [sign * 0.5, sign * 0.5])
