"""Every operator against the results and gradients recorded from PyTorch."""

import numpy as np
import pytest
from sweep.cases import Reader, cotangent, tensors_in, values_of

import rushlight as torch
from verify.operators.names import function_of

READER = Reader(torch)
IDS = [f"{i}-{case['name']}-{case['variant']}".rstrip("-") for i, case in enumerate(READER.cases)]

# Recorded choices that are free: the sign or phase of a vector, the order of equal elements.
FREE_SIGNS = {"linalg.svd", "svd", "linalg.eigh", "linalg.eig", "linalg.qr", "qr", "svd_lowrank", "pca_lowrank"}

# PyTorch 2.13 gives the cotangent of what is overwritten to the input, and one to the triangle of a factor that is not
# read: tests/ops/test_shape and tests/linalg/test_solving check ours.
WRONG_GRADIENTS = {"as_strided_scatter", "cholesky_inverse", "cholesky_solve"}


def arguments(case):
    """The arguments of a case, new ones each time."""
    return (READER.value(case["input"]), *READER.value(case["args"])), READER.value(case["kwargs"])


def outputs_of(case):
    """The arguments of a case and the tensors that the call returns."""
    args, kwargs = arguments(case)
    torch.manual_seed(42)
    return args, kwargs, tensors_in(function_of(torch, case["name"], case["variant"])(*args, **kwargs), torch.Tensor)


def close(found, expected, what, name):
    """Compares two arrays, to the precision of the narrower dtype."""
    narrow = np.dtype(np.float32) in (found.dtype, expected.dtype) or found.dtype.itemsize < 8
    tolerance = 1e-4 if narrow else 1e-7
    if name in FREE_SIGNS and expected.dtype.kind in "fc":
        found, expected = np.abs(found), np.abs(expected)
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance, err_msg=what)


@pytest.mark.parametrize("case", READER.cases, ids=IDS)
def test_results_and_gradients(case):
    args, kwargs, outs = outputs_of(case)
    assert len(outs) == len(case["outputs"])
    for k, (out, place) in enumerate(zip(outs, case["outputs"], strict=True)):
        expected = READER.array(place)
        assert out.shape == expected.shape, f"shape of output {k}"
        assert values_of(out).dtype == expected.dtype, f"dtype of output {k}"
        assert out.requires_grad == place[3], f"requires_grad of output {k}"
        close(values_of(out), expected, f"output {k}", case["name"])
    inputs = [t for t in tensors_in([args, kwargs], torch.Tensor) if t.requires_grad]
    live = [(k, out) for k, out in enumerate(outs) if out.requires_grad]
    if not live or case["name"] in FREE_SIGNS | WRONG_GRADIENTS:  # free choices decide on the gradients of the former
        return
    cotangents = [torch.from_numpy(cotangent(values_of(out), k)) for k, out in live]
    grads = torch.autograd.grad([out for _, out in live], inputs, cotangents, allow_unused=True)
    for i, (found, place) in enumerate(zip(grads, case["grads"], strict=True)):
        expected = np.zeros(inputs[i].shape) if place is None else READER.array(place)
        found = np.zeros(inputs[i].shape) if found is None else values_of(found)
        close(found, expected, f"gradient of input {i}", case["name"])
