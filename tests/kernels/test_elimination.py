"""Small matrices: what the kernel computes is what LAPACK does, and what it does not take goes to LAPACK."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels import elimination

SHAPES = [(1, 1), (3, 3), (5, 2, 2), (2, 3, 16, 16), (2, 17, 17)]


def numbers(shape, dtype):
    """Normal numbers."""
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_same_as_lapack(shape, dtype):
    A, B = numbers(shape, dtype), numbers((*shape[:-1], 4), dtype)
    turned = np.swapaxes(A.copy(), -1, -2)
    precision = {"rtol": 1e-3, "atol": 1e-3} if dtype != "float64" else {"rtol": 1e-9, "atol": 1e-9}
    for matrices in (A, turned):
        for found, expected in (
            (elimination.inverse(matrices), np.linalg.inv(matrices)),
            (elimination.solution(matrices, B), np.linalg.solve(matrices, B)),
            (elimination.determinant(matrices), np.linalg.det(matrices)),
        ):
            assert found.dtype == expected.dtype
            np.testing.assert_allclose(found, expected, **precision)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_cholesky_factors(shape, dtype, upper):
    """The kernel reads one triangle alone, and leaves other matrices to LAPACK."""
    A = numbers(shape, dtype)
    A = np.matmul(A, np.swapaxes(A, -1, -2).conj()) + np.eye(shape[-1], dtype=dtype)
    A = np.triu(A) if upper else np.tril(A)
    expected = np.linalg.cholesky(A, upper=upper)
    found = torch.linalg.cholesky(torch.from_numpy(A), upper=upper).numpy()
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-4 if dtype != "float64" else 1e-11, atol=1e-6)


@pytest.mark.parametrize("wrong", [[[-1.0]], [[1.0, 2.0], [2.0, 1.0]], [[torch.nan, 0.0], [0.0, 1.0]]], ids=str)
def test_one_matrix_that_is_not_positive_definite(wrong):
    A = torch.stack([torch.eye(len(wrong)), torch.tensor(wrong)])
    assert elimination.definite_factor(A.numpy(), False) is None
    with pytest.raises(torch.linalg.LinAlgError, match=r"\(Batch element 1\)"):
        torch.linalg.cholesky(A)


def test_rows_are_exchanged():
    A = np.array([[0.0, 1.0], [1.0, 0.0]])
    np.testing.assert_array_equal(elimination.inverse(A), A)
    assert elimination.determinant(A) == -1
    tiny = np.array([[1e-20, 1.0], [1.0, 1.0]])
    np.testing.assert_allclose(elimination.solution(tiny, np.array([[1.0], [2.0]])), [[1.0], [1.0]])


def test_sides_that_broadcast_and_sides_of_another_dtype():
    A, B = numbers((5, 3, 3), "float32"), numbers((3, 2), "float64")
    np.testing.assert_allclose(elimination.solution(A, B), np.linalg.solve(A, B))


@pytest.mark.parametrize("singular", [[[0.0]], [[1.0, 2.0], [2.0, 4.0]], [[0.0, 0.0, 1.0], [0.0, 0.0, 2.0], [1.0] * 3]])
def test_one_singular_matrix_among_others(singular):
    A = torch.stack([torch.eye(len(singular)), torch.tensor(singular)])
    assert torch.linalg.det(A).tolist() == [1, 0]
    for function in (torch.linalg.inv, lambda x: torch.linalg.solve(x, x)):
        with pytest.raises(torch.linalg.LinAlgError, match=r"\(Batch element 1\)"):
            function(A)


def test_nan_stays_in_its_matrix():
    A = torch.stack([torch.full((2, 2), torch.nan), torch.eye(2)])
    assert torch.linalg.inv(A)[0].isnan().all()
    assert torch.linalg.inv(A)[1].tolist() == [[1, 0], [0, 1]]
    assert torch.linalg.det(A).isnan().tolist() == [True, False]


@pytest.mark.parametrize("function", [torch.linalg.inv, torch.linalg.det, lambda x: torch.linalg.solve(x, x * x)])
def test_gradients(function):
    x = torch.from_numpy(numbers((4, 3, 3), "float64")).requires_grad_()
    assert torch.autograd.gradcheck(function, (x,))
    assert torch.autograd.gradgradcheck(function, (x,))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_large_matrices_as_in_numpy(dtype, order):
    A, B = np.asarray(numbers((70, 70), dtype) / 8, order=order), numbers((70, 3), dtype)
    near = {"rtol": 1e-3, "atol": 1e-2} if dtype in ("float32", "complex64") else {"rtol": 1e-9}
    pairs = [
        (elimination.inverse(A), np.linalg.inv(A)),
        (elimination.solution(A, B), np.linalg.solve(A, B)),
        (elimination.determinant(A), np.linalg.det(A)),
        *zip(elimination.log_determinant(A), np.linalg.slogdet(A), strict=True),
    ]
    for found, expected in pairs:
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, **near)
    A[:] = 0
    assert elimination.determinant(A) == 0
    assert elimination.log_determinant(A) == (0, -np.inf)
    for function in (elimination.inverse, lambda A: elimination.solution(A, B)):
        with pytest.raises(np.linalg.LinAlgError):
            function(A)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_large_triangles_and_factors(dtype, upper):
    x = torch.from_numpy(numbers((70, 70), "complex128" if dtype.is_complex else "float64")) / 8
    A, B = x @ x.mH + torch.eye(70), x[:, :3]
    L = torch.linalg.cholesky(A, upper=upper)
    assert torch.allclose(L.mH @ L if upper else L @ L.mH, A)
    for factor in (L, L.mT.contiguous().mT):
        solved = torch.linalg.solve_triangular(factor, B, upper=upper)
        assert torch.allclose(factor @ solved, B)
        assert torch.allclose(A @ torch.cholesky_solve(B, factor, upper=upper), B)
        assert torch.allclose(A @ torch.cholesky_inverse(factor, upper=upper), torch.eye(70, dtype=dtype))
    with pytest.raises(RuntimeError, match="not positive-definite"):
        torch.linalg.cholesky(-A, upper=upper)
