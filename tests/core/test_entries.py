"""Entries of operators: what they name has to be there."""

import gc

import pytest

from rushlight.core.arithmetic import fill
from rushlight.core.operators import Operator
from rushlight.ops.table import TABLE, operator


def forward(input, dim):
    """What an operator may compute."""
    return input


def enter(**options):
    """An operator with some options."""
    return Operator("example", forward, ("input", "dim"), {}, **options)


@pytest.mark.parametrize(
    ("error", "options"),
    {
        "an option": (TypeError, {"tangnet": forward}),
        "an input": (ValueError, {"inputs": ("inptu",)}),
        "a list": (ValueError, {"lists": ("tensors",)}),
        "a saved argument": (ValueError, {"saved_as": {"dims": "dims"}}),
    }.values(),
)
def test_what_is_not_there_is_refused(error, options):
    with pytest.raises(error):
        enter(**options)


def test_an_input_that_is_none_is_refused():
    with pytest.raises(ValueError, match="not in tuple"):
        operator(inptu=lambda grad: grad)(forward)
    assert "forward" not in TABLE


def test_a_slot_that_is_not_there_is_refused():
    with pytest.raises(AttributeError):
        fill("plus", TABLE["add"])


def test_formulas_ask_for_what_is_there():
    """The plan of an operator looks up all that its formulas ask for."""
    entries = [entry for entry in gc.get_objects() if type(entry) is Operator]
    for entry in entries:
        if entry.formulas or entry.joint:
            entry.plan((1 << len(entry.inputs)) - 1)
    assert len(entries) > 400
