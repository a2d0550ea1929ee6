"""A few of the largest or smallest eigenpairs of a large symmetric matrix, by SciPy's LOBPCG."""

import warnings
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batching import leading
from rushlight.core.graph import new_tensor
from rushlight.core.kinds import kind_of
from rushlight.layouts import strided
from rushlight.linalg.eigen import _eigh, eigh_cotangent
from rushlight.linalg.pieces import over_batches
from rushlight.ops.randomness.random_tensors import randn
from rushlight.ops.table import operator
from rushlight.tensors import Tensor

__all__ = ["lobpcg"]

STEPS = 1000  # the default limit


def eigenpairs(A: Any, X: Array, B: Any, M: Any, steps: int | None, tolerance: float, largest: bool) -> tuple[Any, Any]:
    """The eigenpairs of one matrix (also a SciPy sparse one), as many as X, the initial vectors, has columns."""
    n, k = X.shape
    if n < 5 * k and isinstance(A, np.ndarray):
        from scipy.linalg import eigh

        E, V = eigh(A, B, subset_by_index=[n - k, n - 1] if largest else [0, k - 1])
        return (E[::-1].copy(), V[:, ::-1].copy()) if largest else (E, V)
    from scipy.sparse.linalg import lobpcg

    size = np.linalg.norm(A @ X) / np.linalg.norm(X)
    with warnings.catch_warnings():
        if steps is not None:  # with an explicit limit on the steps, the result is wanted even if it has not converged
            warnings.simplefilter("ignore", UserWarning)
        E, V = lobpcg(A, X, B, M, tol=tolerance * size, maxiter=STEPS if steps is None else steps, largest=largest)
    return E.astype(X.dtype), V.astype(X.dtype)


def cotangent(grad: Any, input: Array, result1: Array, largest: bool) -> Array:
    """The gradient of A: that of its full decomposition, with zero gradients for the pairs that were not asked for."""
    L, V = _eigh(input, "L")
    n, k = result1.shape[-2:]
    order = np.arange(n)[::-1] if largest else np.arange(n)
    L, V = L[..., order], V[..., :, order]
    same = np.sign(np.add.reduce(V[..., :, :k] * result1, -2, keepdims=True))
    rest = np.zeros_like(V[..., :, k:])
    grads = np.concatenate([grad[0], rest[..., 0, :]], -1), np.concatenate([grad[1] * same, rest], -1)
    return eigh_cotangent(grads, L, V)


@operator(name="lobpcg", batch=leading, input=cotangent)
def _lobpcg(
    input: Array, X: Array | None, iK: Array | None, niter: int, tol: float, largest: bool
) -> tuple[Array, ...]:
    """Eigenpairs of symmetric matrices."""
    given = [one for one in (input, X, iK) if one is not None]
    of_one = lambda A, X, M=None: eigenpairs(A, X, None, M, niter, tol, largest)
    return over_batches(of_one, given, [2] * len(given))


@operator(name="lobpcg_generalized", batch=leading)
def _generalized(
    input: Array, B: Array, X: Array | None, iK: Array | None, niter: int, tol: float, largest: bool
) -> tuple[Array, ...]:
    """Eigenpairs of A x = e B x."""
    given = [one for one in (input, B, X, iK) if one is not None]
    of_one = lambda A, B, X, M=None: eigenpairs(A, X, B, M, niter, tol, largest)
    return over_batches(of_one, given, [2] * len(given))


