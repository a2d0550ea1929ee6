"""`torch.linalg`: norms, determinants, linear equations, decompositions; differentiable and batched."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.linalg import toplevel as _toplevel  # imported for its methods, which it registers
from rushlight.linalg.calls import LinAlgError
from rushlight.linalg.cholesky_decomposition import cholesky, cholesky_ex
from rushlight.linalg.determinants import det, slogdet
from rushlight.linalg.eigen import eig, eigh, eigvals, eigvalsh
from rushlight.linalg.ldl_decomposition import ldl_factor, ldl_factor_ex, ldl_solve
from rushlight.linalg.least_squares import lstsq
from rushlight.linalg.lu_decomposition import lu, lu_factor, lu_factor_ex, lu_solve
from rushlight.linalg.norms import cond, matrix_norm, norm, vector_norm
from rushlight.linalg.powers import matrix_exp, matrix_power
from rushlight.linalg.qr_decomposition import householder_product, qr
from rushlight.linalg.singular_values import matrix_rank, pinv, svd, svdvals
from rushlight.linalg.solving import inv, inv_ex, solve, solve_ex, solve_triangular, tensorinv, tensorsolve
from rushlight.linalg.vectors import cross, diagonal, vander, vecdot
from rushlight.ops.late_methods import METHODS as _METHODS
from rushlight.ops.products.contractions import multi_dot
from rushlight.ops.products.products import matmul
from rushlight.refusals.guard import guard as _guard
from rushlight.refusals.guard import guard_methods as _guard_methods
from rushlight.tensors import Tensor as _Tensor

__all__ = [
    "LinAlgError",
    "cholesky",
    "cholesky_ex",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "householder_product",
    "inv",
    "inv_ex",
    "ldl_factor",
    "ldl_factor_ex",
    "ldl_solve",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_factor_ex",
    "lu_solve",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_ex",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensorinv",
    "tensorsolve",
    "vander",
    "vecdot",
    "vector_norm",
]

_guard(globals(), "linalg")
_guard_methods(_Tensor, _METHODS["linalg"])

_explain_misses(globals())
