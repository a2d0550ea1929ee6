"""The von Mises distribution, of angles."""

import math
from collections.abc import Sequence
from typing import ClassVar

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import broadcast_all, lazy_property
from rushlight.tensors import Tensor

__all__ = ["VonMises"]


class VonMises(Distribution):
    """Angles from -π to π around `loc`, more concentrated for a higher `concentration`. Samples have no gradients.

    >>> import rushlight as torch
    >>> torch.distributions.VonMises(0.0, 1.0).log_prob(torch.tensor(0.0)).exp()
    tensor(0.3417)
    """

    loc: Tensor
    concentration: Tensor

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "loc": constraints.real,
        "concentration": constraints.positive,
    }
    support: constraints.Constraint = constraints.real
    has_rsample = False

    def __init__(self, loc: Tensor | float, concentration: Tensor | float, validate_args: bool | None = None):
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, (), validate_args)

    @property
    def mean(self) -> Tensor:
        """The mean direction, `loc`."""
        return self.loc

    mode = mean

    @lazy_property
    def variance(self) -> Tensor:
        """The circular variance: 1 - I₁ / I₀."""
        return 1 - torch.special.i1e(self.concentration) / torch.special.i0e(self.concentration)

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        log_bessel = self.concentration + torch.special.i0e(self.concentration).log()  # of I₀
        return self.concentration * torch.cos(value - self.loc) - math.log(2 * math.pi) - log_bessel

    @torch.no_grad()
    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draws angles by rejection from a wrapped Cauchy distribution, in double precision.

        D. J. Best and N. I. Fisher, "Efficient simulation of the von Mises distribution", 1979.
        """
        loc, concentration = self.loc.double(), self.concentration.double()
        r = proposal(concentration)
        x = torch.zeros(self._extended_shape(sample_shape), dtype=torch.float64)
        done = torch.zeros(x.shape, dtype=torch.bool)
        while not done.all():
            u1, u2, u3 = torch.rand((3, *x.shape), dtype=torch.float64).unbind()
            z = torch.cos(math.pi * u1)
            f = (1 + r * z) / (r + z)
            c = concentration * (r - f)
            accepted = ((c * (2 - c) - u2) > 0) | ((c / u2).log() + 1 - c >= 0)
            x = torch.where(accepted, (u3 - 0.5).sign() * f.acos(), x)  # again where accepted before, as in PyTorch
            done = done | accepted
        return ((x + math.pi + loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)


def proposal(kappa: Tensor) -> Tensor:
    """The parameter of the proposal distribution; for a small concentration, the first terms of its series."""
    tau = 1 + (1 + 4 * kappa**2).sqrt()
    rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
    return torch.where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))
