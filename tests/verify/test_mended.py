"""A difference is explained where it is gone on a mended PyTorch, or where each line by itself gives the same."""

import pytest

import rushlight

torch = pytest.importorskip("torch")

from verify import explained  # noqa: E402
from verify.programs.program import compare, judged  # noqa: E402

COMPLEX = "a = torch.tensor([2 + 0j, 0, -3])"


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([COMPLEX, "b = a ** 0 * a ** a"], explained.POWERS),
        ([COMPLEX, "b = a - float('inf')"], explained.INFINITE),
        ([COMPLEX, "b = torch.view_as_real(torch.cat([a] * 5).neg()).reciprocal()"], explained.PLACES),
        ([COMPLEX, "b = torch.ones(3, dtype=torch.float16)", "c = b / a[0]"], explained.HALVES),
        (["a = torch.tensor([4, 4, 0])", "a //= a"], explained.HALF_DONE),
        (["a = torch.isclose(torch.ones(2), torch.ones(2))"], explained.INSIDE),
        (["a = torch.tensor([0.1, 0.2, 3.0])", "b = a.sin().view(torch.int16)"], ""),
    ],
)
def test_what_explains_a_difference(lines, reason):
    found = compare(lines)
    difference, why = judged(lines, found)
    assert difference is None
    assert not found or why in (reason, explained.DIGITS)


def test_a_mend_does_not_explain_what_it_does_not_change(monkeypatch):
    monkeypatch.setattr(rushlight.Tensor, "cos", rushlight.Tensor.sin)
    lines = [COMPLEX, "b = a - float('inf')", "c = torch.ones(2).cos()"]
    difference, _ = judged(lines, compare(lines))
    assert difference.text.startswith("c: values")


def test_gradients_of_extremes_without_what_was_there():
    lines = [
        "x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)",
        "y = x.scatter_reduce(0, torch.arange(3), x, 'amax', include_self=False)",
        "g = torch.autograd.grad((y * y).sum(), x)",
    ]
    assert judged(lines, compare(lines)) == (None, explained.EXTREMES)


X = "x = torch.tensor([3.0, 3.0, 1.0, 3.0], dtype=torch.float64, requires_grad=True)"
LARGEST = "with torch.autograd.graph.save_on_cpu():\n    t = torch.aminmax(x)[1]"
PASS = "g8 = torch.autograd.grad(t.sum(), [x], create_graph=True)"
MODE = "with torch.autograd.graph.save_on_cpu():\n    t = x.tanh()"


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([X, "g = torch.autograd.grad(x.topk(2).values.sum(), x)"], explained.TIES),
        ([X, "g = torch.autograd.grad(x.repeat(9).quantile(0.3) ** 2, x)"], explained.TIES),
        (["y = torch.ldexp(torch.ones(1), torch.full((1,), 100, dtype=torch.float16))"], explained.SCALED),
        ([X, "g = torch.func.vjp(torch.vmap(lambda x: x.var(-1)), x)[1](x.detach())"], explained.LENGTHENED),
        ([X, MODE, "t.add_(1)", "t.backward(torch.ones_like(t))"], explained.STALE),
        ([X, LARGEST, "t.zero_()", PASS, "t9 = sum((g ** 2).sum() for g in g8)"], explained.STALE),
        ([X, MODE, "t.add_(1)", "g = torch.autograd.grad(t.sum(), [x])", "n = (g[0] ** 2).sum()"], explained.SLOPE),
    ],
)
def test_what_explains_gradients_and_values(lines, reason):
    found = compare(lines)
    assert found
    assert judged(lines, found) == (None, reason)


def test_what_is_computed_from_wrong_gradients_follows_but_nothing_else(monkeypatch):
    lines = [X, MODE, "t.add_(1)", "g = torch.autograd.grad(t.sum(), [x])", "n = x.detach().cos()"]
    monkeypatch.setattr(rushlight.Tensor, "cos", rushlight.Tensor.sin)
    assert judged(lines, compare(lines))[0] is not None


def test_mean_squares_in_two_vmaps():
    lines = [
        "x, w = torch.arange(3.0).reshape(1, 3), torch.tensor([0.0, 1.0])",
        "loss = lambda w: torch.vmap(torch.nn.functional.mse_loss, (0, None))(x, w)",
        "y = torch.vmap(loss)(w)",
    ]
    assert judged(lines, compare(lines)) == (None, explained.UNREDUCED)


def test_a_line_is_to_blame_where_it_gives_other_numbers_from_the_same(monkeypatch):
    monkeypatch.setattr(rushlight.Tensor, "floor", rushlight.Tensor.ceil)
    lines = ["a = torch.tensor([0.1, 0.2, 3.0])", "b = a.sin().floor()"]
    assert judged(lines, compare(lines))[0] is not None
