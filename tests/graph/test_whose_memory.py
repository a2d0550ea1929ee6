"""Whose memory a result has: views and what is none, offsets after `.data`, inference tensors that stay as they are."""

import pytest

import rushlight as torch

NO_VIEWS = {
    "kron": lambda t: torch.kron(t, torch.ones(2)),
    "row by matrix": lambda t: t[0] @ t.mT,
    "row by matrices": lambda t: t[0] @ t[None].mT,
    "matrices by column": lambda t: t[None] @ t[0],
    "linear of one row": lambda t: torch.nn.functional.linear(t[0], t),
    "quantile": lambda t: t.quantile(0.3),
    "cumprod of a number": lambda t: t.sum().cumprod(0),
    "logcumsumexp of a number": lambda t: t.sum().logcumsumexp(0),
}
VIEWS_IN_PLACE = (
    "swapdims_(0, -1)",
    "swapaxes_(0, 1)",
    "transpose_(0, 1)",
    "t_()",
    "squeeze_()",
    "squeeze_(0)",
    "unsqueeze_(0)",
    "as_strided_((2, 2), (1, 1))",
    "resize_(2, 2)",
)


@pytest.mark.parametrize("name", NO_VIEWS)
def test_what_is_no_view_can_be_detached(name):
    t = torch.full((3, 4), 0.5, requires_grad=True)
    result = NO_VIEWS[name](t * 1)
    assert result._base is None
    result.sum().backward()
    assert t.grad.abs().sum() > 0
    assert result.detach_().is_leaf


@pytest.mark.parametrize("name", ["cumprod", "logcumsumexp", "cumsum"])
def test_a_number_accumulated_is_itself(name):
    t = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    result = getattr(t, name)(0)
    assert result.grad_fn.name() == f"{name.title()}Backward0"
    (first,) = torch.autograd.grad(result**3, t, create_graph=True)
    (second,) = torch.autograd.grad(first, t)
    assert (result.item(), first.item(), second.item()) == (0.5, 0.75, 3.0)
    assert torch.func.vmap(torch.func.grad(lambda x: getattr(x, name)(0)))(torch.ones(2)).tolist() == [1, 1]


@pytest.mark.parametrize("change", VIEWS_IN_PLACE)
def test_views_in_place_leave_inference_tensors_alone(change):
    with torch.inference_mode():
        t = torch.ones(3, 4) * 1
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        eval(f"t.{change}")
    assert t.shape == (3, 4)
    with torch.inference_mode():
        eval(f"t.{change}")


@pytest.mark.parametrize("change", ["transpose_(0, -1)", "swapaxes_(0, 0)", "t_()", "squeeze_()"])
def test_views_in_place_of_a_number_are_counted(change):
    t = torch.tensor(2.0, requires_grad=True) * 1
    eval(f"t.{change}")
    assert t._version == 1


def test_data_is_an_inference_tensor_where_the_tensor_is():
    with torch.inference_mode():
        one = torch.ones(2)
    other = torch.ones(2)
    with torch.inference_mode():
        assert one.data.is_inference()
        assert not other.data.is_inference()
    assert one.data.is_inference()


@pytest.mark.parametrize(
    ("change", "offsets"),
    [
        ("b.data = torch.ones(4)", (0, 0, 4, 1)),
        ("b.data = c", (0, 2, 4, 3)),
        ("a.data = torch.ones(3, 4)", (0, 4, 4, 5)),
        ("v.data = c", (0, 4, 2, 5)),
        ("a.data = b", (4, 4, 4, 5)),
    ],
)
def test_offsets_are_those_in_the_memory_that_a_tensor_has(change, offsets):
    a, c = torch.arange(12.0).reshape(3, 4), torch.ones(5)[2:]
    b = a[1]
    v = b.view(2, 2)
    exec(change, {"torch": torch, "a": a, "b": b, "c": c, "v": v})
    assert tuple(t.storage_offset() for t in (a, b, v, b[1:])) == offsets


@pytest.mark.parametrize("dim", [0, -1])
@pytest.mark.parametrize("repeats", [2, 0, torch.tensor([2])])
def test_a_number_has_no_dimension_to_repeat_along(dim, repeats):
    with pytest.raises(IndexError, match="Dimension"):
        torch.tensor(2.0).repeat_interleave(repeats, dim)
