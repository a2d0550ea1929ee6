"""Operators in all kinds of use: a slice of the database is as on PyTorch, and a wrong operator is found."""

import pytest

import rushlight

torch = pytest.importorskip("torch")
pytest.importorskip("torch.testing._internal.common_methods_invocations")

from verify.figures import Figure  # noqa: E402
from verify.operators.cases import Case, copied, operators  # noqa: E402
from verify.operators.kinds import KINDS  # noqa: E402
from verify.parts.operators import check  # noqa: E402

QUICK = ("tanh", "maximum", "logsumexp")


def figure_of(kind, *cases):
    """The figure of some cases."""
    figure = Figure(kind)
    for case in cases:
        check(KINDS[kind], case, figure)
    return figure


def tanh_with(factor):
    """The hyperbolic tangent with a derivative that is wrong unless the factor is 1."""

    class Tanh(rushlight.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return rushlight.sinh(x) / rushlight.cosh(x)

        @staticmethod
        def backward(ctx, grad):
            return grad * factor / rushlight.cosh(ctx.saved_tensors[0]) ** 2

    return Tanh.apply


@pytest.fixture
def case():
    x = torch.linspace(-1, 2, 6, dtype=torch.float64).reshape(2, 3).requires_grad_()
    return Case("tanh", "", (x,), {})


@pytest.mark.parametrize("kind", KINDS)
def test_a_slice_of_the_database(kind):
    cases = [case for name in QUICK for op in operators(name) if op.name == name for case in KINDS[kind].cases(op, 2)]
    assert figure_of(kind, *cases).unexplained == []


@pytest.mark.parametrize("kind", ["values", "layout"])
def test_another_operator_is_found(kind, case, monkeypatch):
    monkeypatch.setattr(rushlight, "tanh", lambda x: rushlight.sin(x).T.contiguous().T)
    assert len(figure_of(kind, case).unexplained) == 1


def test_another_derivative_is_found(case, monkeypatch):
    monkeypatch.setattr(rushlight, "tanh", tanh_with(2))
    assert len(figure_of("gradients", case).unexplained) == 1


@pytest.mark.parametrize(("factor", "right"), [(1, True), (2, False)])
def test_central_differences_say_who_is_right(factor, right, case, monkeypatch):
    monkeypatch.setattr(rushlight, "tanh", tanh_with(factor))
    assert KINDS["gradients"].right(case.side(rushlight)) is right


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x,
        lambda x: x.mT,
        lambda x: x[:, 1::2],
        lambda x: x[1].expand(2, 3),
        lambda x: x[:, :0],
        lambda x: x[0, 1],
    ],
)
def test_copies_lie_as_what_they_are_made_of(make):
    theirs = make(torch.arange(6.0, dtype=torch.float64).reshape(2, 3))
    for library in (rushlight, torch):
        ours = copied(theirs, library)
        assert tuple(ours.shape) == tuple(theirs.shape)
        assert ours.stride() == theirs.stride()
        assert ours.tolist() == theirs.tolist()
