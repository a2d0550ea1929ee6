"""Rounding is told from faults: PyTorch's own numbers change as much, where what they come from changes so little."""

import pytest

import rushlight

torch = pytest.importorskip("torch")

from verify import explained  # noqa: E402
from verify.programs.program import compare, judged  # noqa: E402
from verify.programs.rounding import is_rounding  # noqa: E402

BEFORE_NORMALIZATION = [  # the bias of the first layer has no gradient but rounding
    "torch.manual_seed(7)",
    "x = torch.randn(4, 6)",
    "net = torch.nn.Sequential(torch.nn.Linear(6, 6), torch.nn.BatchNorm1d(6), torch.nn.GELU(), torch.nn.Linear(6, 3))",
    "p = list(net.parameters())",
    "loss = torch.nn.functional.mse_loss(net(x), torch.ones(4, 3))",
    "loss.backward()",
    "(p[1].grad.abs() > 0).any()",
]


def scaled(name, factor):
    """A function of rushlight's whose result is a little wrong."""
    right = getattr(rushlight.nn.functional, name)
    return lambda *args, **kwargs: right(*args, **kwargs) * factor


def test_what_is_rounding_on_pytorch_is_rounding():
    lines = [*BEFORE_NORMALIZATION, "step = p[1].grad.sign()"]
    assert is_rounding(lines)
    assert judged(lines, compare(lines))[1] in ("", explained.ROUNDING)


@pytest.mark.parametrize("factor", [1 + 1e-2, 1 - 1e-2, -1])
def test_a_fault_is_not(monkeypatch, factor):
    monkeypatch.setattr(rushlight.nn.functional, "mse_loss", scaled("mse_loss", factor))
    assert not is_rounding(BEFORE_NORMALIZATION)
    found = compare(BEFORE_NORMALIZATION)
    assert judged(BEFORE_NORMALIZATION, found)[0].kind == "values"


GIVEN = [
    "x = torch.ones(2, 2, requires_grad=True)",
    "y = x * 1",
    "row = y[1]",
    "row.data = torch.ones(2)",
    "row.mul_(2)",
]


def test_a_line_is_to_blame_where_the_others_give_the_same(monkeypatch):
    assert judged(GIVEN, compare(GIVEN)) == (None, explained.GIVEN)
    monkeypatch.setattr(rushlight.Tensor, "cos", rushlight.Tensor.sin)
    lines = [*GIVEN[:-1], "z = torch.ones(2).cos()"]
    assert judged(lines, compare(lines))[0].text.startswith("z: values")


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["x = torch.ones(3, 2, requires_grad=True)", "q1 = x.quantile(0.5)"], explained.INSIDE),
        (
            ["x = torch.ones(3, 2, requires_grad=True)", "a = x.quantile(0.5)", "b = x * 1", "b.add_(1)"],
            explained.INSIDE,
        ),
    ],
)
def test_an_explanation_is_of_the_variable_that_differs(lines, reason, monkeypatch):
    assert judged(lines, compare(lines)) == (None, reason)
    monkeypatch.setattr(rushlight.Tensor, "add_", lambda self, other: self)
    if "b.add_(1)" in lines:
        assert judged(lines, compare(lines))[0].text.startswith("b: ")


SATURATED = [  # after the step the slopes of tanh are the last digits of its values
    "torch.manual_seed(526)",
    "x = torch.randn(8, 3, 2)",
    "net = torch.nn.RNN(2, 3, batch_first=True, bidirectional=True)",
    "p = list(net.parameters())",
    "o = torch.optim.SGD(p, lr=0.1, weight_decay=0.1, maximize=True)",
    "y = net(x)[0].sum(1)[:, :3]",
    "z = torch.randn(y.shape)",
    "loss = torch.nn.functional.mse_loss(y, z, reduction='sum')",
    "loss.backward()",
    "o.step()",
    "o.zero_grad()",
    "loss = torch.nn.functional.mse_loss(net(x)[0].sum(1)[:, :3], z, reduction='sum')",
    "loss.backward()",
]


def test_slopes_of_saturated_functions_are_rounding(monkeypatch):
    assert compare(SATURATED)
    assert is_rounding(SATURATED)
    monkeypatch.setattr(rushlight.nn.functional, "mse_loss", scaled("mse_loss", 1 - 1e-2))
    assert not is_rounding(SATURATED)
