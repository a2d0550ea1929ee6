"""Expressions that make, convert and draw tensors give what PyTorch gives, errors included."""

import json
import sys

import pytest

import rushlight

sys.path.insert(0, str(__import__("pathlib").Path(__file__).parent))
from evaluate import FILES, HERE, expressions, outcome

GOLDEN = json.loads((HERE / "golden.json").read_text())
FIRST_WORDS = 30  # of a message have to agree: ours may go on in its own way


@pytest.mark.parametrize("expression", [e for name in FILES for e in expressions(name)])
def test_as_recorded(expression: str):
    error, text = outcome(rushlight, expression)
    expected_error, expected = GOLDEN[expression]
    assert error == expected_error
    if error:
        expected = expected[:FIRST_WORDS]
        text = text[: len(expected)]
    assert text == expected


def test_records_are_of_this_pytorch():
    torch = pytest.importorskip("torch")
    now = {expression: outcome(torch, expression) for expression in GOLDEN}
    assert now == GOLDEN
