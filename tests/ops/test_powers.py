"""Powers of complex numbers are those of C's library, but that x**0 and 1**y are 1; inverses of 0 are infinite."""

import itertools

import numpy as np
import pytest

import rushlight

INF, NAN = float("inf"), float("nan")
NUMBERS = [
    0,
    1,
    -1,
    2,
    -3,
    0.5,
    1j,
    2 - 1j,
    INF,
    -INF,
    NAN,
    -0.0,
    complex(1, INF),
    complex(INF, NAN),
    complex(-INF, INF),
]


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_powers_are_those_of_the_c_library(dtype):
    torch = pytest.importorskip("torch")
    bases, exponents = np.array(list(itertools.product(NUMBERS, NUMBERS)), dtype).T.copy()
    ours = rushlight.pow(rushlight.tensor(bases), rushlight.tensor(exponents)).numpy()
    theirs = torch.pow(torch.tensor(bases), torch.tensor(exponents)).numpy()
    one = (exponents == 0) | (bases == 1)
    assert (ours[one] == 1).all()
    assert [str(x) for x in ours[~one]] == [str(x) for x in theirs[~one]]


@pytest.mark.parametrize("exponent", [0.5, -0.5, 1, -1, 2, -2, 3, 2.5, 1j])
def test_powers_by_numbers(exponent):
    torch = pytest.importorskip("torch")
    numbers = [2 + 0j, -3, 1 - 2j, 0]
    ours, theirs = (t.pow(t.tensor(numbers), exponent).numpy() for t in (rushlight, torch))
    np.testing.assert_allclose(ours.real, theirs.real, rtol=1e-6)
    np.testing.assert_allclose(ours.imag, theirs.imag, rtol=1e-6)


def test_real_powers_do_not_change():
    x = rushlight.tensor([-2.0, 0.0, 3.0], dtype=rushlight.float64, requires_grad=True)
    y = x**3
    assert y.tolist() == [-8, 0, 27]
    assert rushlight.autograd.grad(y.sum(), x)[0].tolist() == [12, 0, 27]


def test_inverses_of_zero():
    for x in (rushlight.zeros(2, dtype=rushlight.complex64), rushlight.zeros((), dtype=rushlight.complex128)):
        for inverse in (x.reciprocal(), x.rsqrt(), x**-1, x**-2):
            assert inverse.real.isinf().all()
            assert inverse.imag.isnan().all()
            assert inverse.dtype is x.dtype


@pytest.mark.parametrize("name", ["addcmul", "addcdiv"])
def test_scaled_products_are_multiplied_from_the_left(name):
    theirs = pytest.importorskip("torch")
    large, small = complex(1e300, 0), complex(1e300 if name == "addcmul" else 1e-300, 0)
    for torch in (rushlight, theirs):
        a, b = (torch.full((3,), value, dtype=torch.complex128) for value in (large, small))
        result = getattr(torch, name)(torch.zeros_like(a), a, b, value=2)
        assert str(complex(result[0])) == "(inf+0j)"
