"""Singular values and vectors of matrices of all forms, in the precision of the matrix."""

import numpy as np
import pytest

import rushlight
from rushlight.linalg import decomposed


def numbers(shape, dtype):
    """Normal numbers, complex ones where the type is."""
    made = np.random.default_rng(0).standard_normal((2, *shape))
    return (made[0] + 1j * made[1] if np.dtype(dtype).kind == "c" else made[0]).astype(dtype)


def forbidden(*args, **kwargs):
    """Stands for a function that is not to be called."""
    raise AssertionError("the general way was taken")


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape", [(3, 3), (2, 5, 4), (6, 4), (1200, 5), (5, 1200), (900, 70), (2, 600, 4)], ids=str)
def test_singular_values_in_the_precision_of_the_matrix(monkeypatch, shape, dtype):
    x = numbers(shape, dtype)
    expected = np.linalg.svd(x, compute_uv=False)
    monkeypatch.setattr(np.linalg, "svd", forbidden)
    close = {"rtol": 1e-4, "atol": 1e-4} if expected.itemsize == 4 else {"rtol": 1e-9, "atol": 1e-9}
    np.testing.assert_allclose(decomposed.svdvals(x), expected, **close)
    for full in (False, True) if max(shape) < 10 else (False,):
        U, S, Vh = decomposed.svd(x, full)
        k = S.shape[-1]
        assert (U.dtype, S.dtype, Vh.dtype) == (x.dtype, expected.dtype, x.dtype)
        np.testing.assert_allclose(S, expected, **close)
        np.testing.assert_allclose(U[..., :k] * S[..., None, :] @ Vh[..., :k, :], x, **close)
        for vectors in (U, Vh.mT):
            unit = np.broadcast_to(np.eye(vectors.shape[-1]), (*shape[:-2], *[vectors.shape[-1]] * 2))
            np.testing.assert_allclose(vectors.conj().mT @ vectors, unit, **close)


@pytest.mark.parametrize("shape", [(2, 2), (700, 8), (3, 2, 2)], ids=str)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_singular_values_of_spoiled_matrices(shape, value):
    x = rushlight.ones(shape)
    x[..., -1, -1] = value
    of = " (Batch element 0):" if len(shape) > 2 else ""
    for function in (
        rushlight.linalg.svd,
        rushlight.linalg.svdvals,
        rushlight.linalg.pinv,
        rushlight.linalg.matrix_rank,
    ):
        with pytest.raises(rushlight.linalg.LinAlgError, match="contained non-finite values") as raised:
            function(x)
        assert str(raised.value).startswith(f"linalg.svd:{of} The algorithm")


def test_empty_matrices_and_a_numpy_without_the_ufuncs_go_the_general_way(monkeypatch):
    assert [part.shape for part in decomposed.svd(np.ones((0, 3, 3)), False)] == [(0, 3, 3), (0, 3), (0, 3, 3)]
    x = numbers((4, 4), "float32")
    monkeypatch.setattr(decomposed, "UFUNCS", None)
    np.testing.assert_array_equal(decomposed.svdvals(x), np.linalg.svd(x)[1])
    np.testing.assert_array_equal(decomposed.svd(x, True)[0], np.linalg.svd(x)[0])
