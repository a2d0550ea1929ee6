"""QR decompositions and solutions without the Python around NumPy's: the very bits of `np.linalg`, and never by it."""

import numpy as np
import pytest

import rushlight
from rushlight.linalg import lapack, solving

MODES = "reduced", "complete"


def numbers(shape, dtype):
    """Normal numbers, complex ones where the type is."""
    made = np.random.default_rng(0).standard_normal((2, *shape))
    return (made[0] + 1j * made[1] if np.dtype(dtype).kind == "c" else made[0]).astype(dtype)


def forbidden(*args, **kwargs):
    """Stands for a function that is not to be called."""
    raise AssertionError("the general way was taken")


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (2, 5, 5), (6, 4), (2, 3, 5)], ids=str)
def test_the_same_as_numpy_and_at_once(monkeypatch, shape, dtype):
    x = numbers(shape, dtype)
    expected = [np.linalg.qr(x, mode) for mode in MODES]
    monkeypatch.setattr(np.linalg, "qr", forbidden)
    for mode, wanted in zip(MODES, expected, strict=True):
        for one, other in zip(lapack.qr(x, mode), wanted, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
    if shape[-1] == shape[-2]:
        found = lapack.solved(x, x + 1)
        assert found is not None
        assert found.dtype == x.dtype
        np.testing.assert_array_equal(found, np.linalg.solve(x, x + 1))


def test_empty_matrices_and_a_numpy_without_the_ufuncs_go_the_general_way(monkeypatch):
    assert [part.shape for part in lapack.qr(np.ones((0, 3, 3)), "reduced")] == [(0, 3, 3)] * 2
    x = numbers((4, 4), "float32")
    expected = np.linalg.qr(x)
    monkeypatch.setattr(lapack, "UFUNCS", None)
    for one, other in zip(lapack.qr(x, "reduced"), expected, strict=True):
        np.testing.assert_array_equal(one, other)
    assert lapack.solved(x, x) is None


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_small_triangular_matrices_of_a_batch_are_solved_in_one_call(monkeypatch, dtype, upper):
    A, B = rushlight.from_numpy(numbers((5, 3, 3), dtype) + 3 * np.eye(3, dtype=dtype)), numbers((3, 2), dtype)
    expected = np.stack([np.linalg.solve(np.triu(a) if upper else np.tril(a), B) for a in A.numpy()])
    monkeypatch.setattr(solving, "over_batches", forbidden)
    found = rushlight.linalg.solve_triangular(A, rushlight.from_numpy(B), upper=upper)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5)


def test_a_singular_triangular_matrix_of_a_batch_has_infinities():
    A = rushlight.eye(2).repeat(2, 1, 1)
    A[1, 1, 1] = 0
    found = rushlight.linalg.solve_triangular(A, rushlight.ones(2, 1), upper=True)
    assert found[0].flatten().tolist() == [1, 1]
    assert found[1, 1, 0] == rushlight.inf
