"""Wrong arguments, sizes that nothing can hold, and sizes of 0: what PyTorch gives, or its exception's first words."""

import json
import pathlib
import pickle

import pytest

import rushlight as torch
from rushlight.signatures import recorded

GOLDEN = json.loads(pathlib.Path(__file__).with_name("golden.json").read_text())


def shown(value):
    """What is compared of a result, as it is recorded."""
    while isinstance(value, (tuple, list)) and len(value) and not isinstance(value[0], int):
        value = value[0]
    if not isinstance(value, torch.Tensor):
        return type(value).__name__
    return [list(value.shape), str(value.dtype).rpartition(".")[2], str(value.tolist())[:20]]


def outcome(expression: str) -> list:
    """The type and the words of the exception that an expression ends with; "" and the result where there is none."""
    names = {
        "torch": torch, "F": torch.nn.functional, "L": torch.linalg, "z": torch.zeros, "x": torch.ones(2, 3),
        "s": torch.tensor(2.0),
    }  # fmt: skip
    try:
        return ["", shown(eval(expression, names))]
    except Exception as error:
        return [type(error).__name__, str(error)]


@pytest.mark.parametrize("expression", GOLDEN)
def test_as_pytorch(expression):
    kind, said = outcome(expression)
    wanted, words = GOLDEN[expression]
    assert kind == wanted
    assert said == words if kind == "" else said.startswith(words)


@pytest.mark.parametrize("expression", GOLDEN)
def test_no_internal_word(expression):
    kind, words = outcome(expression)
    leaked = ("_array", "AxisError", "ufunc", "NoneType' object", "invalid literal", "could not be broadcast together")
    assert not kind or not [word for word in leaked if word in words]


def test_signatures_read_whole():
    assert all(s.parameters or s.text == "()" for signatures in recorded().values() for s in signatures)


def test_functions_can_be_sent_to_other_processes():
    assert pickle.loads(pickle.dumps(torch.stack)) is torch.stack
    assert pickle.loads(pickle.dumps(torch.nn.functional.gelu)) is torch.nn.functional.gelu
