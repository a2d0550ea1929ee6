"""Every binary operator in all its forms, with operands of all dtypes, against a table recorded from PyTorch."""

from pathlib import Path

import numpy as np
import pytest

import rushlight
from tests.dtypes.binary_cases import FORMS, outcome, pairs

TABLE = np.load(Path(__file__).with_name("binary.npz"))


@pytest.mark.parametrize("form", FORMS)
def test_dtypes_values_and_errors(form):
    """Each pair of operands: the dtype of the result, its values, or the type and the first words of the error.

    (In place PyTorch looks at the shapes before it divides by zero.)
    """
    row = list(TABLE["forms"]).index(form)
    wanted = TABLE["names"][TABLE["words"][row]]
    values = TABLE["values"][row]
    assert [tuple(pair) for pair in TABLE["pairs"]] == pairs()
    wrong = []
    for (first, second), word, value in zip(pairs(), wanted, values, strict=True):
        own_word, own_value = outcome(rushlight, form, first, second)
        if own_word == "RuntimeError: ZeroDivisionError" and form.endswith("_") and word.startswith("RuntimeError"):
            continue
        if own_word != word or not np.allclose(own_value, value, 2e-3, 1e-3, equal_nan=True):
            wrong.append(f"{first}, {second}: {own_word} {own_value} instead of {word} {value}")
    assert not wrong, "\n".join(wrong[:10])
