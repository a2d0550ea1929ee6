"""Elementwise operators against numbers recorded from PyTorch: values, gradients, second derivatives, nodes."""

from pathlib import Path

import numpy as np
import pytest
from ops.elementwise_cases import ONLY_ORDINARY, OTHER_NODES, TOLERANCES, all_cases, measure

import rushlight as torch
import rushlight.ops.activation as functional

GOLDEN = np.load(Path(__file__).with_name("elementwise.npz"))
CASES = {label: case for label, *case in all_cases()}


@pytest.mark.parametrize("label", CASES)
def test_recorded(label):
    name, expression, operands = CASES[label]
    found = measure(torch, functional, expression, operands)
    tolerance = TOLERANCES.get(name, 1e-10)
    special = label.endswith("special")
    if name not in OTHER_NODES and found["node"] is not None:
        assert found["node"] == str(GOLDEN[f"{label}/node"])
    for what in ("value", "grad", "second"):
        if special and (name, what) in ONLY_ORDINARY:
            continue
        for key in [key for key in GOLDEN.files if key.startswith(f"{label}/{what}")]:
            array = found.get(what) if what == "value" else (found.get(what) or [None] * 2)[int(key[-1])]
            expected = GOLDEN[key]
            if array is None:
                assert not expected.any(), f"{what} is missing"
                continue
            assert array.dtype == expected.dtype
            np.testing.assert_allclose(array, expected, rtol=tolerance, atol=tolerance, err_msg=what)
