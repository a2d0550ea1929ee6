"""Wrong arguments, sizes larger than any memory, and what NumPy says: PyTorch's exceptions and first words."""

import json
import pathlib
import pickle

import pytest

import rushlight as torch
from rushlight.signatures import recorded

GOLDEN = json.loads(pathlib.Path(__file__).with_name("golden.json").read_text())


def outcome(expression: str) -> list[str]:
    """The type and the words of the exception that an expression ends with."""
    names = {"torch": torch, "F": torch.nn.functional, "L": torch.linalg, "x": torch.ones(2, 3), "s": torch.tensor(2.0)}
    try:
        return ["", repr(eval(expression, names))]
    except Exception as error:
        return [type(error).__name__, str(error)]


@pytest.mark.parametrize("expression", GOLDEN)
def test_exception_and_first_words(expression):
    kind, words = outcome(expression)
    wanted, first_words = GOLDEN[expression]
    assert (kind, words[: len(first_words)]) == (wanted, first_words)


@pytest.mark.parametrize("expression", GOLDEN)
def test_no_internal_word(expression):
    _, words = outcome(expression)
    assert not [word for word in ("_array", "AxisError", "ufunc", "NoneType' object", "axis ") if word in words]


def test_signatures_read_whole():
    assert all(s.parameters or s.text == "()" for signatures in recorded().values() for s in signatures)


def test_functions_can_be_sent_to_other_processes():
    assert pickle.loads(pickle.dumps(torch.stack)) is torch.stack
    assert pickle.loads(pickle.dumps(torch.nn.functional.gelu)) is torch.nn.functional.gelu
