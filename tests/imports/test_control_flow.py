"""Control flow as functions: `cond`, `while_loop`, `scan`, `associative_scan` and `map`."""

import pytest

import rushlight as torch
from rushlight import _higher_order_ops as flow


def test_branches_and_loops():
    x = torch.tensor([1.0, -2.0], requires_grad=True)
    for pred, expected in ((True, [2, 2]), (x.sum() > 0, [1, 1]), (torch.tensor([1]), [2, 2])):
        x.grad = None
        torch.cond(pred, lambda x, n: x * n, lambda x, n: x + n, (x, 2)).sum().backward()
        assert x.grad.tolist() == expected
    with pytest.raises(RuntimeError, match="single-element tensor"):
        torch.cond(x > 0, torch.sin, torch.cos, (x,))
    n, y = torch.while_loop(lambda n, y: n < 3, lambda n, y: [n + 1, y * x], (torch.tensor(0), x))
    y.sum().backward()
    assert (n.item(), y.tolist(), x.grad.tolist()) == (3, [1, 16], [6, -30])
    with pytest.raises(RuntimeError, match="a tuple of 2 values"):
        torch.while_loop(lambda n, y: n < 3, lambda n, y: n + 1, (n * 0, y))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_recurrences(dim, reverse):
    x = torch.randn(3, 4, generator=torch.Generator().manual_seed(0)).requires_grad_()
    start = torch.zeros(x.shape[1 - dim % 2])
    last, sums = flow.scan(lambda total, row: (total + row, total + row), start, x, dim=dim, reverse=reverse)
    expected = x.flip(dim).cumsum(dim).flip(dim) if reverse else x.cumsum(dim)
    torch.testing.assert_close(sums, expected)
    torch.testing.assert_close(last, x.sum(dim))
    torch.testing.assert_close(flow.associative_scan(torch.add, x, dim, reverse), expected)
    (found,) = torch.autograd.grad(flow.associative_scan(torch.mul, x, dim, reverse)[0].sum(), x)
    products = x.flip(dim).cumprod(dim).flip(dim) if reverse else x.cumprod(dim)
    torch.testing.assert_close(found, torch.autograd.grad(products[0].sum(), x)[0])


@pytest.mark.parametrize("count", range(1, 10))
def test_partial_results_are_in_order(count):
    m = torch.randn(count, 2, 2, generator=torch.Generator().manual_seed(count))
    found = flow.associative_scan(lambda a, b: {"m": a["m"] @ b["m"], "n": a["n"] + b["n"]}, {"m": m, "n": m}, 0)
    expected = [m[0]]
    for each in m[1:]:
        expected.append(expected[-1] @ each)
    torch.testing.assert_close(found["m"], torch.stack(expected))
    torch.testing.assert_close(found["n"], m.cumsum(0))


def test_functions_of_slices():
    assert flow.map(lambda x, y: x.sum() * y, torch.arange(6).view(3, 2), 2).tolist() == [2, 10, 18]
    with pytest.raises(RuntimeError, match="scan dimension > 0"):
        flow.map(torch.sin, torch.ones(0, 2))
    with pytest.raises(ValueError, match="Combine_mode"):
        flow.associative_scan(torch.add, torch.ones(2), 0, combine_mode="other")
