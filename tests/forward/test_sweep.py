"""Forward mode against reverse mode, <c, J v> = <Jᵀ c, v>, for every recorded call of every operator."""

import numpy as np
import pytest
from sweep.cases import Reader, tensors_in

import rushlight as torch
from rushlight.autograd import forward_ad as fwAD
from verify.operators.names import function_of

READER = Reader(torch)
# Second derivatives that hold for Hermitian directions only, or that the zeros of a product do not have.
FIRST_ORDER = {
    "cholesky",
    "linalg.cholesky",
    "linalg.cholesky_ex",
    "linalg.pinv hermitian",
    "index_reduce prod",
    "scatter_reduce prod",
}
# Where several values go to one place the last one stays, forward; each gets the cotangent of the place, in reverse.
REPEATED = {"nn.functional.max_unpool2d", "nn.functional.max_unpool3d"}
CASES = {f"{i}-{c['name']}-{c['variant']}".rstrip("-"): c for i, c in enumerate(READER.cases)}


def random_like(tensor, rng):
    """A random tensor of the shape and dtype of another."""
    array = rng.standard_normal(tensor._array.shape)
    if tensor.is_complex():
        array = array + 1j * rng.standard_normal(tensor._array.shape)
    return torch.from_numpy(np.asarray(array, tensor._array.dtype))


def product(a, b):
    """The real inner product of two lists of tensors; None counts as zeros."""
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    return sum(((x.conj() * y).real if x.is_complex() else x * y).sum() for x, y in pairs)


class Call:
    """A recorded call as a function of its tensors that require grad; the results are those that do."""

    def __init__(self, case):
        self.case = case
        self.inputs = [t for t in tensors_in(self.arguments(), torch.Tensor) if t.requires_grad]

    def arguments(self):
        case = self.case
        return READER.value(case["input"]), READER.value(case["args"]), READER.value(case["kwargs"])

    def __call__(self, *values):
        given = iter(values)
        input, args, kwargs = replaced(self.arguments(), given)
        torch.manual_seed(123)
        outs = function_of(torch, self.case["name"], self.case["variant"])(input, *args, **kwargs)
        found = tensors_in(outs, torch.Tensor)
        return [out for out, place in zip(found, self.case["outputs"], strict=True) if place[3]]


def replaced(value, given):
    """A nested value with others in the places of the tensors that require grad."""
    if isinstance(value, torch.Tensor):
        return next(given) if value.requires_grad else value
    if isinstance(value, (tuple, list)):
        return type(value)(replaced(v, given) for v in value)
    return {k: replaced(v, given) for k, v in value.items()} if isinstance(value, dict) else value


def push_forward(function, values, tangents):
    """The results of a function and their tangents, None where there is none."""
    with fwAD.dual_level():
        outs = function(*[fwAD.make_dual(x, t) for x, t in zip(values, tangents, strict=True)])
        pairs = [(None, None) if out is None else fwAD.unpack_dual(out) for out in outs]
    return [out for out, _ in pairs], [t for _, t in pairs]


def tolerance(tensors):
    """That of the narrowest dtype that takes part."""
    digits = min(np.finfo(x._array.dtype).precision for x in tensors)
    return {"rtol": 0.0, "atol": 10.0 ** (2 - digits)} if digits < 10 else {"rtol": 1e-8, "atol": 1e-8}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_forward_is_the_adjoint_of_reverse(case):
    call, rng = Call(case), np.random.default_rng(0)
    outs = call(*call.inputs) if call.inputs else []
    if not outs or not all(torch.isfinite(out).all() for out in outs):
        return
    tangents = [random_like(x, rng) for x in call.inputs]
    cotangents = [random_like(out, rng) for out in outs]
    _, pushed = push_forward(call, call.inputs, tangents)
    for out, tangent in zip(outs, pushed, strict=True):
        assert tangent is None or (tangent.shape, tangent.dtype) == (out.shape, out.dtype)
    if case["name"] in REPEATED and not case["variant"]:
        return
    grads = torch.autograd.grad(outs, call.inputs, cotangents, allow_unused=True)
    left, right = product(cotangents, pushed), product(grads, tangents)
    np.testing.assert_allclose(float(left), float(right), **tolerance([*call.inputs, *outs]))


def gradients(call, cotangents, values):
    """The gradients of a call, recorded; None for inputs that it does not depend on."""
    grads = torch.autograd.grad(call(*values), values, cotangents, create_graph=True, allow_unused=True)
    return [g if g is not None and g.requires_grad else None for g in grads]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_second_order(case):
    """Forward over reverse and reverse over forward against reverse over reverse."""
    call, rng = Call(case), np.random.default_rng(0)
    outs = call(*call.inputs) if call.inputs else []
    is_first_order = f"{case['name']} {case['variant']}".strip() in FIRST_ORDER
    if is_first_order or not outs or not all(torch.isfinite(out).all() for out in outs):
        return
    cotangents, other, tangents = [[random_like(x, rng) for x in xs] for xs in (outs, call.inputs, call.inputs)]
    grads = gradients(call, cotangents, call.inputs)
    scalar = product(other, grads)
    if not isinstance(scalar, torch.Tensor) or not torch.isfinite(scalar):
        return
    expected = float(product(torch.autograd.grad(scalar, call.inputs, allow_unused=True), tangents))
    _, pushed = push_forward(lambda *duals: gradients(call, cotangents, duals), call.inputs, tangents)
    _, products = push_forward(call, call.inputs, tangents)
    backward = torch.autograd.grad(product(cotangents, products), call.inputs, allow_unused=True)
    for found in (product(other, pushed), product(backward, other)):
        if np.isfinite(expected):
            np.testing.assert_allclose(float(found), expected, **tolerance([*call.inputs, *outs]))
