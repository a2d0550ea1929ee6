"""Of several things that are wrong PyTorch names sizes first, then a type that has no place, then a missing kernel."""

import pytest

import rushlight as torch

N, B, F = torch.tensor([1, 2, 3]), torch.tensor([True, False, True]), torch.ones(3)
Z, H = torch.tensor([1j, 2, 3]), torch.ones(3, dtype=torch.float16)
WIDE = torch.ones(2, 3, dtype=torch.uint8)
SIZES = "must match the size of tensor b"


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: torch.lcm(N, F[:2]), RuntimeError, SIZES),
        (lambda: torch.gcd(N, F), NotImplementedError, "lcm_cpu|gcd_cpu"),
        (lambda: torch.hypot(N, N[:2]), RuntimeError, SIZES),
        (lambda: torch.logaddexp(B, B[:2]), RuntimeError, SIZES),
        (lambda: torch.maximum(Z, Z[:2]), RuntimeError, SIZES),
        (lambda: N | F[:2], RuntimeError, SIZES),
        (lambda: F << F[:2], RuntimeError, SIZES),
        (lambda: Z % F[:2], RuntimeError, SIZES),
        (lambda: B ** B[:2], RuntimeError, SIZES),
        (lambda: torch.polar(H, H[:2]), RuntimeError, SIZES),
        (lambda: torch.polar(H, H), NotImplementedError, "polar_cpu"),
        (lambda: Z.clone().lt_(WIDE), RuntimeError, "doesn't match the broadcast shape"),
        (lambda: Z.clone().lt_(N), NotImplementedError, "lt_cpu"),
        (lambda: N.clone().floor_divide_(F[:2]), RuntimeError, SIZES),
        (lambda: B.clone().__iand__(F[:2]), RuntimeError, SIZES),
        (lambda: N.clone().clamp_(1j), RuntimeError, "can't be cast to the desired output type"),
        (lambda: N.clone().clamp_(max=Z), RuntimeError, "can't be cast to the desired output type"),
        (lambda: N.clone().clamp_max_(Z), RuntimeError, "can't be cast to the desired output type"),
        (lambda: N.clone().clamp_min_(1j), NotImplementedError, "clamp is not supported for complex types"),
        (lambda: Z.clone().clamp_(1), NotImplementedError, "clamp is not supported for complex types"),
        (lambda: N.lerp(N, float("nan")), NotImplementedError, "lerp_kernel_scalar"),
        (lambda: F.lerp(F, 1j), RuntimeError, "cannot be converted to type float without overflow"),
        (lambda: B.trace(), NotImplementedError, "trace"),
        (lambda: B.reshape(1, 3).trace(), NotImplementedError, "trace"),
        (lambda: torch.tensordot(B, B, 1), NotImplementedError, "'Bool'"),
        (lambda: torch.tensordot(B, B, 2), RuntimeError, "dims < ndim"),
        (lambda: torch.tensordot(B, Z, 1), RuntimeError, "both inputs should have same dtype"),
        (lambda: torch.ldexp(F, B), NotImplementedError, "ldexp_cpu_exp"),
        (lambda: WIDE[0, :1].mul(0).histc(4), RuntimeError, "without overflow"),
        (lambda: WIDE.histc(4), NotImplementedError, "histogram_cpu"),
    ],
)
def test_what_is_named_first(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("a", [2.0, -2.0, 0.0, -0.0])
@pytest.mark.parametrize("b", [2.0, -2.0, float("inf")])
def test_a_remainder_of_zero_has_the_sign_of_what_is_divided(a, b):
    x = torch.tensor([a, a], dtype=torch.float64)
    for result in (x % b, torch.remainder(x, torch.tensor([b], dtype=torch.float64)), x.clone().remainder_(b)):
        same_sign = torch.copysign(torch.ones(2), result) == torch.copysign(torch.ones(2), x)
        assert same_sign.all() or (result != 0).all()
    assert (torch.tensor([7.0, -7.0]) % 4).tolist() == [3, 1]


def test_numbers_without_a_direction():
    infinite = torch.tensor([complex("inf"), complex("inf") * 1j, 0j, 3 + 4j])
    assert infinite.sgn().isnan().tolist() == [True, True, False, False]
    assert torch.logaddexp(infinite[:1], infinite[:1]).tolist() == [complex("inf")]
    assert torch.logaddexp(-infinite[:1], -infinite[:1]).real.tolist() == [-float("inf")]


def test_what_is_made_like_a_tensor_has_its_strides_and_not_those_that_it_lies_in():
    crossed = torch.cross(WIDE, WIDE, 1)
    assert torch.ones_like(crossed).stride() == torch.zeros_like(WIDE).stride() == (3, 1)
