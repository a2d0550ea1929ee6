"""Decompositions: their products, and derivatives of first and second order by central differences."""

import numpy as np
import pytest
import scipy.linalg
from derivatives import check_derivatives
from linalg.cases import DTYPES, hermitian, positive, random, tensor

import rushlight

linalg = rushlight.linalg
SHAPES = [(3, 3), (4, 2), (2, 4), (2, 3, 2)]


def same(found, expected, atol=1e-9):
    found, expected = (x.detach().numpy() if isinstance(x, rushlight.Tensor) else x for x in (found, expected))
    np.testing.assert_allclose(found, expected, atol=atol)


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
def test_cholesky(upper, dtype):
    a = positive(2, 3, 3, dtype=dtype)
    L = linalg.cholesky(a, upper=upper)
    same(L.mH @ L if upper else L @ L.mH, a)
    check_derivatives(lambda x: linalg.cholesky(hermitian(x), upper=upper), a)
    check_derivatives(lambda x: linalg.cholesky_ex(hermitian(x), upper=upper).L, a)


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
def test_solutions_by_cholesky(upper, dtype):
    a, b = positive(2, 3, 3, dtype=dtype), random(3, 2, dtype=dtype)
    L = linalg.cholesky(a, upper=upper).detach()
    same(a @ rushlight.cholesky_solve(b, L, upper), b.expand(2, 3, 2))
    same(rushlight.cholesky_inverse(L, upper) @ a, np.broadcast_to(np.eye(3), (2, 3, 3)))

    def triangle(x):
        return x.triu() if upper else x.tril()

    L.requires_grad = True
    check_derivatives(lambda b, x: rushlight.cholesky_solve(b, triangle(x), upper), b, L)
    check_derivatives(lambda x: rushlight.cholesky_inverse(triangle(x), upper), L)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_qr(shape, dtype):
    a = random(*shape, dtype=dtype)
    for mode in ("reduced", "complete"):
        Q, R = linalg.qr(a, mode)
        same(Q @ R, a)
        same(Q.mH @ Q, np.broadcast_to(np.eye(Q.shape[-1]), (*shape[:-2], Q.shape[-1], Q.shape[-1])))
    assert linalg.qr(a, "r").Q.shape == (0,)
    check_derivatives(lambda x: linalg.qr(x), a, atol=1e-5)


def test_qr_that_has_no_derivative(torch):
    a = torch.ones(3, 2, requires_grad=True)
    with pytest.raises(RuntimeError, match="depends on Q, which is not computed when mode='r'"):
        torch.linalg.qr(a, "r").R.sum().backward()
    with pytest.raises(RuntimeError, match="not differentiable when mode='complete' and nrows > ncols"):
        torch.linalg.qr(a, "complete").R.sum().backward()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_lu(shape, dtype):
    a = random(*shape, dtype=dtype)
    P, L, U = linalg.lu(a)
    same(P @ L @ U, a)
    check_derivatives(lambda x: linalg.lu(x)[1:], a, atol=1e-5)
    check_derivatives(lambda x: linalg.lu_factor(x).LU, a, atol=1e-5)
    for found, expected in zip(rushlight.lu_unpack(*linalg.lu_factor(a)), (P, L, U), strict=True):
        same(found, expected)


