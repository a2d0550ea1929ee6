"""Transforms in inference mode, and functions of `vjp` made under `no_grad`: derivatives as in other modes."""

import pytest

import rushlight as torch
from rushlight.func import grad, grad_and_value, hessian, jacfwd, jacrev, jet, jvp, linearize, vjp, vmap

X = torch.tensor([1.0, 2.0])
ONES = torch.ones(2)
TRANSFORMS = {
    "grad": lambda x: grad(lambda x: (x**3).sum())(x),
    "grad_and_value": lambda x: grad_and_value(lambda x: (x**3).sum())(x)[0],
    "grad of grad": lambda x: grad(lambda x: grad(lambda x: (x**3).sum())(x).sum())(x),
    "vjp": lambda x: vjp(lambda x: x**3, x)[1](ONES)[0],
    "jvp": lambda x: jvp(lambda x: x**3, (x,), (ONES,))[1],
    "jacrev": lambda x: jacrev(lambda x: x**3)(x),
    "jacfwd": lambda x: jacfwd(lambda x: x**3)(x),
    "hessian": lambda x: hessian(lambda x: (x**3).sum())(x),
    "linearize": lambda x: linearize(lambda x: x**3, x)[1](ONES),
    "jet": lambda x: jet(lambda x: x**3, (x,), ([ONES, torch.zeros(2)],))[1][1],
    "vmap of grad": lambda x: vmap(grad(lambda x: x**3))(x),
}


@pytest.mark.parametrize("requires_grad", [False, True])
@pytest.mark.parametrize("name", TRANSFORMS)
def test_inference_mode_changes_no_derivative(name, requires_grad):
    x = X.clone().requires_grad_(requires_grad)
    expected = TRANSFORMS[name](X)
    with torch.inference_mode():
        found = TRANSFORMS[name](x)
        of_inferred = TRANSFORMS[name](X * 1)
    assert expected.any()
    assert found.equal(expected)
    assert of_inferred.equal(expected)
    assert not found.requires_grad
    assert name == "vmap of grad" or not found.is_inference()
    assert TRANSFORMS[name](X.clone()).equal(expected)


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_a_function_of_vjp_made_without_gradients_is_differentiated_outside(mode):
    x = X.clone().requires_grad_()
    with mode():
        output, vjp_fn = vjp(lambda x: x**3, x)
        assert not vjp_fn(ONES)[0].requires_grad
    assert not output.requires_grad
    (found,) = vjp_fn(ONES)
    assert torch.autograd.grad(found.sum(), x)[0].tolist() == [6.0, 12.0]
    assert grad(lambda v: vjp_fn(v)[0].sum())(ONES).tolist() == [3.0, 12.0]


def test_as_pytorch():
    pytorch = pytest.importorskip("torch")
    x = pytorch.tensor([1.0, 2.0], requires_grad=True)
    with pytorch.inference_mode():
        assert pytorch.func.grad(lambda x: (x**3).sum())(x).tolist() == [3.0, 12.0]
        _, vjp_fn = pytorch.func.vjp(lambda x: x**3, x)
    assert vjp_fn(pytorch.ones(2))[0].requires_grad
