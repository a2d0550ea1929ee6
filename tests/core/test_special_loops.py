"""Loops of our own in place of SciPy's: against SciPy's in double precision, however operands lie."""

import numpy as np
import pytest
import scipy.special

import rushlight as torch

UNARY = {
    "erf": (torch.erf, scipy.special.erf),
    "erfc": (torch.erfc, scipy.special.erfc),
    "erfcx": (torch.special.erfcx, scipy.special.erfcx),
    "erfinv": (torch.erfinv, scipy.special.erfinv),
    "ndtr": (torch.special.ndtr, scipy.special.ndtr),
    "i0": (torch.i0, scipy.special.i0),
    "i1": (torch.special.i1, scipy.special.i1),
    "i0e": (torch.special.i0e, scipy.special.i0e),
    "i1e": (torch.special.i1e, scipy.special.i1e),
}
POSITIVE = {
    "zeta 2": (lambda x: torch.special.zeta(2.0, x), lambda x: scipy.special.zeta(2.0, x)),
    "zeta 16": (lambda x: torch.special.zeta(16.0, x), lambda x: scipy.special.zeta(16.0, x)),
    "zeta 17": (lambda x: torch.special.zeta(17.0, x), lambda x: scipy.special.zeta(17.0, x)),
    "zeta 2.5": (lambda x: torch.special.zeta(2.5, x), lambda x: scipy.special.zeta(2.5, x)),
    "polygamma 1": (lambda x: torch.polygamma(1, x), lambda x: scipy.special.polygamma(1, x)),
    "polygamma 4": (lambda x: torch.polygamma(4, x), lambda x: scipy.special.polygamma(4, x)),
    "digamma's slope": (
        lambda x: torch.autograd.grad(torch.digamma(x.requires_grad_()), x, torch.ones_like(x))[0],
        lambda x: scipy.special.polygamma(1, x),
    ),
}
LAYOUTS = {
    "in order": lambda x: x,
    "transposed": lambda x: x.T,
    "with gaps": lambda x: x[:, ::3],
    "one number": lambda x: np.broadcast_to(x[3, 4], x.shape),
}
PRECISION = {np.float32: 3e-7, np.float64: 4e-13}
generator = np.random.default_rng(0)
NUMBERS = np.concatenate(
    [
        generator.standard_normal(400),
        generator.uniform(-26, 26, 460),
        generator.uniform(-80, 80, 100),
        1 - 0.1 ** np.arange(20),
        0.1 ** np.arange(20) - 1,
    ]
)


def compared(found, expected, dtype):
    """Compares values, but for those too small to have all digits."""
    found, expected = found.detach().numpy(), np.asarray(expected).astype(dtype)
    assert found.dtype == dtype
    whole = ~(np.abs(expected) < np.finfo(dtype).tiny)
    np.testing.assert_allclose(found[whole], expected[whole], rtol=PRECISION[dtype], atol=0)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", PRECISION)
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_any_number(name, dtype, layout):
    x = LAYOUTS[layout](NUMBERS.astype(dtype).reshape(20, 50))
    ours, theirs = UNARY[name]
    compared(ours(torch.from_numpy(x.copy("K"))), theirs(x.astype(np.float64)), dtype)


@pytest.mark.parametrize(("dtype", "digits"), [(np.float32, 1e-7), (np.float64, 6e-16)])
def test_the_error_function_from_where_it_is_tiny_to_where_it_is_1(dtype, digits):
    x = np.concatenate([np.linspace(-6, 6, 60001), np.geomspace(1e-30, 1, 999)]).astype(dtype)
    found, exact = torch.erf(torch.from_numpy(x)).numpy(), scipy.special.erf(x.astype(np.float64))
    np.testing.assert_allclose(found, exact, rtol=digits, atol=0)
    assert abs(found).max() == 1


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", PRECISION)
@pytest.mark.parametrize("name", POSITIVE)
def test_functions_of_positive_numbers(name, dtype, layout):
    x = LAYOUTS[layout](np.abs(NUMBERS.astype(dtype).reshape(20, 50)) + dtype(0.01))
    ours, theirs = POSITIVE[name]
    compared(ours(torch.from_numpy(x.copy("K"))), theirs(x.astype(np.float64)), dtype)


