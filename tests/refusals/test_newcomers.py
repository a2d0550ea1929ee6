"""Mistakes that newcomers make: each message names the cause in PyTorch's words, and then what to do."""

import importlib
import re

import numpy as np
import pytest
from beside import beside
from refusals.mistakes import ABSENT, MISTAKES, PAGE, error_of, scores


@pytest.mark.parametrize(("expression", "cause", "remedy"), MISTAKES, ids=[line[0] for line in MISTAKES])
def test_a_mistake_is_explained(expression, cause, remedy):
    error = error_of(importlib.import_module("rushlight"), expression)
    assert cause in str(error)
    assert remedy in str(error).partition(cause)[2]
    assert error.__cause__ is None
    assert error.__context__ is None or error.__suppress_context__  # nothing of NumPy's above it


@pytest.fixture
def reference(monkeypatch):
    """PyTorch, which validates arguments of distributions, as it does until a program is compiled with it."""
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.distributions.Distribution, "_validate_args", True)
    return torch


@pytest.mark.parametrize(("expression", "cause", "remedy"), MISTAKES, ids=[line[0] for line in MISTAKES])
def test_pytorch_has_the_same_kind_and_words(expression, cause, remedy, reference):
    theirs = error_of(reference, expression)
    ours = error_of(importlib.import_module("rushlight"), expression)
    assert type(ours).__name__ == type(theirs).__name__
    assert cause in str(theirs)


@pytest.mark.parametrize(("expression", "words"), ABSENT, ids=[line[0] for line in ABSENT])
def test_what_is_absent_has_a_reason(expression, words):
    assert words in str(error_of(importlib.import_module("rushlight"), expression))


def test_advice_is_given_once():
    error = error_of(importlib.import_module("rushlight"), "nn.Sequential(nn.Flatten(), nn.Linear(5, 2))(x)")
    assert len(re.findall("in_features", str(error))) == 1


def test_messages_are_judged():
    """As docs/messages.md has it; where PyTorch is installed no message is worse than its own."""
    ours = scores(importlib.import_module("rushlight"))
    assert sum(ours) / len(ours) >= 2.5
    assert min(ours) >= 2
    page = beside(f"docs/{PAGE.name}")
    told = [int(points) for points in re.findall(r"^\| `.*` \| (\d) \| \d \| ", page.read_text(encoding="utf-8"), re.M)]
    assert told == ours


def test_no_message_is_worse_than_pytorchs(reference):
    theirs = scores(reference)
    ours = scores(importlib.import_module("rushlight"))
    assert [line[0] for line, mine, other in zip(MISTAKES, ours, theirs, strict=True) if mine < other] == []


ELEMENTWISE = """
CELU ELU GELU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid Mish ReLU ReLU6 SELU SiLU Sigmoid Softplus
Softshrink Softsign Tanh Tanhshrink
""".split()


@pytest.mark.parametrize("given", [np.ones((2, 2), np.float32), [1.0, 2.0], None], ids=["array", "list", "nothing"])
@pytest.mark.parametrize("name", [*ELEMENTWISE, "HingeEmbeddingLoss", "MSELoss", "MultiLabelSoftMarginLoss"])
def test_what_is_no_tensor_is_refused_by_its_argument(name, given):
    nn = importlib.import_module("rushlight").nn
    words = f"argument '\\w+' \\(position 1\\) must be Tensor, not {type(given).__name__}"
    with pytest.raises(TypeError, match=words):
        getattr(nn, name)()(*[given] * (2 if name.endswith("Loss") else 1))
