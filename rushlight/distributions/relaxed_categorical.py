"""Continuous relaxations of the categorical distribution, with gradients."""

from collections.abc import Sequence
from typing import Any, ClassVar

import rushlight as torch
from rushlight.distributions import constraints
from rushlight.distributions.categorical import Categorical
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.odds import Shares
from rushlight.distributions.relaxed import Relaxed
from rushlight.distributions.transforms import ExpTransform
from rushlight.distributions.utils import broadcast_all, clamp_probs
from rushlight.tensors import Tensor

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


class ExpRelaxedCategorical(Shares, Distribution):
    """The logarithms of RelaxedOneHotCategorical's samples.

    C. J. Maddison, A. Mnih and Y. W. Teh, "The concrete distribution", 2017.
    """

    temperature: Tensor

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }
    support: constraints.Constraint = constraints.real_vector  # actually, vectors with sum(exp) = 1
    has_rsample = True

    def __init__(
        self,
        temperature: Tensor,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ):
        self._categorical, self.temperature = Categorical(probs, logits), temperature
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        u = clamp_probs(torch.rand(self._extended_shape(sample_shape), dtype=self.logits.dtype))
        scores = (self.logits - (-(u.log())).log()) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Tensor) -> Tensor:
        self._check_sample(value)
        events = self._categorical._num_events
        logits, value = broadcast_all(self.logits, value)
        log_scale = torch.full_like(self.temperature, float(events)).lgamma() + self.temperature.log() * (events - 1)
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + log_scale


class RelaxedOneHotCategorical(Relaxed):
    """Vectors that sum to 1 and are closer to one-hot vectors for a lower `temperature`, which is a tensor.

    >>> import rushlight as torch
    >>> torch.distributions.RelaxedOneHotCategorical(torch.tensor(0.5), torch.ones(3)).rsample().shape
    torch.Size([3])
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }
    support = constraints.simplex
    has_rsample: Any = True

    def __init__(
        self,
        temperature: Tensor,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ):
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)
