"""Special functions against SciPy, and the derivatives that are there for one operand only."""

import numpy as np
import pytest
import scipy.special
from derivatives import check_derivatives

import rushlight as torch

POINTS = np.array([0.1, 0.5, 1.0, 2.5, 7.0])
ON_POINTS = {
    "bessel_j0": scipy.special.j0,
    "bessel_j1": scipy.special.j1,
    "bessel_y0": scipy.special.y0,
    "bessel_y1": scipy.special.y1,
    "modified_bessel_i0": scipy.special.i0,
    "modified_bessel_i1": scipy.special.i1,
    "modified_bessel_k0": scipy.special.k0,
    "modified_bessel_k1": scipy.special.k1,
    "scaled_modified_bessel_k0": scipy.special.k0e,
    "scaled_modified_bessel_k1": scipy.special.k1e,
    "spherical_bessel_j0": lambda x: scipy.special.spherical_jn(0, x),
    "airy_ai": lambda x: scipy.special.airy(x)[0],
    "erfcx": scipy.special.erfcx,
    "gammaln": scipy.special.gammaln,
    "psi": scipy.special.psi,
    "ndtr": scipy.special.ndtr,
    "log_ndtr": scipy.special.log_ndtr,
    "entr": scipy.special.entr,
    "i0e": scipy.special.i0e,
    "i1e": scipy.special.i1e,
}


@pytest.mark.parametrize("name", ON_POINTS)
def test_values(name):
    for dtype, tolerance in ((torch.float64, 1e-13), (torch.float32, 1e-5)):
        y = getattr(torch.special, name)(torch.tensor(POINTS, dtype=dtype))
        assert y.dtype == dtype
        np.testing.assert_allclose(y.numpy(), ON_POINTS[name](POINTS), rtol=tolerance)


def test_multivariate_gamma():
    y = torch.special.multigammaln(torch.tensor(POINTS[3:]), 3)
    np.testing.assert_allclose(y.numpy(), [scipy.special.multigammaln(x, 3) for x in POINTS[3:]])
    with pytest.raises(RuntimeError, match="p has to be greater than or equal to 1"):
        torch.mvlgamma(torch.tensor([2.0]), 0)


def test_incomplete_gamma():
    a, x = torch.tensor(POINTS[::-1].copy()), torch.tensor(POINTS, requires_grad=True)
    np.testing.assert_allclose(torch.igamma(a, x).detach().numpy(), scipy.special.gammainc(POINTS[::-1], POINTS))
    check_derivatives(lambda x: torch.igamma(a, x), x, rtol=1e-4)
    check_derivatives(lambda x: torch.special.gammaincc(a, x), x, rtol=1e-4)
    with pytest.raises(NotImplementedError, match="the derivative for 'igamma: input' is not implemented"):
        torch.igamma(x, a).sum().backward()


def test_polygamma():
    x = torch.tensor(POINTS)
    for n in range(4):
        np.testing.assert_allclose(torch.polygamma(n, x).numpy(), scipy.special.polygamma(n, POINTS))
        assert torch.equal(x.polygamma(n), torch.special.polygamma(n, x))
    with pytest.raises(RuntimeError, match=r"polygamma\(n, x\) does not support negative n"):
        torch.polygamma(-1, x)


def test_zeros_do_not_meet_infinities():
    zero, one = torch.tensor([0.0, 0.0]), torch.tensor([0.0, -1.0])
    assert torch.xlogy(zero, torch.tensor([0.0, np.inf])).tolist() == [0.0, 0.0]
    assert torch.special.xlog1py(zero, one).tolist() == [0.0, 0.0]
    assert torch.special.entr(zero).tolist() == [0.0, 0.0]


def test_integers_become_floats():
    for function in (torch.erf, torch.lgamma, torch.special.i1, torch.special.ndtri, torch.sigmoid, torch.logit):
        assert function(torch.tensor([1, 1])).dtype == torch.float32


def test_divisors(torch):
    a, b = torch.tensor([12, -18, 0]), torch.tensor([18, 12, 5])
    assert torch.gcd(a, b).tolist() == [6, 6, 5]
    assert torch.lcm(a, b).tolist() == [36, 36, 0]
    with pytest.raises(NotImplementedError, match="\"gcd_cpu\" not implemented for 'Float'"):
        torch.gcd(a.float(), b.float())


def test_membership(torch):
    x = torch.tensor([[1, 2], [3, 4]])
    assert torch.isin(x, torch.tensor([2, 3])).tolist() == [[False, True], [True, False]]
    assert torch.isin(x, 4, invert=True).tolist() == [[True, True], [True, False]]
    assert torch.isin(3, x).item() is True


def test_next_numbers(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.nextafter(x, torch.tensor([2.0, 2.0]))
    assert y.tolist() == [1.0 + 2**-23, 2.0]
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 0.0]
