"""Operands of several dtypes: what refuses them says so of the common dtype, or that they differ, as PyTorch does."""

import re

import pytest


def eye(torch, kind):
    return torch.eye(2).to(getattr(torch, kind))


REFUSED = [  # a call, the kinds of its two tensors, and the first words
    (lambda t, a, b: t.bitwise_and(a[0, 0], b), "bool float16", "\"bitwise_and_cpu\" not implemented for 'Half'"),
    (lambda t, a, b: t.bitwise_left_shift(True, b), "bool float16", "\"lshift_cpu\" not implemented for 'Half'"),
    (lambda t, a, b: t.gcd(a[0, 0], b), "bool float16", "\"gcd_cpu\" not implemented for 'Half'"),
    (lambda t, a, b: t.special.zeta(a, b), "bool float16", "\"zeta_cpu\" not implemented for 'Half'"),
    (lambda t, a, b: t.special.zeta(a, b), "float16 complex64", "\"zeta_cpu\" not implemented for 'ComplexFloat'"),
    (
        lambda t, a, b: t.special.hermite_polynomial_h(a, 2),
        "float16 bool",
        '"hermite_polynomial_h_cpu" not implemented for',
    ),
    (lambda t, a, b: t.clamp(a, a, b), "float32 complex64", "\"clamp_cpu\" not implemented for 'ComplexFloat'"),
    (lambda t, a, b: t.clamp(a, a, b), "complex64 float32", "clamp is not supported for complex types"),
    (lambda t, a, b: t.clamp_min(a, 1j), "float32 bool", "clamp is not supported for complex types"),
    (lambda t, a, b: t.clamp(a, 1j), "float16 bool", "value cannot be converted to type double without overflow"),
    (lambda t, a, b: t.clamp_(a, 1, 1j), "float32 bool", "value cannot be converted to type double without overflow"),
    (lambda t, a, b: t.clamp(a, 1j), "int64 bool", "clamp is not supported for complex types"),
    (lambda t, a, b: t.cholesky_solve(a, b), "bool int32", "Expected b and A to have the same dtype, but found b of"),
    (lambda t, a, b: t.cholesky_solve(a, b), "float32 float64", "Expected b and A to have the same dtype, but found b"),
    (lambda t, a, b: t.triangular_solve(a, b), "float16 bool", "Expected b and A to have the same dtype, but found b"),
    (lambda t, a, b: t.linalg.solve(a, b), "float16 bool", "linalg.solve: Expected A and B to have the same dtype"),
    (
        lambda t, a, b: t.linalg.lstsq(a, b),
        "bool int32",
        "torch.linalg.lstsq: Expected input and other to have the same",
    ),
    (lambda t, a, b: t.linalg.multi_dot([a, b]), "bool int32", "multi_dot(): all tensors must have be the same dtype"),
    (
        lambda t, a, b: t.orgqr(a, b[0]),
        "float16 bool",
        "torch.linalg.householder_product: tau dtype Bool does not match",
    ),
    (
        lambda t, a, b: t.linalg.lu_solve(a, t.ones(2, dtype=t.int32), b),
        "float32 float64",
        "linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of type Float and B of type Double",
    ),
    (lambda t, a, b: t.cdist(a, b), "float32 bool", "cdist only supports floating-point dtypes, X2 got: Bool"),
    (lambda t, a, b: t.addmm(a, a, b), "float32 float64", "self and mat2 must have the same dtype, but got Float and"),
    (lambda t, a, b: t.addmm(a, b, a), "float32 float64", "mat1 and mat2 must have the same dtype, but got Double and"),
    (
        lambda t, a, b: t.addbmm(a, a[None], b[None]),
        "bool int32",
        "self and mat2 must have the same dtype, but got Bool",
    ),
    (lambda t, a, b: t.addbmm(a, a[None], a[None]), "bool bool", "\"addmm_impl_cpu_\" not implemented for 'Bool'"),
    (
        lambda t, a, b: t.baddbmm(a[None], b[None], b[None]),
        "float32 int32",
        "Input dtypes must be the same, got: input float, batch1: int, batch2: int",
    ),
    (lambda t, a, b: t.bmm(a[None], b[None]), "bool int32", "\"bmm\" not implemented for 'Bool'"),
    (lambda t, a, b: t.bmm(a[None], b[None]), "int32 bool", "expected scalar type Int but found Bool"),
    (lambda t, a, b: t.inner(a[0], b[0]), "bool int32", "both inputs should have same dtype"),
    (lambda t, a, b: t.tensordot(a, b, 1), "int32 float32", "both inputs should have same dtype"),
    (lambda t, a, b: t.conv2d(a[None], b[None, None]), "bool int32", '"slow_conv2d_cpu" not implemented for'),
]


@pytest.mark.parametrize(("call", "kinds", "words"), REFUSED)
def test_refused(torch, call, kinds, words):
    with pytest.raises((RuntimeError, NotImplementedError), match=re.escape(words)) as caught:
        call(torch, *[eye(torch, kind) for kind in kinds.split()])
    assert (caught.type is NotImplementedError) == ("not implemented for" in words or "clamp is" in words)


@pytest.mark.parametrize("kinds", ["bool bool uint8", "bool uint8 bool", "uint8 bool int32", "int32 float16 bool"])
def test_added_outer_products_have_the_common_type(torch, kinds):
    input, vec1, vec2 = (eye(torch, kind) for kind in kinds.split())
    assert torch.addr(input, vec1[0], vec2[0]).dtype == (input * vec1 * vec2).dtype


def test_what_has_a_kernel_is_computed(torch):
    """The common dtype of half precision and float32 is float32."""
    a, b = torch.tensor([2.0]).half(), torch.tensor([1.0])
    assert torch.special.zeta(a, b).dtype == torch.special.hermite_polynomial_h(a, b).dtype == torch.float32
