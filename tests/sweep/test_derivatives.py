"""Derivatives of first and second order of every operator along a random direction, by central differences."""

import numpy as np
import pytest
from sweep.cases import Reader, cotangent, tensors_in, values_of

import rushlight as torch
from verify.operators.names import function_of

EPS = 1e-5
READER = Reader(torch)
CASES = [case for case in READER.cases if any(place[3] for place in case["outputs"])]
IDS = [f"{i}-{case['name']}-{case['variant']}".rstrip("-") for i, case in enumerate(CASES)]

LEFT_OUT = {
    "svd_lowrank": "approximates: its derivative is that of the exact decomposition",
    "pca_lowrank": "approximates: its derivative is that of the exact decomposition",
    "nextafter": "takes steps",
    "round-decimals_3": "takes steps",
    "normal": "random: PyTorch gives mean and std no gradient",
    "nn.functional.max_unpool1d": "several values for one place",
    "nn.functional.max_unpool2d": "several values for one place",
    "nn.functional.max_unpool3d": "several values for one place",
    "nn.functional.ctc_loss": "its gradient is right for normalised log-probabilities only, as PyTorch's",
    "nn.functional.cosine_embedding_loss": "compares its target with 1 and -1",
    "nn.functional.hinge_embedding_loss": "compares its target with 1 and -1",
    "linalg.pinv-hermitian": "recorded at matrices that are not hermitian",
    "linalg.norm-subgradients_at_zero": "at a kink",
    "linalg.vector_norm-subgradients_at_zero": "at a kink",
}
FIRST_ORDER_ONLY = {  # at the recorded points, where PyTorch has no second derivative either
    "index_reduce-prod",
    "scatter_reduce-prod",
    "masked.logaddexp",
}
HERMITIAN = {  # operators that look at one triangle of a hermitian matrix: directions have to be hermitian too
    "cholesky",
    "linalg.cholesky",
    "linalg.cholesky_ex",
    "linalg.eigh",
    "linalg.eigvalsh",
}
TRIANGULAR = {"cholesky_inverse", "cholesky_solve"}


def is_among(case, names):
    """Whether a case's operator, or this variant of it, is among the names."""
    return case["name"] in names or f"{case['name']}-{case['variant']}" in names


class Call:
    """One recorded call as a function of its differentiable inputs."""

    def __init__(self, case):
        args = (READER.value(case["input"]), *READER.value(case["args"]))
        self.case, self.args, self.kwargs = case, args, READER.value(case["kwargs"])
        self.function = function_of(torch, case["name"], case["variant"])
        self.inputs = [t for t in tensors_in([args, self.kwargs], torch.Tensor) if t.requires_grad]

    def outputs(self):
        """The outputs that can be differentiated, at the inputs as they are now."""
        torch.manual_seed(42)
        outs = tensors_in(self.function(*self.args, **self.kwargs), torch.Tensor)
        return [out for out in outs if out.requires_grad]

    def scalar(self):
        """A fixed combination of the outputs: what is differentiated."""
        return combined(self.outputs())

    def slope(self):
        """A fixed combination of the gradients of the scalar, recorded: what is differentiated for second order."""
        grads = torch.autograd.grad(self.scalar(), self.inputs, create_graph=True, allow_unused=True)
        return combined([g for g in grads if g is not None])


def combined(tensors):
    """The sum of tensors weighed with fixed cotangents: a real scalar."""
    parts = [(t * torch.from_numpy(cotangent(values_of(t), k)).conj()).sum() for k, t in enumerate(tensors)]
    return sum(part.real if part.is_complex() else part for part in parts)


def directions(case, inputs):
    """A random direction for each input."""
    rng = np.random.default_rng(7)
    found = []
    for x in inputs:
        d = rng.standard_normal(x.shape)
        d = d + 1j * rng.standard_normal(x.shape) if x.is_complex() else d
        if is_among(case, HERMITIAN):
            d = d + np.conj(np.swapaxes(d, -1, -2))
        if is_among(case, TRIANGULAR) and x.dim() > 1:
            d = d * (values_of(x) != 0)
        found.append(np.asarray(d, values_of(x).dtype))
    return found


def difference(call, function, along):
    """The derivative of a scalar function of the call along a direction, by a central difference."""
    values = []
    arrays = [values_of(x).copy() for x in call.inputs]
    for sign in (1, -1):
        for x, array, d in zip(call.inputs, arrays, along, strict=True):
            x.data = torch.from_numpy(np.asarray(array + sign * EPS * d))
        values.append(function().item())
    for x, array in zip(call.inputs, arrays, strict=True):
        x.data = torch.from_numpy(array)
    return (values[0] - values[1]) / (2 * EPS)


def compare(call, function):
    """Compares the derivative of a scalar function of the call along a direction with the central difference."""
    value = function()
    if not isinstance(value, torch.Tensor) or not value.requires_grad:  # nothing that depends on the inputs
        return
    grads = torch.autograd.grad(value, call.inputs, allow_unused=True)
    along = directions(call.case, call.inputs)
    found = sum(np.sum(np.conj(values_of(g)) * d).real for g, d in zip(grads, along, strict=True) if g is not None)
    expected = difference(call, function, along)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_first_and_second_order(case):
    for key in (case["name"], f"{case['name']}-{case['variant']}"):
        if key in LEFT_OUT:
            pytest.skip(LEFT_OUT[key])
    call = Call(case)
    if any(values_of(x).dtype in ("float16", "float32", "complex64") for x in [*call.inputs, *call.outputs()]):
        pytest.skip("single precision is too coarse for differences")
    if not all(np.isfinite(values_of(x)).all() for x in call.outputs()):
        pytest.skip("infinite results")
    compare(call, call.scalar)
    if not is_among(case, FIRST_ORDER_ONLY):
        compare(call, call.slope)
