"""Tensors that get other memory or another shape behind the graph's back: by `.data`, or in place under no_grad."""

import pytest

import rushlight as torch


def numbers(*shape, start=1.0):
    count = torch.Size(shape).numel()
    return torch.arange(start, start + count, dtype=torch.float64).reshape(shape)


def replace(y, value):
    y.data = value


CHANGES = {
    "data": lambda y: replace(y, numbers(2, 3)),
    "inference": lambda y: inference(y.unsqueeze_, 0),
    "unsqueeze_": lambda y: silent(y.unsqueeze_, 0),
    "more dimensions": lambda y: replace(y, numbers(1, 2, 3)),
    "dtype": lambda y: replace(y, numbers(3).float()),
}


def silent(function, *args):
    with torch.no_grad():
        function(*args)


def inference(function, *args):
    with torch.inference_mode():
        function(*args)


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("name", CHANGES)
def test_a_gradient_gets_the_shape_that_was_recorded(name, create_graph):
    x = numbers(3).requires_grad_()
    y = x * 2
    early = y * 10
    CHANGES[name](y)
    total = (y * y).sum() + early.sum()
    (grad,) = torch.autograd.grad(total, x, create_graph=create_graph)
    late = (2 * y.detach().double()).reshape(-1, 3).sum(0)
    assert grad.dtype is torch.float64
    assert grad.tolist() == (2 * late + 20).tolist()


def test_a_gradient_of_another_shape_is_refused():
    x = numbers(2, 3).requires_grad_()
    y = x * 1
    y.data = numbers(3)
    words = r"Function MulBackward0 returned an invalid gradient at index 0 - got \[3\] but expected shape"
    with pytest.raises(RuntimeError, match=words + r" compatible with \[2, 3\]"):
        (y * y).sum().backward()
    with pytest.raises(RuntimeError, match=r"^invalid gradient at index 0 - got \[3\]"):
        y.backward(torch.ones(3, dtype=torch.float64))


def test_a_leaf_expects_gradients_of_the_shape_that_it_has():
    x = numbers(3).requires_grad_()
    before = x * 2
    x.data = numbers(2, 3)
    (x * x).sum().backward()
    assert x.grad.tolist() == (2 * x).tolist()
    with pytest.raises(RuntimeError, match=r"invalid gradient at index 0 - got \[3\] but expected .* \[2, 3\]"):
        before.sum().backward()


def test_saved_values_of_another_shape_are_an_error_in_words():
    x = numbers(4).requires_grad_()
    c = numbers(4)
    y = (x * c).sin()
    c.data = numbers(3)
    with pytest.raises(RuntimeError, match="size of tensor a"):
        y.sum().backward()


def changed(base, view, change):
    change(base, view)
    return view.sum()


@pytest.mark.parametrize("change", [lambda base, view: view.mul_(2), lambda base, view: base.mul_(2)])
@pytest.mark.parametrize("which", ["base", "view"])
def test_a_view_that_lies_elsewhere_has_no_place_in_its_base(change, which):
    x = numbers(2, 3).requires_grad_()
    base = x * 1
    view = base[1]
    replace(base if which == "base" else view, numbers(2, 3) if which == "base" else numbers(3))
    with pytest.raises(RuntimeError, match="A view and its base lie in different memory"):
        changed(base, view, change).backward()


def test_a_view_keeps_its_offset_when_its_base_gets_other_data():
    c = numbers(3, 4)
    row, windows = c[1], c[1].as_strided((2, 2), (1, 1))
    c.data = numbers(3, 4)
    assert (row.storage_offset(), windows.storage_offset(), c.storage_offset()) == (4, 4, 0)


@pytest.mark.parametrize("alias", [lambda t: t.data, lambda t: t.detach(), lambda t: t.data[:]])
def test_memory_that_is_read_and_written_is_seen_through_data(alias):
    c = numbers(4)
    with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor refer to"):
        alias(c)[1:].add_(c[:3])
    assert alias(c).add_(c).tolist() == [2, 4, 6, 8]


def test_data_takes_over_whether_it_is_inference():
    with torch.inference_mode():
        x = numbers(2)
    x.data = numbers(2)
    assert not x.is_inference()


@pytest.mark.parametrize("function", [lambda t: t.squeeze_(), lambda t: t.transpose_(0, -1)])
def test_a_view_changed_unseen_looks_at_its_base_anew(function):
    x = numbers(2, 3).requires_grad_()
    view = (x * 1)[0]
    silent(function, view)
    assert view.grad_fn.name() == "AsStridedBackward0"
    part = x.chunk(2, 0)[1]
    silent(function, part)
    with pytest.raises(RuntimeError, match="Output 1 of Split is a view and its base or another view"):
        _ = part.grad_fn
