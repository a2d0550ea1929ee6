"""What PyTorch looks at first when it writes to indices, and what it writes where little or nothing is picked."""

import pytest

import rushlight as torch


def leaf():
    return torch.ones(2, 3, 4).requires_grad_()


def whole():
    return torch.arange(6.0).reshape(2, 3)


MASK = torch.tensor([False, False])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: leaf().__setitem__((..., MASK), 0.5), RuntimeError, "leaf Variable"),
        (lambda: leaf().detach().__setitem__((..., MASK), 0.5), IndexError, "shape of the mask"),
        (lambda: leaf().__setitem__((9,), 0.5), IndexError, "out of"),
        (lambda: whole().index_put((torch.tensor([9]),), torch.ones(4, 2, 3)), RuntimeError, "shape mismatch"),
        (lambda: whole().index_put((torch.tensor([1]),), torch.ones(1, 1, 3)), RuntimeError, "shape mismatch"),
        (lambda: whole()[:0].index_fill(0, torch.tensor([0]), 1.0), RuntimeError, "size 0"),
        (lambda: torch.ones(0).index_select(0, torch.tensor([0])), IndexError, "out of range"),
        (lambda: torch.ones(0, 3).index_select(0, torch.tensor([0])), RuntimeError, "should be positive"),
    ],
)
def test_what_is_named_first(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_a_tensor_is_not_written_to_itself_at_indices():
    for x in (torch.ones(0, 2), torch.ones(2, 2)):
        with pytest.raises(RuntimeError, match="unsupported operation"):
            x.index_put_((torch.tensor([9]),), x)
        with pytest.raises(RuntimeError, match="unsupported operation"):
            x[torch.tensor([9])] = x


def test_a_tensor_is_written_to_itself_with_another_dimension():
    x = torch.arange(6.0).reshape(2, 3)
    x[None] = x
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(RuntimeError, match="unsupported operation"):
        x.unsqueeze(0).add_(x)


def test_values_may_lie_in_the_gaps():
    x = torch.ones(2, 3, 4)
    part = x[:, :, 1:3]
    part.scatter_add_(0, torch.zeros(2, 3, 2, dtype=torch.int64), x)
    assert part.sum() == 24


def test_where_nothing_is_picked_no_index_is_out_of_bounds():
    x = torch.ones(2, 3, 4)
    assert x[1:1, torch.tensor([-9, 0])].shape == (0, 2, 4)
    assert torch.ones(2, 0, 4)[torch.tensor([-9, 0])].shape == (2, 0, 4)
    x[1:1, None, torch.tensor([-4, 0])] = 5.0
    assert x.sum() == 24
    with pytest.raises(IndexError, match="out of bounds"):
        torch.ones(2, 0, 4)[:, torch.tensor([0])]


@pytest.mark.parametrize("name", ["scatter", "scatter_add", "scatter_reduce"])
def test_an_index_without_dimensions_takes_the_first_value(name):
    more = ["sum"] if name == "scatter_reduce" else []
    source = torch.tensor([2.0, 3.0], dtype=torch.float64, requires_grad=True)
    for x, index in ((torch.ones((), dtype=torch.float64), 0), (torch.ones(2, dtype=torch.float64), 1)):
        result = getattr(x, name)(0, torch.tensor(index), source, *more)
        assert result.reshape(-1)[index] == (2 if name == "scatter" else 3)
        assert torch.autograd.grad(result.sum(), source)[0].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("key", "node"),
    [
        (slice(None), "Copy"),
        (slice(0, 2), "Copy"),
        ((slice(None), slice(None)), "Copy"),
        ((slice(None), ...), "Copy"),
        ((..., slice(0, 3)), "Copy"),
        (..., "Copy"),
        (slice(1, None), "CopySlices"),
        ((None, ...), "CopySlices"),
        (0, "CopySlices"),
    ],
)
def test_a_key_that_picks_all_is_no_view(key, node):
    x = leaf()[0, :2, :3] * 1
    x[key] = x[key] * 2
    assert x.grad_fn.name().removeprefix("torch::autograd::").removesuffix("Backwards") == node
    y = leaf()[0, :2, :3] * 1
    y[key] = 3.0
    assert ("Fill" in y.grad_fn.name()) == (node == "Copy")


def test_reductions_that_only_matrices_have():
    index, bools = torch.tensor([0]), torch.ones(2, 1, dtype=torch.bool)
    assert bools.index_reduce(0, index, bools[:1], "prod").all()
    assert torch.ones(2, 1, dtype=torch.complex64).index_reduce(0, index, torch.ones(1, 1) * 2j, "prod")[0, 0] == 2j
    for x, reduce in ((bools[:, 0], "prod"), (bools[:, 0] * 1j, "prod"), (bools * 1j, "amax")):
        with pytest.raises(NotImplementedError, match="not implemented for"):
            x.index_reduce(0, index, x[:1], reduce)


ONE = {  # values of a single element that share memory with what is written, and the keys of a mask that they fill
    "x[:1, :1]": torch.tensor([True, False]),
    "x[:1, 0]": torch.tensor([[True, False, True]] * 2),
    "x[1:, 2:]": (slice(None, None, 2), torch.tensor([True, False, True])),
    "x[0, 0]": torch.tensor([False, True]),
}


@pytest.mark.parametrize(("value", "key"), ONE.items())
def test_a_mask_is_filled_with_an_element_of_the_same_memory(value, key):
    x = whole()
    filled = whole()
    filled[key] = eval(value).item()
    x[key] = eval(value)
    assert x.tolist() == filled.tolist()
    if isinstance(key, torch.Tensor):
        x = whole()
        assert x.index_put_((key,), eval(value)).tolist() == filled.tolist()


def test_indices_are_not_filled_with_an_element_of_the_same_memory():
    x = whole()
    with pytest.raises(RuntimeError, match="unsupported operation"):
        x[torch.tensor([0])] = x[:1, :1]


@pytest.mark.parametrize("part", [(slice(0, 9, 3), slice(-2, None)), (slice(5, None),), (..., slice(1, 1))])
def test_nothing_is_written_to_parts_of_an_empty_tensor(part):
    leaf = torch.ones(3, 4, requires_grad=True)
    empty = (leaf * 2)[MASK.new_zeros(3)]
    empty[part].zero_()
    empty.sum().backward()
    assert leaf.grad.tolist() == torch.zeros(3, 4).tolist()
