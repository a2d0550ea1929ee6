"""NumPy's linear algebra on tensors: `np.linalg.inv(x)` of a tensor is `torch.linalg.inv(x)`."""

import numpy as np

from rushlight.linalg.cholesky_decomposition import cholesky
from rushlight.linalg.determinants import det, slogdet
from rushlight.linalg.eigen import eig, eigh, eigvals, eigvalsh
from rushlight.linalg.norms import matrix_norm, norm, vector_norm
from rushlight.linalg.powers import matrix_power
from rushlight.linalg.qr_decomposition import qr
from rushlight.linalg.singular_values import matrix_rank, pinv, svd, svdvals
from rushlight.linalg.solving import inv, solve, tensorinv, tensorsolve
from rushlight.linalg.vectors import cross
from rushlight.ops.contractions import multi_dot
from rushlight.ops.protocol import implements

SAME = (
    cholesky, det, eig, eigh, eigvals, eigvalsh, inv, matrix_power, multi_dot, qr, slogdet, solve, svdvals, tensorinv,
    tensorsolve,
)  # fmt: skip

for function in SAME:
    implements(getattr(np.linalg, function.__name__))(function)

implements(np.linalg.svd)(
    lambda a, full_matrices=True, compute_uv=True: svd(a, full_matrices) if compute_uv else svdvals(a)
)
implements(np.linalg.norm)(lambda x, ord=None, axis=None, keepdims=False: norm(x, ord, axis, keepdims))
implements(np.linalg.vector_norm)(lambda x, axis=None, keepdims=False, ord=2: vector_norm(x, ord, axis, keepdims))
implements(np.linalg.matrix_norm)(lambda x, keepdims=False, ord="fro": matrix_norm(x, ord, keepdim=keepdims))
implements(np.linalg.pinv)(lambda a, rcond=None, hermitian=False, rtol=None: pinv(a, rcond, hermitian, rtol=rtol))
implements(np.linalg.matrix_rank)(
    lambda A, tol=None, hermitian=False, rtol=None: matrix_rank(A, tol, hermitian, rtol=rtol)
)
implements(np.cross)(lambda a, b, axis=-1: cross(a, b, dim=axis))
