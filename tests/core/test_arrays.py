"""Tensors hold any kind of array that answers to NumPy's functions: one that refuses to become a NumPy array."""

import numpy as np
import pytest
from core.foreign import Foreign
from sweep.cases import cotangent, tensors_in
from sweep.test_golden import FREE_SIGNS, READER, WRONG_GRADIENTS, arguments, close

import rushlight as torch
from rushlight.core import arrays
from rushlight.core.turned import plain
from verify.operators.names import function_of

# What looks at memory, or belongs to a library that takes NumPy's arrays alone.
LEFT = {
    "SciPy": (
        "cholesky",
        "cholesky_inverse",
        "cholesky_solve",
        "linalg.cholesky",
        "linalg.cholesky_ex",
        "linalg.inv_ex",
        "linalg.ldl_factor",
        "linalg.ldl_factor_ex",
        "linalg.ldl_solve",
        "linalg.lstsq",
        "linalg.lu",
        "linalg.lu_factor",
        "linalg.lu_factor_ex",
        "linalg.lu_solve",
        "linalg.matrix_exp",
        "linalg.solve_ex",
        "linalg.solve_triangular",
        "logdet",
        "lu",
        "lu_solve",
        "lu_unpack",
        "matrix_exp",
        "ormqr",
        "triangular_solve",
        "nn.functional.ctc_loss",
    ),
    "windows over memory": (
        "as_strided",
        "as_strided_copy",
        "as_strided_scatter",
        "as_strided_partial_views",
        "nn.functional.unfold",
        "nn.functional.conv1d",
        "nn.functional.conv2d",
        "nn.functional.conv3d",
        "nn.functional.conv_transpose1d",
        "nn.functional.conv_transpose2d",
        "nn.functional.conv_transpose3d",
    ),
    "tables of places": (
        "max_pool2d_with_indices_backward",
        "nn.functional.adaptive_max_pool1d",
        "nn.functional.max_pool1d",
        "nn.functional.max_pool2d",
        "nn.functional.max_pool3d",
        "nn.functional.embedding_bag",
        "nn.functional.multilabel_margin_loss",
    ),
    "random numbers": ("bernoulli", "normal"),
}
SERVED = [case for case in READER.cases if case["name"] not in {name for names in LEFT.values() for name in names}]


@pytest.fixture(autouse=True)
def admitted(monkeypatch):
    """The foreign kind is known during a test alone."""
    monkeypatch.setattr(arrays, "_kinds", arrays._kinds)
    arrays.admit(Foreign)


def given_away(tensor):
    """The tensor, now with a foreign array."""
    tensor._array = Foreign(tensor._array)
    return tensor


def values(tensor):
    """The values of a tensor that was left foreign."""
    array = plain(tensor.detach()._array)
    assert type(array) is Foreign
    return array.data


def test_most_of_the_operators_are_served():
    assert len(SERVED) >= 0.9 * len(READER.cases)


@pytest.mark.parametrize("name", sorted({case["name"] for case in SERVED}))
def test_results_and_gradients(name):
    for case in SERVED:
        if case["name"] == name:
            serve(case)


def serve(case):
    """Runs a case on foreign arrays, forward and backward."""
    args, kwargs = arguments(case)
    inputs = [given_away(tensor) for tensor in tensors_in([args, kwargs], torch.Tensor)]
    if not inputs:
        return
    torch.manual_seed(42)
    outs = tensors_in(function_of(torch, case["name"], case["variant"])(*args, **kwargs), torch.Tensor)
    for k, (out, place) in enumerate(zip(outs, case["outputs"], strict=True)):
        close(values(out), READER.array(place), f"output {k}", case["name"])
    inputs = [tensor for tensor in inputs if tensor.requires_grad]
    live = [(k, out) for k, out in enumerate(outs) if out.requires_grad]
    if not live or case["name"] in FREE_SIGNS | WRONG_GRADIENTS:
        return
    cotangents = [given_away(torch.from_numpy(cotangent(values(out), k))) for k, out in live]
    grads = torch.autograd.grad([out for _, out in live], inputs, cotangents, allow_unused=True)
    for found, place, x in zip(grads, case["grads"], inputs, strict=True):
        if found is not None:
            expected = np.zeros(x.shape) if place is None else READER.array(place)
            close(values(found), expected, "gradient", case["name"])


def test_scipy_says_that_it_takes_numpys_arrays_alone():
    x = given_away(torch.eye(3))
    with pytest.raises(NotImplementedError, match="SciPy's, which takes NumPy's arrays alone"):
        torch.linalg.cholesky_ex(x)
