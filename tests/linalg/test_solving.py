"""Equations, inverses and determinants: values against NumPy and SciPy, derivatives by central differences."""

import pickle

import numpy as np
import pytest
import scipy.linalg
from derivatives import check_derivatives
from linalg.cases import DTYPES, array, positive, random, tensor

import rushlight

linalg = rushlight.linalg


@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3), (0, 2, 2), (0, 0)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_inverse_and_determinants(shape, dtype):
    a = random(*shape, dtype=dtype)
    x = a.detach().numpy()
    np.testing.assert_allclose(linalg.inv(a).detach().numpy(), np.linalg.inv(x))
    np.testing.assert_allclose(linalg.det(a).detach().numpy(), np.linalg.det(x))
    for found, expected in zip(linalg.slogdet(a), np.linalg.slogdet(x), strict=True):
        np.testing.assert_allclose(found.detach().numpy(), expected)
    for function in (linalg.inv, linalg.det, lambda a: linalg.slogdet(a)[1]):
        check_derivatives(function, a)


def test_complex_sign_of_the_determinant():
    check_derivatives(lambda a: linalg.slogdet(a), random(2, 3, 3, dtype=np.complex128))
    check_derivatives(rushlight.logdet, random(2, 2, 2, dtype=np.complex128))


@pytest.mark.parametrize("rank", [0, 1, 2])
@pytest.mark.parametrize("dtype", DTYPES)
def test_gradient_of_the_determinant_of_a_singular_matrix(rank, dtype):
    a = array(3, rank, dtype=dtype) @ array(rank, 3, dtype=dtype, seed=1)
    a[:, 2] = 0
    check_derivatives(linalg.det, tensor(a), order=1)


def test_determinants_of_integers_in_floats():
    a = rushlight.tensor([[2.0, 1.0], [4.0, 2.0]], requires_grad=True)
    rushlight.det(a).backward()
    np.testing.assert_allclose(a.grad.numpy(), [[2, -4], [-1, 2]], atol=1e-6)
    assert rushlight.logdet(rushlight.tensor([[0.0, 1.0], [1.0, 0.0]])).isnan()
    assert rushlight.logdet(rushlight.zeros(2, 2)).item() == -np.inf


SOLVE = [
    ((3, 3), (3,), True),
    ((3, 3), (3, 2), True),
    ((2, 3, 3), (3, 2), True),
    ((3, 3), (2, 3, 2), True),
    ((2, 3, 3), (2, 3), True),
    ((3, 3), (2, 3), False),
    ((4, 1, 3, 3), (2, 2, 3), False),
]


