"""Changes in place: what they do to values, gradients, views and versions; what is refused. Checked by hand."""

import gc
import warnings
import weakref

import pytest

import rushlight as torch
from tests.derivatives import check_derivatives


def leaf(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def test_a_change_through_a_view_rewrites_the_base():
    x = leaf(1, 2, 3, 4)
    y = x * 1
    part = y[1:3]
    part.mul_(10)
    assert y.tolist() == [1, 20, 30, 4]
    assert (y.grad_fn.name(), part.grad_fn.name()) == ("torch::autograd::CopySlices", "AsStridedBackward0")
    y.sum().backward()
    assert x.grad.tolist() == [1, 10, 10, 1]


def test_a_change_of_the_base_renews_the_views():
    x = leaf(1, 2, 3, 4)
    y = x * 1
    row = y.view(2, 2)[1]
    y.mul_(3)
    assert row.tolist() == [9, 12]
    row.sum().backward()
    assert x.grad.tolist() == [0, 0, 3, 3]


def test_an_expanded_view_is_renewed_with_its_sum():
    x = leaf(1, 2)
    y = x * 1
    seen = y.expand(3, 2)
    y.mul_(2)
    seen.sum().backward()
    assert x.grad.tolist() == [6, 6]


def test_views_of_views_and_overlapping_changes():
    x = leaf(1, 2, 3, 4, 5, 6)
    y = x * 1
    matrix = y.view(2, 3)
    matrix.T[0].mul_(2)
    matrix[0].add_(matrix[1] * 1)
    assert y.tolist() == [10, 7, 9, 8, 5, 6]
    y.sum().backward()
    assert x.grad.tolist() == [2, 1, 1, 4, 2, 2]


def test_a_constant_becomes_part_of_the_graph():
    buffer, x = torch.zeros(3, dtype=torch.float64), leaf(1, 2, 3)
    for i in range(3):
        buffer[i] = x[i] ** 2
    buffer.sum().backward()
    assert x.grad.tolist() == [2, 4, 6]


def test_what_is_overwritten_has_no_gradient():
    x, value = leaf(1, 2, 3), leaf(5)
    y = x * 2
    y[1:] = value
    y.sum().backward()
    assert (x.grad.tolist(), value.grad.tolist()) == ([2, 0, 0], [2])


def test_the_old_value_is_kept_for_the_gradient_of_the_other_operand():
    y, w = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0], requires_grad=True)
    y.mul_(w)
    y.sum().backward()
    assert w.grad.tolist() == [1, 2]


@pytest.mark.parametrize("name", ["exp_", "sigmoid_", "tanh_", "sqrt_"])
def test_second_derivatives_of_changes_that_save_their_result(name):
    def change(x):
        y = x * x
        getattr(y[1:], name)()
        return y * x

    check_derivatives(change, leaf(0.3, 0.5, 0.7))


def test_second_derivatives_of_a_mixture():
    def change(x, w):
        y = (x * w).view(2, 2)
        y.T[0].mul_(w[:2])
        y[1] = y[0].clone() * x[:2]
        y.add_(w[0])
        return y

    check_derivatives(change, leaf(0.3, 0.5, 0.7, -0.2), leaf(1.5, -2, 0.4, 0.9))


def test_a_saved_value_that_was_changed_is_noticed():
    x = leaf(1, 2)
    y = x.exp()
    y[0] = 5
    with pytest.raises(RuntimeError, match=r"an inplace operation: \[torch.DoubleTensor \[2\]\].* version 1"):
        y.sum().backward()


def test_a_change_through_detach_is_noticed():
    x = leaf(1, 2)
    y = x * 2
    z = y * y
    y.detach().zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_division_saves_its_operands():
    x, w = leaf(1, 2), leaf(4, 5)
    y = x / w
    y += 1
    y.sum().backward()
    assert w.grad.tolist() == [-1 / 16, -2 / 25]


def no_grad_view(x):
    y = x * 1
    with torch.no_grad():
        v = y[0:1]
    v.mul_(2)


def piece(x):
    (x * 1).split(1)[0].mul_(2)


def view_of_piece(x):
    (x * 1).unbind()[0].view(1).mul_(2)


def stale_piece(x):
    y = x * 1
    pieces = y.chunk(2)
    y.mul_(2)
    pieces[0].sum()


REFUSED = [
    (lambda x: x.mul_(2), "a leaf Variable that requires grad is being used in an in-place operation"),
    (lambda x: x[0:1].mul_(2), "a view of a leaf Variable that requires grad is being used in an in-place operation"),
    (no_grad_view, "A view was created in no_grad mode and is being modified inplace with grad mode enabled"),
    (piece, "Output 0 of Split is a view and is being modified inplace. This view is the output of a function that"),
    (view_of_piece, "Output 0 of View is a view and is being modified inplace"),
    (stale_piece, "Output 0 of Split is a view and its base or another view of its base has been modified inplace"),
    (lambda x: torch.zeros(2).expand(3, 2).add_(1), "more than one element of the written-to tensor refers"),
    (lambda x: torch.zeros(3)[1:].add_(torch.zeros(3)), r"output with shape \[2\]|The size of tensor a"),
    (lambda x: torch.zeros(1).add_(torch.zeros(3)), r"output with shape \[1\] doesn't match the broadcast shape \[3\]"),
    (lambda x: torch.tensor([1]).add_(0.5), "result type Float can't be cast to the desired output type Long"),
]


@pytest.mark.parametrize(("change", "message"), REFUSED)
def test_what_is_refused(change, message):
    with pytest.raises(RuntimeError, match=message):
        change(leaf(1, 2))


