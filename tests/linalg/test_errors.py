"""What linear algebra refuses: the same errors from rushlight and from PyTorch."""

import pytest

ERRORS = [
    ("L.inv(r(2, 3))", "linalg.inv: A must be batches of square matrices, but they are 2 by 3 matrices"),
    ("L.det(r(2))", "linalg.det: The input tensor A must have at least 2 dimensions."),
    ("L.det(r(2, 2).long())", "linalg.det: Expected a floating point or complex tensor as input. Got Long"),
    ("L.eigh(r(2, 2).long())", "\"linalg_eigh_cpu\" not implemented for 'Long'"),
    ("L.lu(r(2))", "linalg.lu: Expected tensor with 2 or more dimensions. Got size: [2] instead"),
    ("L.lu(r(2, 2), pivot=False)", "linalg.lu_factor: LU without pivoting is not implemented on the CPU"),
    ("L.pinv(r(2))", "linalg.pinv(Float{[2]}): expected a tensor with 2 or more dimensions of float, double, cfloat"),
    ("L.matrix_rank(r(2))", "torch.linalg.matrix_rank: The input tensor input must have at least 2 dimensions."),
    ("L.matrix_power(r(2, 3), 2)", "linalg.matrix_power: A must be batches of square matrices, but they are 2 by 3"),
    ("L.inv(z)", "linalg.inv: The diagonal element 1 is zero, the inversion could not be completed because the inp"),
    ("L.inv(z.expand(3, 2, 2))", "linalg.inv: (Batch element 0): The diagonal element 1 is zero, the inversion cou"),
    ("L.inv_ex(z, check_errors=True)", "linalg.inv_ex: The diagonal element 1 is zero, the inversion could not be"),
    ("L.solve(z, z)", "torch.linalg.solve: The solver failed because the input matrix is singular."),
    ("L.cholesky(z)", "linalg.cholesky: The factorization could not be completed because the input is not positive"),
    ("L.cholesky(torch.stack([torch.eye(2), -torch.eye(2)]))", "linalg.cholesky: (Batch element 1): The factorizat"),
    ("L.lu_factor(z)", "torch.linalg.lu_factor: U[1,1] is zero and using it on lu_solve would result in a division"),
    ("L.svd(z * float('nan'))", "linalg.svd: The algorithm failed to converge because the input matrix contained n"),
    ("L.eig(z * float('nan'))", "torch.linalg.eig: input tensor should not contain infs or NaNs."),
    ("torch.cholesky_inverse(z)", "cholesky_inverse: The diagonal element 1 is zero, the inversion could not be"),
    ("L.solve(r(2, 2), r(3))", "linalg.solve: Incompatible shapes of A and B for the equation AX = B (2x2 and 3x1)"),
    ("L.solve(r(2, 2), r(2, 3), left=False)", "linalg.solve: Incompatible shapes of A and B for the equation XA = "),
    ("L.solve(r(2, 2), r(2).double())", "linalg.solve: Expected A and B to have the same dtype, but found A of typ"),
    ("L.solve(r(3, 2, 2), r(4, 2, 2))", "The size of tensor a (4) must match the size of tensor b (3) at non-singl"),
    ("L.solve_triangular(r(2, 2), r(3, 2), upper=True)", "linalg.solve_triangular: Incompatible shapes of A and B "),
    ("L.lstsq(r(3, 2), r(2, 1))", "torch.linalg.lstsq: input.size(-2) should match other.size(-2)"),
    ("L.lstsq(r(3, 2), r(3), driver='x')", "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, "),
    ("L.vector_norm(r(2).long())", "linalg.vector_norm: Expected a floating point or complex tensor as input. Got "),
    ("L.vector_norm(r(0), float('inf'))", "linalg.vector_norm cannot compute the inf norm on an empty tensor becau"),
    ("L.vector_norm(r(2), 'fro')", "linalg_vector_norm(): argument 'ord' (position 2) must be Number, not str"),
    ("L.matrix_norm(r(2))", "linalg.matrix_norm: The input tensor A must have at least 2 dimensions."),
    ("L.matrix_norm(r(2, 2), 3)", "linalg.matrix_norm: Order 3 not supported."),
    ("L.matrix_norm(r(2, 2), dim=(0, 0))", "linalg.matrix_norm: dims must be different. Got (0, 0)"),
    ("L.norm(r(2, 2, 2), 2)", "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got 3D."),
    ("L.norm(r(2, 2, 2), 2, (0, 1, 2))", "linalg.norm: If dim is specified, it must be of length 1 or 2. Got [0, 1"),
    ("L.norm(r(2, 2), 'nuc', dim=0)", "linalg.matrix_norm: dim must be a 2-tuple. Got 0"),
    ("L.cond(r(2, 2), 'x')", "linalg.cond got an invalid norm type: x"),
    ("L.cond(r(2, 3), 1)", "linalg.cond(ord=1): A must be batches of square matrices, but they are 2 by 3 matrices"),
    ("torch.renorm(r(2), 2, 0, 1.0)", "renorm: input needs at least 2 dimensions, got 1 dimensions"),
    (
        "torch.renorm(r(2, 2).int(), 2, 0, 1.0)",
        "linalg.vector_norm: Expected a floating point or complex tensor as input. Got Int",
    ),
    ("torch.renorm(r(2, 2), -2, 0, 1.0)", "renorm: non-positive-norm not supported"),
    ("torch.renorm(r(2, 2), 2, 0, -1.0)", "renorm: expected maxnorm to be >= 0 but got -1"),
    ("L.qr(r(2, 2), mode='x')", "qr received unrecognized mode 'x' but expected one of 'reduced' (default), 'r', or"),
    ("L.cross(r(2, 2), r(2, 2))", "linalg.cross: inputs dimension -1 must have length 3. Got 2 and 2"),
    ("L.cross(r(3), r(2, 3))", "linalg.cross: inputs must have the same number of dimensions."),
    ("torch.cross(r(2, 2), r(2, 2))", "no dimension of size 3 in input"),
    ("L.vander(torch.tensor(1.0))", "N must be greater than 1."),
    ("L.tensorinv(r(2, 3, 5))", "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shap"),
    ("L.tensorinv(r(2, 3, 6), ind=0)", "Expected a strictly positive integer for 'ind', but got 0"),
    ("L.householder_product(r(2, 3), r(2))", "torch.linalg.householder_product: input.shape[-2] must be greater th"),
    ("torch.ormqr(r(3, 2), r(2), r(2, 3))", "torch.ormqr: other.shape[-2] must be equal to input.shape[-2]"),
    ("torch.lu_unpack(r(2, 2), r(2).long())", "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of"),
    ("torch.cholesky(r(2, 3))", "cholesky: A must be batches of square matrices, but they are 2 by 3 matrices"),
    ("torch.cholesky_solve(r(2), r(2, 2))", "b should have at least 2 dimensions, but has 1 dimensions instead"),
    ("L.lu_solve(r(2, 2), r(2).int(), r(2))", "linalg.lu_solve: The input tensor B must have at least 2 dimensions."),
    ("L.inv(3)", "linalg_inv(): argument 'A' (position 1) must be Tensor, not int"),
]


