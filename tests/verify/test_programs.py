"""Random programs: a difference is found, made short, and printed as a program that shows it."""

import pytest

import rushlight

torch = pytest.importorskip("torch")

from verify.programs.generators import GENERATORS, views  # noqa: E402
from verify.programs.program import compare, script, shortened  # noqa: E402
from verify.programs.proofs import is_constant  # noqa: E402
from verify.programs.writer import Writer, run  # noqa: E402

LINES = ["a = torch.ones(3)", "b = a * 2", "c = b.sin()", "b.add_(1)", "d = c + b"]


@pytest.fixture
def wrong(monkeypatch):
    """rushlight with another sine."""
    monkeypatch.setattr(rushlight.Tensor, "sin", rushlight.Tensor.cos)


def test_equal_programs_have_no_difference():
    assert compare(LINES) == []


def test_an_exception_of_two_kinds_counts_as_its_first():
    assert run("torch.ones(2).imag", {"torch": rushlight}) == "RuntimeError"
    assert run("absent", {}) == "NameError"


@pytest.mark.parametrize("factor", [0, 2])
def test_a_gradient_that_pytorch_has_not_has_to_be_zero(factor):
    lines = ["x = torch.ones(2)", f"grads = [None, x * {factor}]"]
    assert is_constant(lines, "grads[1]: value 'tensor([...])', PyTorch's None") is (factor == 0)


def test_a_difference_is_shown_by_the_lines_that_it_needs(wrong):
    found = compare(LINES)[0]
    assert found.kind == "values"
    lines, found = shortened(LINES, found)
    assert lines == ["a = torch.ones(3)", "b = a * 2", "c = b.sin()"]
    text = script(lines, found, "title")
    compile(text, "script", "exec")
    assert "# c: values" in text


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("c = b.detach().t() if torch.__name__ == 'torch' else b.detach()", "strides"),
        ("c = b.double() if torch.__name__ == 'torch' else b", "type"),
        ("b.add_(1) if torch.__name__ == 'torch' else b.data.add_(1)", "node"),
        ("c = 1 if torch.__name__ == 'torch' else None", "value"),
        ("b.fail if torch.__name__ == 'torch' else b", "raises nothing, on PyTorch AttributeError"),
        ("b.sum().backward() if torch.__name__ == 'torch' else b", "kind"),
        ("b = b.detach() if torch.__name__ == 'torch' else b", "requires_grad"),
        ("c = b.tanh() if torch.__name__ == 'torch' else b.sin()", "node"),
    ],
)
def test_all_that_can_be_seen_is_compared(line, kind):
    found = compare(["a = torch.ones(2, 2, requires_grad=True)", "b = a * 2", line])
    assert kind in [difference.kind for difference in found]


@pytest.mark.parametrize("kind", GENERATORS)
def test_a_seed_determines_a_program(kind):
    one, other = Writer("7"), Writer("7")
    for writer in (one, other):
        GENERATORS[kind].write(writer)
    assert one.lines == other.lines
    assert sum(error == "" for error in one.errors) > len(one.errors) / 2


def test_what_is_written_on_pytorch_is_compared(wrong):
    kinds = set()
    for seed in range(40):
        writer = Writer(str(seed))
        views.write(writer)
        found = compare(writer.lines, writer.space, writer.errors)
        if ".sin()" in "\n".join(writer.lines):
            kinds.update(difference.kind for difference in found)
    assert {"values", "node"} <= kinds
