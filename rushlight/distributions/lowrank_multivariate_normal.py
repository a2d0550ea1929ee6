"""Normal vectors whose covariance is a low-rank matrix plus a diagonal."""

import math
from collections.abc import Sequence
from typing import ClassVar

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.multivariate_normal import _batch_mahalanobis, _batch_mv, half_log_det
from rushlight.distributions.utils import _standard_normal, lazy_property
from rushlight.tensors import Tensor

__all__ = ["LowRankMultivariateNormal"]


class LowRankMultivariateNormal(Distribution):
    """Normal vectors with mean `loc` and covariance `cov_factor @ cov_factor.T + diag(cov_diag)`.

    Computations use only the small capacitance matrix I + Wᵀ D⁻¹ W, by the matrix determinant lemma and the Woodbury
    identity. ValueError for shapes that do not match.

    >>> import rushlight as torch
    >>> torch.distributions.LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(2)).covariance_matrix
    tensor([[2., 1.],
            [1., 2.]])
    """

    loc: Tensor
    cov_diag: Tensor

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support: constraints.Constraint = constraints.real_vector
    has_rsample = True

    def __init__(self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event_shape = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m")
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        try:
            batch_shape = torch.broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        except RuntimeError as error:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
            ) from error
        self.loc, self.cov_diag = loc.expand((*batch_shape, -1)), cov_diag.expand((*batch_shape, -1))
        self.cov_factor: Tensor = cov_factor.expand((*batch_shape, -1, -1))
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        self._capacitance_tril = _batch_capacitance_tril(cov_factor, cov_diag)
        super().__init__(batch_shape, event_shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """The mean, `loc`."""
        return self.loc

    mode = mean

    @lazy_property
    def variance(self) -> Tensor:
        """The variance of each element."""
        factor, diagonal = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        return (factor.pow(2).sum(-1) + diagonal).expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The lower triangular factor of the covariance matrix, computed from that of I + D^(-1/2) W Wᵀ D^(-1/2)."""
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / root
        return self._matrices(root * torch.linalg.cholesky(plus_identity(torch.matmul(scaled, scaled.mT))))

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance matrix."""
        factor = self._unbroadcasted_cov_factor
        return self._matrices(torch.matmul(factor, factor.mT) + torch.diag_embed(self._unbroadcasted_cov_diag))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance matrix."""
        scaled = over_diagonal(self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag)
        a = torch.linalg.solve_triangular(self._capacitance_tril, scaled, upper=False)
        return self._matrices(torch.diag_embed(self._unbroadcasted_cov_diag.reciprocal()) - a.mT @ a)

    def _matrices(self, matrix: Tensor) -> Tensor:
        """A matrix, expanded to the batch."""
        return matrix.expand((*self._batch_shape, *self._event_shape, *self._event_shape))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        common = _standard_normal((*shape[:-1], *self.cov_factor.shape[-1:]), self.loc.dtype)
        own = _standard_normal(shape, self.loc.dtype)
        shared = _batch_mv(self._unbroadcasted_cov_factor, common)
        return self.loc + shared + self._unbroadcasted_cov_diag.sqrt() * own

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        distance = self._mahalanobis(value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + self._log_det() + distance)

    def entropy(self) -> Tensor:
        constant = self._event_shape[0] * (1.0 + math.log(2 * math.pi))
        return (0.5 * (constant + self._log_det())).expand(self._batch_shape)

    def _log_det(self) -> Tensor:
        """The logarithm of the determinant of the covariance matrix."""
        parts = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        return _batch_lowrank_logdet(*parts, self._capacitance_tril)

    def _mahalanobis(self, x: Tensor) -> Tensor:
        """xᵀ C⁻¹ x with the covariance matrix C."""
        parts = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        return _batch_lowrank_mahalanobis(*parts, x, self._capacitance_tril)


def plus_identity(matrix: Tensor) -> Tensor:
    """A matrix with 1 added to its diagonal."""
    return matrix + torch.eye(matrix.shape[-1], dtype=matrix.dtype)


def over_diagonal(factor: Tensor, diagonal: Tensor) -> Tensor:
    """Wᵀ D⁻¹."""
    return factor.mT / diagonal.unsqueeze(-2)


def _batch_capacitance_tril(factor: Tensor, diagonal: Tensor) -> Tensor:
    """The lower triangular factor of I + Wᵀ D⁻¹ W."""
    return torch.linalg.cholesky(plus_identity(torch.matmul(over_diagonal(factor, diagonal), factor)))


def _batch_lowrank_logdet(factor: Tensor, diagonal: Tensor, capacitance_tril: Tensor) -> Tensor:
    """The logarithm of the determinant of W Wᵀ + D."""
    return 2 * half_log_det(capacitance_tril) + diagonal.log().sum(-1)


def _batch_lowrank_mahalanobis(factor: Tensor, diagonal: Tensor, x: Tensor, capacitance_tril: Tensor) -> Tensor:
    """xᵀ (W Wᵀ + D)⁻¹ x."""
    shared = _batch_mahalanobis(capacitance_tril, _batch_mv(over_diagonal(factor, diagonal), x))
    return (x.pow(2) / diagonal).sum(-1) - shared
