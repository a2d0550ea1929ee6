"""The Wishart distribution, of covariance matrices."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import rushlight as torch
from rushlight.core.lines import warn
from rushlight.distributions import constraints
from rushlight.distributions.chi2 import Chi2
from rushlight.distributions.exp_family import ExponentialFamily
from rushlight.distributions.multivariate_normal import factor_of, given_matrix, half_log_det
from rushlight.distributions.utils import lazy_property
from rushlight.size import Size
from rushlight.tensors import Tensor

__all__ = ["Wishart"]

LOG_2 = math.log(2)


class Wishart(ExponentialFamily):
    """Sums of `df` outer products of normal vectors, whose covariance is given as for MultivariateNormal.

    ValueError unless `df` is greater than the number of rows minus 1; it need not be an integer.

    >>> import rushlight as torch
    >>> torch.distributions.Wishart(torch.tensor(3.0), torch.eye(2)).mean
    tensor([[3., 0.],
            [0., 3.]])
    """

    support: constraints.Constraint = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        df: Tensor | float,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ):
        name, matrix = given_matrix(covariance_matrix, precision_matrix, scale_tril, AssertionError)
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        degrees = df if isinstance(df, Tensor) else torch.tensor(df, dtype=matrix.dtype)
        batch_shape = torch.broadcast_shapes(matrix.shape[:-2], degrees.shape)
        rows = matrix.shape[-1]
        self.df: Tensor = degrees.expand(batch_shape)
        if (self.df <= rows - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {rows - 1}.")
        if (self.df < rows).any():
            warn(
                "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.",
            )
        setattr(self, name, matrix.expand((*batch_shape, -1, -1)))
        super().__init__(batch_shape, matrix.shape[-2:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = factor_of(name, matrix)
        self._dist_chi2 = Chi2(self.df.unsqueeze(-1) - torch.arange(rows, dtype=matrix.dtype))

    @property
    def arg_constraints(self) -> Mapping[str, constraints.Constraint]:
        """The constraints of the parameters."""
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self.event_shape[-1] - 1),
        }

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The lower triangular factor of the covariance matrix."""
        return self._unbroadcasted_scale_tril.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance matrix."""
        factor = self._unbroadcasted_scale_tril
        return (factor @ factor.mT).expand(self._batch_shape + self._event_shape)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance matrix."""
        factor = self._unbroadcasted_scale_tril
        identity = torch.eye(self._event_shape[-1], dtype=factor.dtype)
        return torch.cholesky_solve(identity, factor).expand(self._batch_shape + self._event_shape)

    def _times(self, factor: Tensor, matrix: Tensor) -> Tensor:
        """A factor for each matrix, times the matrix."""
        return factor[..., None, None] * matrix

    @property
    def mean(self) -> Tensor:
        """`df` times the covariance matrix."""
        return self._times(self.df, self.covariance_matrix)

    @property
    def mode(self) -> Tensor:
        """The most probable matrix; NaN where `df` is at most the number of rows plus 1."""
        factor = self.df - self._event_shape[-1] - 1
        return self._times(factor.masked_fill(factor <= 0, torch.nan), self.covariance_matrix)

    @property
    def variance(self) -> Tensor:
        """The variance of each element."""
        matrix = self.covariance_matrix
        diagonal = matrix.diagonal(dim1=-2, dim2=-1)
        return self._times(self.df, matrix.pow(2) + diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2))

    def rsample(self, sample_shape: Sequence[int] = (), max_try_correction: int | None = None) -> Tensor:
        """Samples with gradients. Singular ones are drawn again, with a warning, `max_try_correction` (10) times."""
        sample = self._bartlett_sampling(sample_shape)
        singular = self._singular(sample)
        if singular.any():
            warn("Singular sample detected.")
        for _ in range(10 if max_try_correction is None else max_try_correction):
            if not singular.any():
                break
            again = self._bartlett_sampling(sample_shape)
            sample = torch.where(singular[..., None, None], again, sample)
            singular = self._singular(sample)
        return sample

    def _singular(self, sample: Tensor) -> Tensor:
        """Whether each sample is not positive definite."""
        return torch.linalg.cholesky_ex(sample.detach()).info != 0

    def _bartlett_sampling(self, sample_shape: Sequence[int]) -> Tensor:
        """L A Aᵀ Lᵀ, where A has roots of chi-squared numbers on the diagonal and normal numbers below it.

        M. S. Bartlett, "On the theory of statistical regression", 1933.
        """
        p = self._event_shape[-1]
        roots = self._dist_chi2.rsample(sample_shape).sqrt()
        noise = roots.clamp(min=torch.finfo(roots.dtype).eps).diag_embed()
        below = torch.randn(Size((*sample_shape, *self._batch_shape, p * (p - 1) // 2)), dtype=noise.dtype)
        rows, columns = torch.tril_indices(p, p, offset=-1)
        noise[..., rows, columns] = below
        factor = self._unbroadcasted_scale_tril @ noise
        return factor @ factor.mT

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        df, p, factor = self.df, self._event_shape[-1], self._unbroadcasted_scale_tril
        constant = -df * (p * LOG_2 / 2 + half_log_det(factor)) - torch.mvlgamma(df / 2, p=p)
        trace = torch.cholesky_solve(value, factor).diagonal(dim1=-2, dim2=-1).sum(dim=-1)
        return constant + (df - p - 1) / 2 * torch.linalg.slogdet(value)[1] - trace / 2

    def entropy(self) -> Tensor:
        df, p = self.df, self._event_shape[-1]
        half = df.unsqueeze(-1) / 2 - torch.arange(p, dtype=df.dtype) / 2
        slope = torch.digamma(half).sum(-1)  # of the logarithm of the multivariate gamma function
        spread = (p + 1) * (p * LOG_2 / 2 + half_log_det(self._unbroadcasted_scale_tril))
        return spread + torch.mvlgamma(df / 2, p=p) - (df - p - 1) / 2 * slope + df * p / 2

    @property
    def _natural_params(self) -> Any:
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        (x, y), p = natural_params, self._event_shape[-1]
        half = y + (p + 1) / 2
        return half * (-torch.linalg.slogdet(-2 * x)[1] + LOG_2 * p) + torch.mvlgamma(half, p=p)
