"""Approximate low-rank singular value decompositions by random projections (Halko, Martinsson, Tropp 2009)."""

from rushlight.dtypes import complex64, complex128, float16, float32, float64
from rushlight.linalg.qr_decomposition import qr
from rushlight.linalg.singular_values import svd
from rushlight.ops.randomness.random_tensors import randn
from rushlight.tensors import Tensor

__all__ = ["pca_lowrank", "svd_lowrank"]

DRAWN = (float16, float32, float64, complex64, complex128)  # others get float32, whose product PyTorch refuses


def approximate_basis(A: Tensor, q: int, niter: int) -> Tensor:
    """A matrix Q with q orthonormal columns and Q Q^H A close to A: algorithm 4.4, with `niter` iterations."""
    Q = qr(A @ randn(A.shape[-1], q, dtype=A.dtype if A.dtype in DRAWN else float32)).Q
    for _ in range(niter):
        Q = qr(A.mH @ Q).Q
        Q = qr(A @ Q).Q
    return Q


def svd_lowrank(
    A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """U, S and V of an approximate decomposition A = U diag(S) V^H (or of A - M) of rank `q`.

    `niter` iterations improve it. It is random; `torch.manual_seed` makes it reproducible. Algorithm 5.1 of Halko et
    al. 2009, "Finding structure with randomness", arXiv:0909.4061.

    >>> import rushlight as torch
    >>> U, S, V = torch.svd_lowrank(torch.ones(4, 3), q=1)
    >>> U.shape, S, V.shape
    (torch.Size([4, 1]), tensor([3.4641]), torch.Size([3, 1]))
    """
    q, niter = 6 if q is None else q, 2 if niter is None else niter
    if M is not None:
        A = A - M.broadcast_to(A.shape)
    wide = A.shape[-2] < A.shape[-1]
    A = A.mH if wide else A
    Q = approximate_basis(A, q, niter)
    U, S, Vh = svd(Q.mH @ A, full_matrices=False)
    U, V = Q @ U, Vh.mH
    return (V, S, U) if wide else (U, S, V)


def pca_lowrank(A: Tensor, q: int | None = None, center: bool = True, niter: int = 2) -> tuple[Tensor, Tensor, Tensor]:
    """Principal component analysis of the rows of A, which is centered first unless `center` is False: U, S and V.

    The columns of V are the principal directions; `q` of them, by default at most 6. See `svd_lowrank`. ValueError for
    a `q` greater than the sizes of A, and a negative `niter`.

    >>> import rushlight as torch
    >>> torch.pca_lowrank(torch.tensor([[1.0, 1.0], [-1.0, -1.0]]), q=1)[1].round(decimals=3)
    tensor([2.])
    """
    m, n = A.shape[-2:]
    if q is None:
        q = min(6, m, n)
    elif not 0 <= q <= min(m, n):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(A - A.mean(-2, keepdim=True) if center else A, q, niter)