def test_overlapping_operands_are_refused():
    x = torch.arange(4.0)
    with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor"):
        x[1:] = x[:-1]
    x[1:] = x[:-1].clone()
    assert x.tolist() == [0, 0, 1, 2]


def test_a_single_element_is_repeated_over_what_it_is_part_of():
    x = leaf(1, 2, 3)
    y = x * 2
    y[...] = y[:1]
    y.sum().backward()
    assert (y.tolist(), x.grad.tolist()) == ([2, 2, 2], [6, 0, 0])


@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge", "less", "greater_equal"])
def test_comparisons_in_place_are_recorded(name):
    compared = {"less": "lt", "greater_equal": "ge"}.get(name, name).capitalize()
    x, other = leaf(1, 2), leaf(2, 2)
    for target, operand, node in ((x * 1, 2, 0), (x * 1, other, 1), (torch.tensor([1.0, 2.0]), other, 1)):
        expected = getattr(torch, name)(target.detach(), operand)
        changed = getattr(target, f"{name}_")(operand)
        assert changed is target
        assert target.tolist() == expected.tolist()
        assert target.grad_fn.name() == f"{compared}Backward{node}"
        target.sum().backward()
    assert x.grad.tolist() == other.grad.tolist() == [0, 0]
    with torch.no_grad():
        assert not getattr(torch.ones(2), f"{name}_")(other).requires_grad


def test_a_changed_view_without_a_history_is_named_after_what_it_shows():
    def node(view):
        view[0] = torch.ones((), requires_grad=True)
        return view.grad_fn.name()

    numbers = torch.arange(6.0).reshape(3, 2)
    assert node(torch.view_as_complex(numbers * 1)) == "ViewAsComplexBackward0"
    numbers = torch.view_as_complex(numbers)
    assert node(torch.view_as_real(numbers * 1)) == "ViewAsRealBackward0"
    assert node((numbers * 1).conj()) == "ConjBackward0"
    assert node((numbers * 1).real) == node(torch.view_as_real(numbers * 1)[1:]) == "AsStridedBackward0"


def test_changes_without_grad_mode_keep_the_history():
    x = leaf(1, 2)
    y = x * 3
    with torch.no_grad():
        y.zero_()
        x.add_(1)
    y.sum().backward()
    assert (y.tolist(), x.tolist(), x.grad.tolist()) == ([0, 0], [2, 3], [3, 3])
    assert (x._version, y._version) == (1, 1)


def test_retained_gradients_are_those_of_the_last_value():
    x = leaf(1, 2)
    y = x * 1
    y.retain_grad()
    y.mul_(5)
    (y * 2).sum().backward()
    assert (y.grad.tolist(), x.grad.tolist()) == ([2, 2], [10, 10])


def test_graphs_with_changes_are_freed_at_once():
    gc.disable()
    try:
        x = leaf(1, 2)
        y = x * 1
        view = y[0:1]
        view.exp_()
        y.tanh_()
        node = weakref.ref(y.grad_fn)
        del y, view
        assert node() is None
    finally:
        gc.enable()


MEMORY = {  # whether a change may read the very tensor that it changes, and a tensor that lies across its memory
    "x.add_({})": (True, False),
    "x.lerp_({}, 0.5)": (True, False),
    "x.copy_({})": (True, False),
    "x.addmm_({}, x)": (True, True),
    "x.masked_scatter_(x > 0, {})": (True, True),
    "x.masked_fill_(x > 0, {}[0, 0])": (True, True),
    "x.index_fill_(0, i, {}[0, 0])": (True, True),
    "x.__setitem__(x > 0, {}[0, 0])": (True, True),
    "x.scatter_(0, j, {})": (False, False),
    "x.scatter_add_(0, j, {})": (False, False),
    "x.scatter_reduce_(0, j, {}, 'sum')": (False, False),
    "x.index_add_(0, i, {})": (False, False),
    "x.index_copy_(0, i, {})": (False, False),
    "x.index_reduce_(0, i, {}, 'prod')": (False, False),
    "x.index_put_((i,), {})": (False, False),
    "x.put_(j, {})": (False, False),
    "x.__setitem__(i, {})": (False, False),
}


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize(("other", "number"), [("x", 0), ("x.T", 1)])
@pytest.mark.parametrize("form", MEMORY)
def test_memory_that_is_read_and_changed(torch, form, other, number, recorded):
    x = torch.ones(3, 3, requires_grad=recorded)
    names = {"x": x * 1 if recorded else x, "i": torch.tensor([0, 1, 2]), "j": torch.arange(9).reshape(3, 3) % 3}
    if MEMORY[form][number]:
        eval(form.format(other), names)
    else:
        with pytest.raises(RuntimeError, match="unsupported operation: some elements of the input tensor and the writ"):
            eval(form.format(other), names)


@pytest.mark.parametrize(
    "change",
    [
        "index_copy_(0, torch.tensor([1]), torch.ones(1, 4))",
        "scatter_(0, torch.tensor([9]), 1.0)",
        "cumsum_(3)",
        "add_(torch.ones(3))",
        "index_fill_(0, torch.tensor([7]), 0.0)",
    ],
)
def test_a_leaf_is_refused_before_arguments_that_do_not_fit(change):
    leaf = torch.ones(4, requires_grad=True)
    for target in (leaf, leaf[:2]):
        with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
            eval(f"target.{change}", {"torch": torch, "target": target})


def test_a_copy_of_complex_into_real_numbers_warns_once():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        x = torch.zeros(2).copy_(torch.tensor([1 + 2j, 3j]))
    assert x.tolist() == [1.0, 0.0]
    assert [str(one.message) for one in caught] == ["Casting complex values to real discards the imaginary part"]
