"""Norms, products of vectors, Vandermonde matrices."""

import math

import numpy as np
import pytest
from derivatives import check_derivatives
from linalg.cases import DTYPES, random

import rushlight

linalg = rushlight.linalg
ORDERS = [0, 0.5, 1, 1.5, 2, 3, math.inf, -math.inf, -1]


@pytest.mark.parametrize("ord", ORDERS)
@pytest.mark.parametrize("dim", [None, 0, (0, 1), (-1,)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_vector_norm(ord, dim, dtype):
    x = random(3, 4, dtype=dtype)
    for keepdim in (True, False):
        expected = np.linalg.vector_norm(x.detach().numpy(), axis=dim, ord=ord, keepdims=keepdim)
        np.testing.assert_allclose(linalg.vector_norm(x, ord, dim, keepdim).detach().numpy(), expected)
    check_derivatives(lambda x: linalg.vector_norm(x, ord, dim), x, atol=1e-5)


@pytest.mark.parametrize("ord", ["fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf])
@pytest.mark.parametrize(("shape", "dim"), [((3, 4), (-2, -1)), ((2, 3, 4), (-2, -1)), ((3, 2, 4), (2, 0))])
@pytest.mark.parametrize("dtype", DTYPES)
def test_matrix_norm(ord, shape, dim, dtype):
    x = random(*shape, dtype=dtype)
    for keepdim in (True, False):
        expected = np.linalg.norm(x.detach().numpy(), ord, dim, keepdim)
        np.testing.assert_allclose(linalg.matrix_norm(x, ord, dim, keepdim).detach().numpy(), expected)
        np.testing.assert_allclose(linalg.norm(x, ord, dim, keepdim).detach().numpy(), expected)
    check_derivatives(lambda x: linalg.matrix_norm(x, ord, dim), x, atol=1e-5)


def test_norm_chooses_by_dimensions():
    x = random(2, 3).detach()
    assert linalg.norm(x[0], 1).item() == pytest.approx(np.linalg.norm(x.numpy()[0], 1))
    assert linalg.norm(x, 1).item() == pytest.approx(np.linalg.norm(x.numpy(), 1))
    assert linalg.norm(random(2, 2, 2)).item() == pytest.approx(np.linalg.norm(random(2, 2, 2).detach().numpy()))


@pytest.mark.parametrize("p", [None, 2, -2, "fro", "nuc", 1, -1, math.inf, -math.inf])
@pytest.mark.parametrize("dtype", DTYPES)
def test_condition_number(p, dtype):
    x = random(2, 3, 3, dtype=dtype)
    np.testing.assert_allclose(linalg.cond(x, p).detach().numpy(), np.linalg.cond(x.detach().numpy(), p))
    check_derivatives(lambda x: linalg.cond(x, p), x, atol=1e-4, rtol=1e-4)


def test_condition_of_a_singular_matrix():
    assert linalg.cond(rushlight.zeros(2, 2), 1).item() == math.inf


@pytest.mark.parametrize("p", [1, 2, 3, math.inf])
def test_renorm(p):
    x = random(3, 2, 2)
    y = rushlight.renorm(x, p, 0, 1.0)
    norms = linalg.vector_norm(x, p, (1, 2))
    np.testing.assert_allclose(
        linalg.vector_norm(y, p, (1, 2)).detach().numpy(), np.minimum(norms.detach().numpy(), 1), rtol=1e-6
    )
    check_derivatives(lambda x: rushlight.renorm(x, p, 0, 1.0), x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_cross_and_vecdot(dtype):
    x, y = random(2, 3, dtype=dtype), random(1, 3, dtype=dtype, seed=1)
    np.testing.assert_allclose(linalg.cross(x, y).detach().numpy(), np.cross(x.detach().numpy(), y.detach().numpy()))
    check_derivatives(linalg.cross, x, y)
    check_derivatives(lambda x, y: rushlight.cross(x.mT, y.mT, 0), x, y)
    np.testing.assert_allclose(linalg.vecdot(x, y).detach().numpy(), np.vecdot(x.detach().numpy(), y.detach().numpy()))
    check_derivatives(linalg.vecdot, x, y)


def test_cross_finds_its_dimension():
    x, y = random(2, 3, 3).detach(), random(2, 3, 3, seed=1).detach()
    np.testing.assert_allclose(rushlight.cross(x, y).numpy(), np.cross(x.numpy(), y.numpy(), axis=1))


@pytest.mark.parametrize("N", [None, 2, 5])
def test_vander(N):
    x = random(4)
    expected = np.vander(x.detach().numpy(), N)
    np.testing.assert_allclose(rushlight.vander(x, N).detach().numpy(), expected)
    np.testing.assert_allclose(rushlight.vander(x, N, increasing=True).detach().numpy(), expected[:, ::-1])
    np.testing.assert_allclose(linalg.vander(x, N).detach().numpy(), expected[:, ::-1])
    check_derivatives(lambda x: linalg.vander(x, N), random(2, 3))
    assert rushlight.vander(x, 1).tolist() == [[1.0]] * 4


def test_norms_of_complex_numbers_with_an_infinite_or_huge_part():
    x = rushlight.tensor([complex(np.inf, np.nan), 1])
    assert [float(linalg.vector_norm(x, p)) for p in (1, 2, 3)] == [np.inf] * 3
    assert float(linalg.vector_norm(rushlight.tensor([3e18 + 4e18j]))) == pytest.approx(5e18)


def test_distances_of_rows_of_different_types_are_refused():
    with pytest.raises(RuntimeError, match="expected scalar type Double but found Float"):
        rushlight.cdist(rushlight.ones(3, 2, dtype=rushlight.float64), rushlight.ones(3, 2))