def test_pivots_are_those_of_lapack():
    a = random(2, 4, 4)
    packed, pivots = linalg.lu_factor(a)
    for i in range(2):
        expected, exchanges = scipy.linalg.lu_factor(a.detach().numpy()[i])
        same(packed[i], expected)
        assert pivots[i].tolist() == (exchanges + 1).tolist()


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("adjoint", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
def test_solutions_by_lu(left, adjoint, dtype):
    a, b = random(2, 3, 3, dtype=dtype), random(2, 3, 3, dtype=dtype, seed=1)
    x = linalg.lu_solve(*linalg.lu_factor(a), b, left=left, adjoint=adjoint)
    matrix = a.mH if adjoint else a
    same(matrix @ x if left else x @ matrix, b)
    check_derivatives(
        lambda a, b: linalg.lu_solve(*linalg.lu_factor(a), b, left=left, adjoint=adjoint), a, b, atol=1e-5
    )
    same(rushlight.lu_solve(b, *rushlight.lu(a)), linalg.solve(a, b))


@pytest.mark.parametrize("UPLO", ["L", "U"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_eigh(UPLO, dtype):
    a = random(2, 3, 3, dtype=dtype)
    h = hermitian(a)
    values, vectors = linalg.eigh(h, UPLO)
    same(vectors * values.unsqueeze(-2) @ vectors.mH, h)
    same(linalg.eigvalsh(h, UPLO), values)
    check_derivatives(lambda x: linalg.eigh(hermitian(x), UPLO).eigenvalues, a)
    check_derivatives(lambda x: linalg.eigvalsh(hermitian(x), UPLO), a)
    check_derivatives(lambda x: linalg.eigh(hermitian(x), UPLO).eigenvectors.abs(), a, atol=1e-5)


def test_eigenvectors_with_their_signs():
    check_derivatives(lambda x: linalg.eigh(hermitian(x)), random(3, 3), atol=1e-5)


def test_eigenvalues_that_are_equal():
    a = rushlight.eye(3, requires_grad=True)
    (linalg.eigh(a).eigenvalues * rushlight.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert a.grad.isfinite().all()
    b = rushlight.eye(3, requires_grad=True)
    linalg.svd(b).S.sum().backward()
    assert b.grad.isfinite().all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_eig(dtype):
    a = random(2, 3, 3, dtype=dtype)
    values, vectors = linalg.eig(a)
    same(a.to(values.dtype) @ vectors, vectors * values.unsqueeze(-2))
    same(linalg.eigvals(a), values)
    check_derivatives(lambda x: linalg.eigvals(x), a, atol=1e-5)
    check_derivatives(lambda x: linalg.eig(x).eigenvectors.abs(), a, atol=1e-5)


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_svd(full, shape, dtype):
    a = random(*shape, dtype=dtype)
    U, S, Vh = linalg.svd(a, full_matrices=full)
    k = min(shape[-2:])
    same(U[..., :k] * S.unsqueeze(-2) @ Vh[..., :k, :], a)
    same(linalg.svdvals(a), S)

    def parts(x):
        U, S, Vh = linalg.svd(x, full_matrices=full)
        return U[..., :k].abs(), S, Vh[..., :k, :].abs(), U[..., :k] @ Vh[..., :k, :]

    check_derivatives(parts, a, atol=1e-5)
    check_derivatives(linalg.svdvals, a)


def test_phases_that_a_loss_must_not_depend_on(torch):
    a = torch.tensor([[1.0 + 1j, 2.0], [3.0, 4.0 - 2j]], dtype=torch.complex128, requires_grad=True)
    for function in (
        lambda: torch.linalg.eigh(a + a.mH).eigenvectors,
        lambda: torch.linalg.eig(a).eigenvectors,
        lambda: torch.linalg.svd(a).U,
    ):
        with pytest.raises(RuntimeError, match="in the complex case are specified up to multiplication by"):
            (function() ** 3).sum().imag.backward()


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_of_reflections(dtype):
    a = random(4, 3, dtype=dtype)
    reflections, tau = rushlight.geqrf(a.detach())
    Q = linalg.householder_product(reflections, tau)
    same(Q @ reflections[:3].triu(), a)
    other = random(4, 2, dtype=dtype, seed=1)
    full = linalg.householder_product(rushlight.cat([reflections, reflections[:, :1]], 1), tau)
    same(rushlight.ormqr(reflections, tau, other), full @ other)
    same(rushlight.ormqr(reflections, tau, other, transpose=True), full.mH @ other)
    same(rushlight.ormqr(reflections, tau, other.mH, left=False), other.mH @ full)
    same(rushlight.ormqr(reflections, tau, other.mH, left=False, transpose=True), other.mH @ full.mH)
    leaves = [tensor(x.numpy().copy()) for x in (reflections, tau)]
    check_derivatives(linalg.householder_product, *leaves)
    check_derivatives(rushlight.ormqr, *leaves, other)


def test_geqrf_has_no_derivative(torch):
    with pytest.raises((RuntimeError, NotImplementedError), match="geqrf"):
        torch.geqrf(torch.ones(2, 2, requires_grad=True)).a.sum().backward()


def test_approximations_of_low_rank():
    a, b = random(8, 2), random(2, 5, seed=1)
    rushlight.manual_seed(0)
    U, S, V = rushlight.svd_lowrank(a @ b, q=2)
    same(U * S @ V.mH, a @ b)
    U, S, V = rushlight.svd_lowrank((a @ b).mT, q=2, M=rushlight.ones(5, 8, dtype=rushlight.float64))
    assert (U.shape, S.shape, V.shape) == ((5, 2), (2,), (8, 2))
    U, S, V = rushlight.pca_lowrank(a @ b, q=2)
    centered = (a @ b) - (a @ b).mean(0)
    same(S, linalg.svdvals(centered)[:2])
    with pytest.raises(ValueError, match="must be non-negative integer and not greater than min"):
        rushlight.pca_lowrank(a, q=9)


def test_older_names():
    a = random(3, 2)
    U, S, V = rushlight.svd(a)
    same(U * S @ V.mH, a)
    assert rushlight.svd(a, some=False).U.shape == (3, 3)
    assert rushlight.svd(a, compute_uv=False).U.abs().sum() == 0
    Q, R = rushlight.qr(a)
    same(Q @ R, a)
    same(rushlight.pinverse(a), linalg.pinv(a))
    square, b = positive(3, 3), random(3, 1, seed=2)
    same(rushlight.inverse(square), linalg.inv(square))
    same(rushlight.cholesky(square), linalg.cholesky(square))
    same(square.triu() @ rushlight.triangular_solve(b, square).solution, b)
    same(square.tril().mT @ rushlight.triangular_solve(b, square, upper=False, transpose=True)[0], b)
    assert rushlight.lu(square, get_infos=True)[2].item() == 0
    assert rushlight.lu(rushlight.ones(2, 2))[0].tolist() == [[1.0, 1.0], [1.0, 0.0]]


@pytest.mark.parametrize("hermitian", [False, True])
@pytest.mark.parametrize("dtype", [rushlight.float32, rushlight.float64, rushlight.complex128])
def test_ldl(dtype, hermitian):
    rushlight.manual_seed(0)
    a = rushlight.randn(2, 5, 5, dtype=dtype)
    a = a + (a.mH if hermitian else a.mT)
    b = rushlight.randn(2, 5, 3, dtype=dtype)
    LD, pivots = linalg.ldl_factor(a, hermitian=hermitian)
    assert (pivots.dtype, pivots.shape) == (rushlight.int32, (2, 5))
    x = linalg.ldl_solve(LD, pivots, b, hermitian=hermitian)
    rushlight.testing.assert_close(a @ x, b, atol=1e-4 if dtype is rushlight.float32 else 1e-10, rtol=0)
    assert linalg.ldl_factor_ex(rushlight.zeros(3, 2, 2)).info.tolist() == [1, 1, 1]
    with pytest.raises(RuntimeError, match=r"ldl_factor: D\[1,1\] is zero"):
        linalg.ldl_factor(rushlight.zeros(2, 2))
    with pytest.raises(RuntimeError, match="derivative for aten::linalg_ldl_factor_ex is not implemented"):
        linalg.ldl_factor(a.requires_grad_()).LD.abs().sum().backward()


def test_a_few_eigenpairs():
    rushlight.manual_seed(0)
    m = random(2, 30, 30)
    a, weights = m @ m.mT, rushlight.tensor([1.0, 3.0], dtype=rushlight.float64)
    E, V = rushlight.lobpcg(a, k=2)
    same(E, linalg.eigvalsh(a).flip(-1)[:, :2], 1e-6)
    same(a @ V, V * E[:, None], 1e-3)
    same(rushlight.lobpcg(a, k=2, largest=False)[0], linalg.eigvalsh(a)[:, :2], 1e-6)
    same(rushlight.lobpcg(a[0].detach(), k=2, B=2 * rushlight.eye(30).double())[0], E[0] / 2, 1e-6)
    same(rushlight.lobpcg(a[0].to_sparse(), k=2)[0], E[0], 1e-6)
    start = random(30, 2)
    same(rushlight.vmap(lambda x: rushlight.lobpcg(x, k=2, X=start)[0])(a), E, 1e-6)
    small = random(9, 9)
    small = (small + small.mT).requires_grad_()
    check_derivatives(
        lambda x: (lambda E, V: E @ weights + (V[0] ** 2).sum())(*rushlight.lobpcg((x + x.mT) / 2, 2)), small
    )
    with pytest.raises(ValueError, match="smaller than 3 x the number of"):
        rushlight.lobpcg(small, k=4)
    with pytest.raises(ValueError, match="B != I"):
        rushlight.lobpcg(small.detach().requires_grad_(), k=2, B=rushlight.eye(9).double())
    with pytest.raises(NotImplementedError, match="tracker is PyTorch's own"):
        rushlight.lobpcg(small, k=2, tracker=print)


@pytest.mark.parametrize("function", [linalg.svdvals, linalg.eigvalsh])
def test_a_backward_pass_of_values_alone_decomposes_nothing(function, monkeypatch):
    a = rushlight.eye(3, dtype=rushlight.float64) + rushlight.arange(9.0, dtype=rushlight.float64).reshape(3, 3)
    a = (a + a.mT).requires_grad_()
    values = function(a)
    for name in ("svd", "eigh"):
        monkeypatch.setattr(np.linalg, name, lambda *args, **kwargs: pytest.fail("decomposed once more"))
    values.sum().backward()
    assert a.grad.shape == (3, 3)
    monkeypatch.undo()
    (again,) = rushlight.autograd.grad(function(a).sum(), a, create_graph=True)
    same(again, a.grad)


@pytest.mark.parametrize("function", [linalg.svdvals, linalg.eigvalsh])
def test_values_alone_have_tangents(function):
    a = rushlight.arange(9.0, dtype=rushlight.float64).reshape(3, 3).sin()
    a, tangent = a + a.mT, rushlight.eye(3, dtype=rushlight.float64) + a @ a.mT
    values, found = rushlight.func.jvp(function, (a,), (tangent,))
    same(values, function(a))
    step = 1e-6
    slope = (function(a + step * tangent) - function(a - step * tangent)) / (2 * step)
    np.testing.assert_allclose(found.numpy(), slope.numpy(), atol=1e-8)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_nan_is_not_positive(place, upper):
    matrix = rushlight.eye(3).repeat(2, 1, 1)
    matrix[1, place, place] = rushlight.nan
    assert rushlight.linalg.cholesky_ex(matrix, upper=upper).info.tolist() == [0, place + 1]
    words = rf"\(Batch element 1\): .* leading minor of order {place + 1} is not"
    with pytest.raises(rushlight.linalg.LinAlgError, match=words):
        rushlight.linalg.cholesky(matrix, upper=upper)


def test_a_matrix_that_rounding_decides_on(monkeypatch):
    """NumPy's library may find that a matrix is not positive, and SciPy's that it is: then its factor is taken."""

    def refuse(*args, **kwargs):
        raise np.linalg.LinAlgError

    matrix = rushlight.tensor([[4.0, 2.0], [2.0, 5.0]])
    monkeypatch.setattr(np.linalg, "cholesky", refuse)
    factor, info = rushlight.linalg.cholesky_ex(matrix)
    assert info == 0
    assert factor.tolist() == rushlight.linalg.cholesky(matrix).tolist() == [[2.0, 0.0], [1.0, 2.0]]
