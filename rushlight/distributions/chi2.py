"""The chi-squared distribution."""

from collections.abc import Mapping
from typing import ClassVar

from rushlight.distributions import constraints
from rushlight.distributions.gamma import Gamma
from rushlight.tensors import Tensor

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The distribution of the sum of `df` squared standard normal numbers: Gamma(df / 2, 1 / 2).

    >>> import rushlight as torch
    >>> torch.distributions.Chi2(3.0).variance
    tensor(6.)
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {"df": constraints.positive}

    def __init__(self, df: Tensor | float, validate_args: bool | None = None):
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self.concentration * 2

    def _expandable(self) -> Mapping[str, constraints.Constraint]:
        return Gamma.arg_constraints
