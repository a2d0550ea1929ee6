"""The LKJ distribution, of Cholesky factors of correlation matrices."""

import math
from collections.abc import Sequence
from typing import ClassVar

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.beta import Beta
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import broadcast_all
from rushlight.tensors import Tensor

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """Cholesky factors of correlation matrices M with `dim` rows, with density det(M)**(concentration - 1).

    Samples are drawn by the onion method (D. Lewandowski, D. Kurowicka and H. Joe, "Generating random correlation
    matrices based on vines and extended onion method", 2009). ValueError for fewer than 2 rows.

    >>> import rushlight as torch
    >>> torch.distributions.LKJCholesky(3, 0.5).sample().shape
    torch.Size([3, 3])
    """

    concentration: Tensor

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {"concentration": constraints.positive}
    support: constraints.Constraint = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: Tensor | float = 1.0, validate_args: bool | None = None):
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        offset = torch.arange(-1, dim - 1, dtype=self.concentration.dtype).clamp(min=0)
        marginal = self.concentration + 0.5 * (dim - 2)
        self._beta = Beta(offset + 0.5, marginal.unsqueeze(-1) - 0.5 * offset)
        super().__init__(self.concentration.shape, (dim, dim), validate_args)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draws each row as a point in the unit ball; the diagonal element then makes its length 1."""
        radius = self._beta.sample(sample_shape).unsqueeze(-1)
        normal = torch.randn(self._extended_shape(sample_shape), dtype=radius.dtype).tril(-1)
        direction = normal / normal.norm(dim=-1, keepdim=True)
        direction[..., 0, :].fill_(0.0)
        inside = torch.sqrt(radius) * direction
        rest = torch.clamp(1 - torch.sum(inside**2, dim=-1), min=torch.finfo(inside.dtype).tiny)
        return inside + torch.diag_embed(rest.sqrt())

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        powers = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - torch.arange(2, self.dim + 1)
        rows = self.dim - 1
        alpha = self.concentration + 0.5 * rows
        constant = 0.5 * rows * math.log(math.pi) + torch.mvlgamma(alpha - 0.5, rows) - torch.lgamma(alpha) * rows
        return torch.sum(powers * diagonal.log(), dim=-1) - constant
