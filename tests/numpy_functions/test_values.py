"""NumPy's functions on tensors: values as NumPy's, derivatives as central differences', batches as loops."""

import numpy as np
import pytest
from derivatives import check_derivatives
from numpy_functions.cases import CALLS, CONSTANT, arguments

import rushlight as torch


def called(call, given):
    """The result of a call, as a list."""
    result = eval(f"np.{call}", {"np": np}, given)
    return list(result) if isinstance(result, (tuple, list)) else [result]


def used(call):
    """The arguments that a call names."""
    return [
        name
        for name in arguments()
        if name in "".join(c if c.isalnum() or c == "_" or c == '"' else " " for c in call).split()
    ]


def compare(found, expected):
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        assert isinstance(ours, torch.Tensor)
        assert tuple(ours.shape) == np.shape(theirs)
        np.testing.assert_allclose(ours.detach().resolve_conj().numpy(), theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("call", CALLS + CONSTANT)
def test_values(call):
    arrays = arguments()
    tensors = {name: torch.tensor(array, requires_grad=call in CALLS) for name, array in arrays.items()}
    if not used(call):
        pytest.skip("takes no tensor")
    compare(called(call, tensors), called(call, arrays))


@pytest.mark.parametrize("call", [call for call in CALLS if "nan" not in call])
def test_derivatives(call):
    names = used(call)
    leaves = [torch.tensor(arguments()[name], requires_grad=True) for name in names]

    def function(*tensors):
        return [
            r for r in called(call, dict(zip(names, tensors, strict=True))) if r.is_floating_point() or r.is_complex()
        ]

    assert any(r.requires_grad for r in function(*leaves))
    check_derivatives(function, *leaves)
