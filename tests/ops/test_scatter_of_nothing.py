"""Scatters with an index without elements, and with a source or an input without dimensions."""

import pytest

import rushlight

CALLS = {
    "scatter": lambda x, index, src: x.scatter(-2, index, src),
    "add": lambda x, index, src: x.scatter_add(-2, index, src),
    "reduce": lambda x, index, src: x.scatter(-2, index, src, reduce="add"),
    **{
        name: lambda x, index, src, name=name: x.scatter_reduce(-2, index, src, name, include_self=False)
        for name in ("sum", "prod", "mean", "amax", "amin")
    },
}


@pytest.mark.filterwarnings("ignore:The reduce argument")
@pytest.mark.parametrize("name", CALLS)
def test_no_index(torch, name):
    """The source may have any shape, also one that the index would not fit; PyTorch has gradients only for some."""
    x = torch.ones(1, 2, 4, requires_grad=True)
    src = torch.randn(2, 3, 2, requires_grad=True)
    result = CALLS[name](x, torch.zeros(1, 0, 4, dtype=torch.int64), src)
    assert torch.equal(result, x)
    if name != "reduce" and torch is rushlight:
        of_x, of_src = torch.autograd.grad(result.sum(), [x, src])
        assert of_x.eq(1).all()
        assert of_src.eq(0).all()


@pytest.mark.parametrize("name", ["scatter", "add", "sum", "prod", "mean"])
def test_a_number_as_source(torch, name):
    x = torch.tensor([1.5], dtype=torch.float64, requires_grad=True)
    src = torch.tensor(2.5, dtype=torch.float64, requires_grad=True)
    calls = {
        **CALLS,
        "scatter": lambda x, i, src: x.scatter(0, i, src),
        "add": lambda x, i, src: x.scatter_add(0, i, src),
    }
    for reduce in ("sum", "prod", "mean"):
        calls[reduce] = lambda x, i, src, reduce=reduce: x.scatter_reduce(0, i, src, reduce)
    function = lambda x, src: calls[name](x, torch.tensor([0]), src) ** 2
    assert torch.autograd.gradcheck(function, (x, src))
    assert torch.autograd.gradgradcheck(function, (x, src))