@pytest.mark.parametrize(("expression", "message"), ERRORS, ids=[e for e, _ in ERRORS])
def test_errors(torch, expression, message):
    names = {"torch": torch, "r": torch.ones, "z": torch.zeros(2, 2), "L": torch.linalg}
    with pytest.raises((RuntimeError, TypeError)) as found:
        eval(expression, names)
    assert str(found.value).startswith(message)


def test_singular_matrices_are_errors_of_linear_algebra(torch):
    with pytest.raises(torch.linalg.LinAlgError):
        torch.linalg.inv(torch.zeros(2, 2))


NAMED = ["svd", "eigh", "eig", "qr", "slogdet", "lu", "lu_factor", "lu_factor_ex", "inv_ex", "cholesky_ex", "lstsq"]


@pytest.mark.parametrize("name", NAMED)
def test_named_tuples(name):
    oracle, ours = pytest.importorskip("torch"), pytest.importorskip("rushlight")
    found, expected = (getattr(t.linalg, name)(*[t.eye(2)] * (2 if name == "lstsq" else 1)) for t in (ours, oracle))
    assert type(found).__name__ == type(expected).__name__
    for i, field in enumerate(type(expected).__match_args__):
        assert getattr(found, field) is found[i]


NODES = [
    ("L.det(x)", "LinalgDetBackward0"),
    ("L.inv(x)", "LinalgInvExBackward0"),
    ("L.solve(x, x)", "LinalgSolveExBackward0"),
    ("L.cholesky(x)", "LinalgCholeskyExBackward0"),
    ("L.eigh(x)[1]", "LinalgEighBackward0"),
    ("L.eig(x)[0]", "LinalgEigBackward0"),
    ("L.svd(x)[1]", "LinalgSvdBackward0"),
    ("L.svdvals(x)", "LinalgSvdBackward0"),
    ("L.qr(x)[0]", "LinalgQrBackward0"),
    ("L.pinv(x)", "LinalgPinvBackward0"),
    ("L.lu_factor(x)[0]", "LinalgLuFactorExBackward0"),
    ("L.matrix_exp(x)", "LinalgMatrixExpBackward0"),
    ("torch.cholesky_solve(x, x)", "CholeskySolveBackward0"),
    ("L.solve_triangular(x, x, upper=True)", "LinalgSolveTriangularBackward0"),
    ("L.slogdet(x)[1]", "LinalgSlogdetBackward0"),
]


@pytest.mark.parametrize(("expression", "name"), NODES)
def test_node_names(torch, expression, name):
    x = torch.eye(2, requires_grad=True)
    assert eval(expression, {"torch": torch, "x": x, "L": torch.linalg}).grad_fn.name() == name
