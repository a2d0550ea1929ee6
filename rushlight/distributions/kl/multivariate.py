"""Divergences between multivariate normal distributions, with full and with low-rank covariances.

2 KL = log det q - log det p + tr(q⁻¹ p) + (m_q - m_p)ᵀ q⁻¹ (m_q - m_p) - n.
"""

from typing import Any

import rushlight as torch
from rushlight.core.aliases import Array
from rushlight.distributions.kl.registry import register_kl
from rushlight.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal, over_diagonal
from rushlight.distributions.multivariate_normal import MultivariateNormal, _batch_mahalanobis, half_log_det
from rushlight.tensors import Tensor


@register_kl(MultivariateNormal, MultivariateNormal)
def _full_full(p: MultivariateNormal, q: MultivariateNormal) -> Tensor:
    require_shape(p, q, "Multivariate Normals")
    log_dets = 2 * (half_log_det(q._unbroadcasted_scale_tril) - half_log_det(p._unbroadcasted_scale_tril))
    return divergence(p, log_dets, full_trace(q, p._unbroadcasted_scale_tril), full_distance(p, q))


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _low_full(p: LowRankMultivariateNormal, q: MultivariateNormal) -> Tensor:
    require_shape(p, q, "(Low Rank) Multivariate Normals")
    log_dets = 2 * half_log_det(q._unbroadcasted_scale_tril) - p._log_det()
    own = torch.diag_embed(p._unbroadcasted_cov_diag.sqrt())
    trace = full_trace(q, p._unbroadcasted_cov_factor) + full_trace(q, own)
    return divergence(p, log_dets, trace, full_distance(p, q))


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _full_low(p: MultivariateNormal, q: LowRankMultivariateNormal) -> Tensor:
    require_shape(p, q, "(Low Rank) Multivariate Normals")
    log_dets = q._log_det() - 2 * half_log_det(p._unbroadcasted_scale_tril)
    return divergence(p, log_dets, low_trace(q, p._unbroadcasted_scale_tril), q._mahalanobis(q.loc - p.loc))


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _low_low(p: LowRankMultivariateNormal, q: LowRankMultivariateNormal) -> Tensor:
    require_shape(p, q, "Low Rank Multivariate Normals")
    factor, diagonal = p._unbroadcasted_cov_factor, p._unbroadcasted_cov_diag
    common = shared_part(q)
    own = (diagonal / q._unbroadcasted_cov_diag).sum(-1) - squares(common * diagonal.sqrt().unsqueeze(-2))
    log_dets = q._log_det() - p._log_det()
    return divergence(p, log_dets, low_trace(q, factor) + own, q._mahalanobis(q.loc - p.loc))


def divergence(p: Any, log_dets: Any, trace: Any, distance: Any) -> Any:
    """The divergence, from its terms."""
    return 0.5 * (log_dets + trace + distance - p.event_shape[0])


def require_shape(p: Any, q: Array, families: Any) -> None:
    """Raises ValueError for vectors of different lengths."""
    if p.event_shape != q.event_shape:
        raise ValueError(f"KL-divergence between two {families} with different event shapes cannot be computed")


def squares(matrix: Any) -> Any:
    """The trace of M Mᵀ, the sum of squares."""
    return matrix.pow(2).sum((-2, -1))


def full_trace(q: Array, factor: Any) -> Any:
    """tr(q⁻¹ F Fᵀ) for a q with a triangular factor."""
    return squares(torch.linalg.solve_triangular(q._unbroadcasted_scale_tril, factor, upper=False))


def full_distance(p: Any, q: Array) -> Any:
    """The squared Mahalanobis distance between the means under q, for a q with a triangular factor."""
    return _batch_mahalanobis(q._unbroadcasted_scale_tril, q.loc - p.loc)


def shared_part(q: Array) -> Any:
    """The matrix A in q⁻¹ = D⁻¹ - Aᵀ A, for a low-rank q."""
    scaled = over_diagonal(q._unbroadcasted_cov_factor, q._unbroadcasted_cov_diag)
    return torch.linalg.solve_triangular(q._capacitance_tril, scaled, upper=False)


def low_trace(q: Array, factor: Any) -> Any:
    """tr(q⁻¹ F Fᵀ) for a low-rank q."""
    own = squares(factor * q._unbroadcasted_cov_diag.rsqrt().unsqueeze(-1))
    return own - squares(torch.matmul(shared_part(q), factor))
