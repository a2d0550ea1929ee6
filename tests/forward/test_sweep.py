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
# Another function where the targets are not exactly 1 or -1.
APART = {"nn.functional.hinge_embedding_loss"}
# Where several values go to one place the last one stays, forward; each gets the cotangent of the place, in reverse.
REPEATED = {"nn.functional.max_unpool2d", "nn.functional.max_unpool3d"}


def is_finite(case):
    """Whether a call has differentiable results, which are finite."""
    arrays = [READER.array(place) for place in case["outputs"] if place[3]]
    return bool(arrays) and all(np.isfinite(array).all() for array in arrays)


CASES = {f"{i}-{c['name']}-{c['variant']}".rstrip("-"): c for i, c in enumerate(READER.cases) if is_finite(c)}
OF_SECOND_ORDER = {
    name: case for name, case in CASES.items() if f"{case['name']} {case['variant']}".strip() not in FIRST_ORDER
}


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
    outs = call(*call.inputs)
    tangents = [random_like(x, rng) for x in call.inputs]
    cotangents = [random_like(out, rng) for out in outs]
    _, pushed = push_forward(call, call.inputs, tangents)
    for out, tangent in zip(outs, pushed, strict=True):
        assert tangent is None or (tangent.shape, tangent.dtype) == (out.shape, out.dtype)
    if case["name"] not in REPEATED or case["variant"]:
        grads = torch.autograd.grad(outs, call.inputs, cotangents, allow_unused=True)
        left, right = product(cotangents, pushed), product(grads, tangents)
        np.testing.assert_allclose(float(left), float(right), **tolerance([*call.inputs, *outs]))


def gradients(call, cotangents, values):
    """The gradients of a call, recorded; None for inputs that it does not depend on."""
    return torch.autograd.grad(call(*values), values, cotangents, create_graph=True, allow_unused=True)


def recorded(grads):
    """The gradients with None for those that do not depend on the inputs."""
    return [g if g is not None and g.requires_grad else None for g in grads]


def are_the_same_nearby(call, cotangents, grads, tangents):
    """Whether the gradients of a call are the same a small step from its inputs."""
    nearby = [(x.detach() + 1e-7 * t).requires_grad_() for x, t in zip(call.inputs, tangents, strict=True)]
    pairs = zip(grads, gradients(call, cotangents, nearby), strict=True)
    return all(one is two is None or torch.allclose(one, two, rtol=0, atol=1e-12) for one, two in pairs)


@pytest.mark.parametrize("case", OF_SECOND_ORDER.values(), ids=OF_SECOND_ORDER)
def test_second_order(case):
    """Forward over reverse and reverse over forward against reverse over reverse.

    If no gradient depends on the inputs, the gradients at a point nearby are the same.
    """
    call, rng = Call(case), np.random.default_rng(0)
    outs = call(*call.inputs)
    cotangents, other, tangents = [[random_like(x, rng) for x in xs] for xs in (outs, call.inputs, call.inputs)]
    grads = gradients(call, cotangents, call.inputs)
    scalar = product(other, recorded(grads))
    if not isinstance(scalar, torch.Tensor):
        assert case["name"] in APART or are_the_same_nearby(call, cotangents, grads, tangents)
        return
    expected = float(product(torch.autograd.grad(scalar, call.inputs, allow_unused=True), tangents))
    _, pushed = push_forward(lambda *duals: recorded(gradients(call, cotangents, duals)), call.inputs, tangents)
    _, products = push_forward(call, call.inputs, tangents)
    backward = torch.autograd.grad(product(cotangents, products), call.inputs, allow_unused=True)
    for found in (product(other, pushed), product(backward, other)):
        np.testing.assert_allclose(float(found), expected, **tolerance([*call.inputs, *outs]))
