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
