"""Wrong, empty and 0-d arguments: a slice is as on PyTorch, and other results, exceptions and words are found."""

import pytest

import rushlight

torch = pytest.importorskip("torch")
pytest.importorskip("torch.testing._internal.common_methods_invocations")

from verify.figures import Figure  # noqa: E402
from verify.modules import ModuleCase, modules, samples  # noqa: E402
from verify.operators.cases import Case  # noqa: E402
from verify.parts import errors  # noqa: E402


def figure_of(*cases):
    """The figure of some cases."""
    figure = Figure("errors")
    for case in cases:
        errors.check(case, figure)
    return figure


def variants(case):
    """A case with each tensor emptied and replaced by a number."""
    return [*errors.emptied(case), *errors.single(case)]


@pytest.mark.parametrize("name", ["tanh", "logsumexp"])
def test_a_slice_of_the_operators(name):
    for full_name, good, bad in errors.of_operators(name, 2):
        if full_name == name:
            assert good
            assert figure_of(*bad, *[c for case in good for c in variants(case)]).unexplained == []


def test_a_slice_of_the_modules():
    module = next(m for m in modules("Linear") if m.name == "nn.Linear")
    cases = [c for case in samples(module, 2) for c in variants(case)]
    assert figure_of(*cases).checked == len(cases) > 0
    assert figure_of(*cases).unexplained == []


def test_each_tensor_is_emptied_along_each_dimension_and_made_a_number():
    case = Case("add", "", (torch.ones(2, 3), torch.ones(3)), {})
    shapes = [[list(t.shape) for t in c.args] for c in variants(case)]
    assert shapes == [[[0, 3], [3]], [[2, 0], [3]], [[2, 3], [0]], [[], [3]], [[2, 3], []]]


def raising(kind, words):
    """A function that raises."""

    def raised(x):
        raise kind(words)

    return raised


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (raising(RuntimeError, "addressed otherwise"), "says RuntimeError"),
        (raising(TypeError, "diag(): Supports 1D or 2D tensors. Got 3D"), "raises TypeError"),
        (lambda x: x, "raises nothing"),
    ],
)
def test_other_refusals_are_found(function, said, monkeypatch):
    case = Case("diag", "", (torch.ones(2, 2, 2),), {})
    assert figure_of(case).unexplained == []
    monkeypatch.setattr(rushlight, "diag", function)
    (text,) = figure_of(case).unexplained
    assert said in text


def test_another_result_of_a_module_is_found(monkeypatch):
    case = ModuleCase("Softmin", "train", (torch.ones(2, 3),), {}, made=((1,), {}))
    assert figure_of(case).unexplained == []
    monkeypatch.setattr(rushlight.nn.Softmin, "forward", lambda self, x: x)
    assert "values" in figure_of(case).unexplained[0]