def begun(A: Tensor, k: int | None, X: Tensor | None, n: int | None, method: str | None, unused: dict[str, Any]) -> Any:
    """The initial vectors, and the number of pairs; raises the errors of arguments that do not match."""
    for name, value in unused.items():
        if value is not None:
            raise NotImplementedError(
                f"lobpcg: {name} is PyTorch's own, and SciPy's algorithm computes here: leave it out."
            )
    if method not in (None, "basic", "ortho"):
        raise ValueError(f"unknown method='{method}': it is 'basic' or 'ortho'")
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        raise AssertionError(f"A must be square, got shape {A.shape}")
    if kind_of(A.dtype._numpy) != "f":
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {A.dtype} != torch.float32. Use A.float()."
        )
    k = (1 if X is None else X.shape[-1]) if k is None else k
    n = (k if X is None else X.shape[-1]) if n is None else n
    rows = A.shape[-1]
    if k < 1:
        raise ValueError(f"k must be a positive number of eigenpairs, got {k}")
    if rows < 3 * n:
        raise ValueError(
            f"LOBPCG algorithm is not applicable when the number of A rows (={rows}) is smaller than 3 x the number of "
            f"requested eigenpairs (={n})"
        )
    return (randn((*A.shape[:-2], rows, n), dtype=A.dtype) if X is None else X), k


def lobpcg(
    A: Tensor,
    k: int | None = None,
    B: Tensor | None = None,
    X: Tensor | None = None,
    n: int | None = None,
    iK: Tensor | None = None,
    niter: int | None = None,
    tol: float | None = None,
    largest: bool | None = None,
    method: str | None = None,
    tracker: Any = None,
    ortho_iparams: dict[str, int] | None = None,
    ortho_fparams: dict[str, float] | None = None,
    ortho_bparams: dict[str, bool] | None = None,
) -> tuple[Tensor, Tensor]:
    """The `k` largest (or smallest) eigenvalues (*, k) and eigenvectors (*, m, k) of symmetric matrices A (*, m, m).

    With a positive definite B, those of A x = e B x. `X` (*, m, n) holds initial vectors; without it, `n` random ones
    are used (`torch.manual_seed`). `iK` is a preconditioner. The iteration ends after `niter` steps, or when residuals
    are at most `tol` times the norm of A; by default `tol` is the square root of the dtype's epsilon. A may be sparse,
    but then without derivatives. Derivatives are those of the exact pairs, computed by the full decomposition of A;
    ValueError for derivatives with a B, and for m < 3 n. `method` may be PyTorch's "ortho" or "basic"; both use SciPy's
    algorithm. NotImplementedError for `tracker` and `ortho_*`. Source: Knyazev 2001, "Toward the optimal preconditioned
    eigensolver".

    >>> import rushlight as torch
    >>> torch.lobpcg(torch.diag(torch.arange(12.0)), k=2)[0].round(decimals=3)
    tensor([11., 10.])
    """
    unused = {
        "tracker": tracker,
        "ortho_iparams": ortho_iparams,
        "ortho_fparams": ortho_fparams,
        "ortho_bparams": ortho_bparams,
    }
    X, k = begun(A, k, X, n, method, unused)
    steps = niter if niter is not None and niter > 0 else None
    options = steps, (np.finfo(A.dtype._numpy).eps ** 0.5 if tol is None else tol), largest is None or largest
    E, V = eigenpairs_of(A, B, X, iK, options)
    return (E[..., :k], V[..., :, :k]) if k < X.shape[-1] else (E, V)


def eigenpairs_of(A: Any, B: Any, X: Tensor, iK: Any, options: Any) -> Any:
    """The eigenpairs of dense matrices or of a sparse one."""
    if A.layout is not strided:
        return tuple(new_tensor(x) for x in eigenpairs(of_scipy(A), X._array, of_scipy(B), of_scipy(iK), *options))
    if B is None:
        return _lobpcg(A, X, iK, *options)
    if A.requires_grad or B.requires_grad:
        raise ValueError("lobpcg.backward does not support backward with B != I yet.")
    return _generalized(A, B, X, iK, *options)


def of_scipy(matrix: Any) -> Any:
    """A matrix in the form that SciPy takes."""
    if matrix is None or matrix.layout is strided:
        return None if matrix is None else matrix._array
    from scipy.sparse import coo_array

    whole = matrix.to_sparse_coo().coalesce()
    return coo_array((whole.values()._array, tuple(whole.indices()._array)), shape=tuple(matrix.shape)).tocsr()
