"""Decompositions and solutions by compiled calls of LAPACK, and without: any layouts, batches and types."""

import numpy as np
import pytest

import rushlight
from rushlight.kernels import lapack

LAYOUTS = {
    "rows": lambda x: x,
    "columns": lambda x: x.mT.copy().mT,
    "every other": lambda x: np.repeat(np.repeat(x, 2, -1), 2, -2)[..., ::2, 1::2],
    "expanded": lambda x: np.broadcast_to(x[:1], x.shape) if x.ndim > 2 else x,
}
DTYPES = "float32", "float64", "complex64", "complex128"
L = rushlight.linalg


@pytest.fixture(params=["compiled", "numpy"], autouse=True)
def form(request, monkeypatch):
    """With the compiled calls, where there are some, and without."""
    if request.param == "compiled" and (lapack.fast is None or not lapack.fast.AVAILABLE):
        pytest.skip("there are no compiled calls")
    if request.param == "numpy":
        monkeypatch.setattr(lapack, "fast", None)
    return request.param


def numbers(shape, dtype, seed=0):
    """Normal numbers, complex ones where the type is."""
    made = np.random.default_rng(seed).standard_normal((2, *shape))
    return (made[0] + 1j * made[1] if np.dtype(dtype).kind == "c" else made[0]).astype(dtype)


def definite(n, lead, dtype):
    """Positive definite matrices."""
    x = numbers((*lead, n, n), dtype)
    return (x @ x.mT.conj() / n + np.eye(n)).astype(dtype)


def near(found, expected):
    """Asserts that a result, a tensor or an array, is close to what is expected."""
    found = found.numpy() if isinstance(found, rushlight.Tensor) else found
    precision = 2e-3 if found.dtype.char in "fF" else 1e-9
    np.testing.assert_allclose(found, expected, rtol=precision, atol=precision)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lead", [(), (3,), (2, 2)], ids=str)
@pytest.mark.parametrize("n", [1, 3, 20, 70])
def test_square_matrices(n, lead, dtype, layout):
    lay = LAYOUTS[layout]
    A, B, D = lay(numbers((*lead, n, n), dtype)), lay(numbers((*lead, n, 3), dtype, 1)), lay(definite(n, lead, dtype))
    a, b, d = map(rushlight.from_numpy, (A, B, D))
    near(L.cholesky(d) @ L.cholesky(d).mH, D)
    near(L.cholesky(d, upper=True).mH @ L.cholesky(d, upper=True), D)
    near(d @ rushlight.cholesky_solve(b, L.cholesky(d)), B)
    near(d @ rushlight.cholesky_inverse(L.cholesky(d)), np.broadcast_to(np.eye(n), D.shape))
    values, vectors = L.eigh(d)
    near(d @ vectors, vectors.numpy() * values.numpy()[..., None, :])
    near(L.eigvalsh(d, "U"), values.numpy())
    near(a @ L.solve(a, b), B)
    near(d @ L.inv(d), np.broadcast_to(np.eye(n), D.shape))
    near(L.det(a / 8), np.linalg.det(A / 8))  # that of many numbers as large as these overflows
    near(L.slogdet(a)[1], np.linalg.slogdet(A)[1])
    for upper in (False, True):
        triangle = rushlight.triu(d) if upper else rushlight.tril(d)
        near(triangle @ L.solve_triangular(d, b, upper=upper), B)
    packed, pivots = L.lu_factor(a)
    near(a @ L.lu_solve(packed, pivots, b), B)
    symmetric = a + a.mT
    near(symmetric @ L.ldl_solve(*L.ldl_factor(symmetric), b), B)
    hermitian = a + a.mH
    near(hermitian @ L.ldl_solve(*L.ldl_factor(hermitian, hermitian=True), b, hermitian=True), B)
    values, vectors = L.eig(a)
    near(a.to(vectors.dtype) @ vectors, vectors.numpy() * values.numpy()[..., None, :])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (3, 5), (4, 6, 6), (2, 2, 70, 40), (3, 40, 70)], ids=str)
def test_orthogonal_decompositions_and_least_squares(shape, dtype):
    A, B = numbers(shape, dtype), numbers((*shape[:-1], 2), dtype, 1)
    a, b = rushlight.from_numpy(A), rushlight.from_numpy(B)
    for mode in ("reduced", "complete"):
        Q, R = L.qr(a, mode)
        near(Q @ R, A)
        near(Q.mH @ Q, np.broadcast_to(np.eye(Q.shape[-1]), (*shape[:-2], Q.shape[-1], Q.shape[-1])))
        near(rushlight.triu(R), R.numpy())
    found = L.lstsq(a, b)
    near(found.solution, np.linalg.pinv(A) @ B)
    assert found.rank.unique().tolist() == [min(shape[-2:])]


def test_batches_of_matrices_and_sides_are_broadcast():
    A, B = numbers((5, 1, 3, 3), "float64"), numbers((4, 3, 2), "float64")
    a, b = rushlight.from_numpy(A), rushlight.from_numpy(B)
    assert L.solve_triangular(a, b, upper=True).shape == (5, 4, 3, 2)
    near(rushlight.triu(a) @ L.solve_triangular(a, b, upper=True), np.broadcast_to(B, (5, 4, 3, 2)))
    near(L.solve(a, b), np.linalg.solve(A, B))


def test_what_is_singular_or_not_finite():
    zero = rushlight.zeros(20, 20, dtype=rushlight.float64)
    assert L.lu_factor_ex(zero).info == 1
    assert L.ldl_factor_ex(zero).info == 1
    assert L.cholesky_ex(zero).info == 1
    for function in (L.inv, lambda x: L.solve(x, x)):
        with pytest.raises(L.LinAlgError):
            function(zero)
    spoiled = rushlight.eye(20)
    spoiled[3, 3] = rushlight.nan
    assert L.cholesky_ex(spoiled).info == 4
    assert L.det(spoiled).isnan()


def test_a_singular_triangular_matrix_of_a_batch_has_infinities():
    A = rushlight.eye(2).repeat(2, 1, 1)
    A[1, 1, 1] = 0
    found = L.solve_triangular(A, rushlight.ones(2, 1), upper=True)
    assert found[0].flatten().tolist() == [1, 1]
    assert found[1, 1, 0] == rushlight.inf


@pytest.mark.parametrize("n", [3, 20])
def test_gradients_of_solutions_with_kept_decompositions(n):
    A = rushlight.from_numpy(numbers((n, n), "float64") + n * np.eye(n)).requires_grad_()
    B = rushlight.from_numpy(numbers((n, 2), "float64", 1)).requires_grad_()
    assert rushlight.autograd.gradcheck(L.solve, (A, B))
    assert rushlight.autograd.gradgradcheck(L.solve, (A[:3, :3].detach().requires_grad_(), B[:3].detach().clone()))
    assert rushlight.autograd.gradcheck(lambda A: L.solve(A, B.detach().T, left=False), (A,))
    (first,) = rushlight.autograd.grad(L.solve(A, B).square().sum(), A, create_graph=True)
    (second,) = rushlight.autograd.grad(first.sum(), A)
    assert second.isfinite().all()
    gradient = lambda b: rushlight.func.grad(lambda a: L.solve(a, b).sum())(A)
    batched = rushlight.func.vmap(gradient)(rushlight.ones(4, n, 1, dtype=A.dtype))
    assert rushlight.allclose(batched[0], batched[3])
