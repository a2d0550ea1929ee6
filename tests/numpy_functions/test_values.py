"""NumPy's functions on tensors: values as NumPy's, derivatives as central differences', batches as loops."""

import numpy as np
import pytest
from derivatives import check_derivatives
from numpy_functions.cases import CALLS, CONSTANT, arguments

import rushlight as torch
from rushlight.ops.protocol import UFUNCS


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


def compare(found, expected, within=1e-9):
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        assert isinstance(ours, torch.Tensor)
        assert tuple(ours.shape) == np.shape(theirs)
        np.testing.assert_allclose(ours.detach().resolve_conj().numpy(), theirs, rtol=within, atol=within / 1000)


@pytest.mark.parametrize("call", CALLS + CONSTANT)
def test_values(call):
    arrays = arguments()
    tensors = {name: torch.tensor(array, requires_grad=call in CALLS) for name, array in arrays.items()}
    if not used(call):
        pytest.skip("takes no tensor")
    compare(called(call, tensors), called(call, arrays))


@pytest.mark.parametrize("call", [call for call in CALLS + CONSTANT if len(used(call)) > 1 and "full_like" not in call])
@pytest.mark.parametrize("place", [0, 1])
def test_lists_beside_a_tensor(call, place):
    arrays = arguments()
    kept = used(call)[place]
    lists = {name: array.tolist() for name, array in arrays.items()}
    try:
        expected = called(call, {**lists, kept: arrays[kept]})
    except (TypeError, AttributeError, ValueError):
        pytest.skip("means more than lists can")
    found = called(call, {**lists, kept: torch.tensor(arrays[kept], requires_grad=call in CALLS)})
    compare([torch.as_tensor(part) for part in found], expected, within=1e-4)  # lists alone are float32


@pytest.mark.parametrize("ufunc", [ufunc for ufunc in UFUNCS if ufunc.nin == 2 and not ufunc.signature])
def test_numbers_and_lists_on_either_side_of_a_ufunc(ufunc):
    x = np.array([1, 2, 3]) if ufunc.types[-1].isupper() else np.array([0.5, 1.0, 2.5])
    for kind in (np.float64, np.int64, np.bool_):
        for other in (2, True, [1, 2, 3], [1.5, 2.5, 3.5]):
            for order in (1, -1):
                call = lambda x: np.asarray(ufunc(*(x, other)[::order]))  # noqa: B023  called at once
                try:
                    expected = call(x.astype(kind))
                except TypeError:
                    continue
                found = call(torch.tensor(x.astype(kind)))
                np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-40)  # NumPy takes float16 for bools


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


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_signs_and_steps_of_nan_are_nan_as_numpys(dtype):
    x = torch.tensor([float("nan"), -1.0, 0.0, 2.0], dtype=getattr(torch, dtype))
    np.testing.assert_array_equal(np.sign(x).float().numpy(), [np.nan, -1, 0, 1])
    np.testing.assert_array_equal(np.heaviside(x, x.new_tensor(0.5)).float().numpy(), [np.nan, 0, 0.5, 1])
    assert torch.sign(x).tolist() == [0, -1, 0, 1]
    leaf = x.clone().requires_grad_()
    np.sign(leaf).sum().backward()
    assert leaf.grad.tolist() == [0, 0, 0, 0]