@pytest.mark.parametrize(("a", "b", "left"), SOLVE)
@pytest.mark.parametrize("dtype", DTYPES)
def test_solve(a, b, left, dtype):
    A, B = random(*a, dtype=dtype), random(*b, dtype=dtype, seed=1)
    X = linalg.solve(A, B, left=left)
    vector = len(b) == 1 or b == a[:-1]
    back = (A @ X.unsqueeze(-1)).squeeze(-1) if vector else A @ X if left else X @ A
    np.testing.assert_allclose(back.detach().numpy(), np.broadcast_to(B.detach().numpy(), back.shape), atol=1e-9)
    np.testing.assert_allclose(linalg.solve_ex(A, B, left=left).result.detach().numpy(), X.detach().numpy())
    check_derivatives(lambda A, B: linalg.solve(A, B, left=left), A, B)


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("unitriangular", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
def test_solve_triangular(upper, left, unitriangular, dtype):
    A, B = positive(2, 3, 3, dtype=dtype), random(3, 3, dtype=dtype, seed=1)
    options = {"upper": upper, "left": left, "unitriangular": unitriangular}
    X = linalg.solve_triangular(A, B, **options).detach().numpy()
    T = (np.triu if upper else np.tril)(A.detach().numpy())
    if unitriangular:
        T = T * (1 - np.eye(3)) + np.eye(3)
    np.testing.assert_allclose(T @ X if left else X @ T, np.broadcast_to(B.detach().numpy(), X.shape), atol=1e-9)
    check_derivatives(lambda A, B: linalg.solve_triangular(A, B, **options), A, B)


def test_solve_triangular_by_zero(torch):
    x = torch.linalg.solve_triangular(torch.tensor([[1.0, 2.0], [0.0, 0.0]]), torch.ones(2, 1), upper=True)
    assert x.tolist() == [[-np.inf], [np.inf]]


@pytest.mark.parametrize(("left", "strides"), [(True, (1, 3)), (False, (1, 1))])
def test_solutions_of_triangular_matrices_lie_by_columns(torch, left, strides):
    A, B = torch.eye(3), torch.ones(3, 1) if left else torch.ones(1, 3)
    assert torch.linalg.solve_triangular(A, B, upper=True, left=left).stride() == strides
    out = torch.empty(0)
    torch.linalg.solve_triangular(A, B, upper=True, left=left, out=out)
    assert out.stride() == strides


def test_solve_triangular_of_nothing():
    for a, b in (((0, 0), (0, 2)), ((0, 2, 2), (0, 2, 3)), ((2, 2), (2, 0))):
        assert (
            linalg.solve_triangular(random(*a), random(*b), upper=True).shape
            == np.broadcast_shapes(a[:-2], b[:-2]) + b[-2:]
        )


@pytest.mark.parametrize("shape", [(4, 2), (2, 4), (3, 3), (2, 4, 3)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_pseudo_inverse(shape, dtype):
    a = random(*shape, dtype=dtype)
    np.testing.assert_allclose(linalg.pinv(a).detach().numpy(), np.linalg.pinv(a.detach().numpy()), atol=1e-12)
    check_derivatives(linalg.pinv, a)


def test_pseudo_inverse_of_low_rank():
    a, b = random(4, 2), random(2, 3, seed=1)
    check_derivatives(lambda a, b: linalg.pinv(a @ b), a, b)
    h = tensor(np.diag([1.0, -2.0, 0.0]))
    np.testing.assert_allclose(linalg.pinv(h, hermitian=True).detach().numpy(), np.diag([1.0, -0.5, 0.0]))
    assert linalg.pinv(rushlight.tensor([[2.0, 0.0], [0.0, 1e-3]]), atol=0.1).tolist() == [[0.5, 0.0], [0.0, 0.0]]


def test_matrix_rank():
    a = np.stack([np.eye(3), np.ones((3, 3)), np.diag([1, 1e-3, 0])])
    assert linalg.matrix_rank(rushlight.from_numpy(a)).tolist() == [3, 1, 2]
    assert linalg.matrix_rank(rushlight.from_numpy(a), atol=0.1, hermitian=True).tolist() == [3, 1, 1]
    assert linalg.matrix_rank(rushlight.from_numpy(a), rtol=rushlight.tensor([0.1, 0.1, 1e-4])).tolist() == [3, 1, 2]


@pytest.mark.parametrize("driver", [None, "gels", "gelsy", "gelsd", "gelss"])
@pytest.mark.parametrize(("a", "b"), [((4, 2), (4, 3)), ((2, 4), (2, 3)), ((2, 4, 2), (2, 4)), ((1, 4, 2), (2, 4, 1))])
@pytest.mark.parametrize("dtype", DTYPES)
def test_least_squares(driver, a, b, dtype):
    A, B = random(*a, dtype=dtype), random(*b, dtype=dtype, seed=1)
    found = linalg.lstsq(A, B, driver=driver)
    P = np.linalg.pinv(A.detach().numpy())
    expected = (P @ B.detach().numpy()[..., None])[..., 0] if b == a[:-1] else P @ B.detach().numpy()
    np.testing.assert_allclose(found.solution.detach().numpy(), expected)
    outputs = 2 if found.residuals.numel() else 1
    assert outputs == (2 if driver not in (None, "gelsy") and a[-2] > a[-1] else 1)
    check_derivatives(lambda A, B: linalg.lstsq(A, B, driver=driver)[:outputs], A, B)


@pytest.mark.parametrize("n", [-3, -1, 0, 1, 2, 5, 6])
@pytest.mark.parametrize("dtype", DTYPES)
def test_matrix_power(n, dtype):
    a = positive(2, 3, 3, dtype=dtype)
    np.testing.assert_allclose(
        linalg.matrix_power(a, n).detach().numpy(), np.linalg.matrix_power(a.detach().numpy(), n)
    )
    check_derivatives(lambda a: linalg.matrix_power(a / 4, n), a)


@pytest.mark.parametrize("dtype", DTYPES)
def test_matrix_exponential(dtype):
    a = random(2, 3, 3, dtype=dtype)
    np.testing.assert_allclose(linalg.matrix_exp(a).detach().numpy(), scipy.linalg.expm(a.detach().numpy()))
    check_derivatives(linalg.matrix_exp, a)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_matrix_exponentials_of_all_sizes(dtype):
    """Small and large norms, in one batch too: each needs another polynomial, and as many squarings."""
    draw = np.random.default_rng(0)
    norms = np.array([0, 1e-9, 1e-3, 0.1, 1, 10, 40])[:, None, None]
    a = (draw.standard_normal((7, 4, 4)) * norms / 4).astype(dtype)
    if dtype in (np.complex64, np.complex128):
        a = a + dtype(0.3j) * a.mT
    expected = scipy.linalg.expm(a.astype(np.result_type(dtype, np.float64)))
    sizes = np.abs(expected).max((1, 2), keepdims=True)
    found = linalg.matrix_exp(rushlight.from_numpy(a)).numpy()
    assert found.dtype == dtype
    tolerance = 200 * np.finfo(dtype).eps
    np.testing.assert_allclose(found / sizes, expected / sizes, rtol=0, atol=tolerance)
    alone = np.stack([linalg.matrix_exp(rushlight.from_numpy(one)).numpy() for one in a])
    np.testing.assert_allclose(alone / sizes, expected / sizes, rtol=0, atol=tolerance)


def test_derivatives_of_matrix_exponentials_by_dual_matrices_and_blocks():
    a = rushlight.from_numpy(np.random.default_rng(0).standard_normal((3, 5, 5)) * 2).requires_grad_()
    along = rushlight.from_numpy(np.random.default_rng(1).standard_normal((3, 5, 5)))
    found = rushlight.autograd.grad(linalg.matrix_exp(a), a, along)[0]
    recorded = rushlight.autograd.grad(linalg.matrix_exp(a), a, along, create_graph=True)[0]
    np.testing.assert_allclose(found.numpy(), recorded.detach().numpy(), rtol=1e-10)


def test_matrix_exponentials_of_nothing_and_of_what_is_not_a_number():
    assert linalg.matrix_exp(rushlight.zeros(0, 2, 2)).shape == (0, 2, 2)
    a = rushlight.zeros(2, 2, 2)
    a[0, 0, 0] = np.nan
    found = linalg.matrix_exp(a)
    assert found[0].isnan().any()
    assert (found[1] == rushlight.eye(2)).all()


def test_tensor_equations():
    a, b = random(2, 3, 6), random(2, 3, seed=1)
    np.testing.assert_allclose(linalg.tensorinv(a).detach().numpy(), np.linalg.tensorinv(a.detach().numpy()))
    np.testing.assert_allclose(
        linalg.tensorsolve(a, b).detach().numpy(), np.linalg.tensorsolve(a.detach().numpy(), b.detach().numpy())
    )
    moved = a.detach().movedim(2, 0)
    np.testing.assert_allclose(
        linalg.tensorsolve(moved, b, dims=(0,)).detach().numpy(), linalg.tensorsolve(a, b).detach().numpy()
    )
    check_derivatives(linalg.tensorinv, a)
    check_derivatives(linalg.tensorsolve, a, b)


def test_information_on_singular_matrices():
    a = rushlight.stack([rushlight.eye(2), rushlight.zeros(2, 2)])
    inverse, info = linalg.inv_ex(a)
    assert info.tolist() == [0, 1]
    assert inverse[0].tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert inverse[1].isnan().all()
    assert linalg.solve_ex(a, rushlight.ones(2)).info.tolist() == [0, 1]
    assert linalg.cholesky_ex(rushlight.stack([rushlight.eye(2), -rushlight.eye(2)])).info.tolist() == [0, 1]
    assert linalg.lu_factor_ex(a).info.tolist() == [0, 1]


@pytest.mark.parametrize("name", ["inv_ex", "cholesky_ex", "lu_factor_ex", "ldl_factor_ex"])
def test_information_on_one_matrix_is_a_tensor_like_any_other(torch, name):
    info = getattr(torch.linalg, name)(torch.eye(2)).info
    assert (info.shape, info.dtype, info.t().clone().view(1).add_(1).tolist()) == ((), torch.int32, [1])


@pytest.mark.parametrize("n", [2, 5, 17])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_determinants_of_what_is_not_finite_are_nan_also_after_a_zero_pivot(n, value, dtype):
    theirs = pytest.importorskip("torch")

    def seen(torch, place):
        a = torch.eye(n, dtype=getattr(torch, dtype))
        a[0, 0] = 0
        a[place] = value
        batch = torch.stack([a, torch.eye(n, dtype=a.dtype)])
        return [str(x) for x in (torch.linalg.det(batch).tolist(), torch.linalg.slogdet(batch).logabsdet.tolist())]

    for place in ((0, 1), (1, 0), (1, 1), (n - 1, 0), (n - 1, n - 1)):
        assert seen(rushlight, place) == seen(theirs, place)


def test_the_error_has_pytorchs_name():
    with pytest.raises(RuntimeError) as error:
        rushlight.linalg.inv(rushlight.zeros(2, 2))
    assert type(error.value).__name__ == "_LinAlgError"
    assert pickle.loads(pickle.dumps(error.value)).args == error.value.args


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("name", ["cholesky_inverse", "cholesky_solve"])
def test_gradients_of_the_triangle_that_is_not_read(name, upper):
    torch = rushlight
    factor = torch.tensor([[2.0, 5.0, 0.5], [1.0, 3.0, 7.0], [4.0, 0.3, 2.5]], dtype=torch.float64, requires_grad=True)
    right = torch.tensor([[1.0], [2.0], [0.5]], dtype=torch.float64, requires_grad=True)
    if name == "cholesky_inverse":
        function, inputs = (lambda f: torch.cholesky_inverse(f, upper)), (factor,)
    else:
        function, inputs = (lambda b, f: torch.cholesky_solve(b, f, upper)), (right, factor)
    assert torch.autograd.gradcheck(function, inputs, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(function, inputs, check_fwd_over_rev=True)
