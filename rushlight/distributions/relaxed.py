"""The base of relaxed distributions, with the parameters of the distribution that they transform."""

from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.tensors import Tensor


class Relaxed(TransformedDistribution):
    """A transformed distribution with a temperature."""

    @property
    def temperature(self) -> Tensor:
        """The temperature."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        """The logits of the base distribution."""
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self.base_dist.probs