@pytest.mark.parametrize("dtype", PRECISION)
def test_what_is_not_easy_is_left_to_scipy(dtype):
    q = np.array([-1.5, -1.0, 0.0, 0.5, np.inf, np.nan], dtype)
    for exponent in (2.0, 3.0, 0.5):
        expected = scipy.special.zeta(exponent, q.astype(np.float64)).astype(dtype)
        np.testing.assert_allclose(
            torch.special.zeta(exponent, torch.from_numpy(q)).numpy(), expected, PRECISION[dtype]
        )


@pytest.mark.parametrize("dtype", PRECISION)
def test_upper_incomplete_gamma(dtype):
    a = np.abs(NUMBERS[:900].astype(dtype).reshape(30, 30)) + dtype(0.02)
    x = np.abs(NUMBERS[100:].astype(dtype).reshape(30, 30))
    expected = scipy.special.gammaincc(a.astype(np.float64), x.astype(np.float64)).astype(dtype)
    found = torch.igammac(torch.from_numpy(a), torch.from_numpy(x)).numpy()
    np.testing.assert_allclose(found, expected, rtol=10 * PRECISION[dtype], atol=np.finfo(dtype).tiny)


@pytest.mark.parametrize("dtype", PRECISION)
def test_infinities_and_what_is_no_number(dtype):
    x = torch.tensor([np.inf, -np.inf, np.nan, 0.0], dtype=getattr(torch, np.dtype(dtype).name))
    values = {
        "erf": [1, -1, np.nan, 0],
        "erfc": [0, 2, np.nan, 1],
        "ndtr": [1, 0, np.nan, 0.5],
        "i0": [np.nan, np.nan, np.nan, 1],
        "i1": [np.nan, np.nan, np.nan, 0],
        "i0e": [0, 0, np.nan, 1],
        "i1e": [0, 0, np.nan, 0],
    }
    for name, expected in values.items():
        np.testing.assert_allclose(UNARY[name][0](x).numpy(), expected, rtol=1e-15, err_msg=name)


@pytest.mark.parametrize("degree", [1, 2, 3, 7, 10, 11, 2.9])
def test_polynomials_of_one_degree_are_those_of_many(degree):
    x = torch.linspace(-1.5, 1.5, 61, dtype=torch.float64)
    degrees = torch.full_like(x, degree)
    for name in dir(torch.special):
        if "_polynomial_" in name:
            function = getattr(torch.special, name)
            torch.testing.assert_close(function(x, degree), function(x, degrees), rtol=1e-10, atol=1e-8, msg=name)


WITH_ZEROS = {
    "bessel_j0": scipy.special.j0,
    "bessel_j1": scipy.special.j1,
    "bessel_y0": scipy.special.y0,
    "bessel_y1": scipy.special.y1,
    "modified_bessel_k0": scipy.special.k0,
    "modified_bessel_k1": scipy.special.k1,
    "scaled_modified_bessel_k0": scipy.special.k0e,
    "scaled_modified_bessel_k1": scipy.special.k1e,
    "airy_ai": lambda x: scipy.special.airy(x)[0],
    "gammaln": scipy.special.gammaln,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", PRECISION)
@pytest.mark.parametrize("name", WITH_ZEROS)
def test_functions_with_zeros(name, dtype, layout):
    special = [0.0, -0.0, np.inf, np.nan, 1e-30, 1e-310, 2.0, 2.5, -2.5, 3.0, 5.0, 8.0]
    numbers = np.concatenate([NUMBERS[len(special) :] / 2, special]).astype(dtype)
    x = LAYOUTS[layout](numbers.reshape(20, 50))
    found = getattr(torch.special, name)(torch.from_numpy(x.copy("K"))).numpy()
    with np.errstate(all="ignore"):
        expected = WITH_ZEROS[name](x.astype(np.float64)).astype(dtype)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, rtol=PRECISION[dtype], atol=PRECISION[dtype] / 100)
