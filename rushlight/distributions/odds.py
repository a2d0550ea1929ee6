"""Parameters that are given either as probabilities or as logits."""

from typing import Any

from rushlight.distributions.utils import (
    broadcast_all,
    clamp_probs,
    exactly_one,
    lazy_property,
    logits_to_probs,
    probs_to_logits,
)
from rushlight.size import Size
from rushlight.tensors import Tensor


class Odds:
    """The probability of success, `probs`, or its log odds, `logits`; the one not given is computed when it is read."""

    _given: str

    def _take(self, probs: Any, logits: Any, *beside: Any) -> tuple[Tensor, ...]:
        """Sets the one that is given, broadcast with other parameters, which are returned in its dtype."""
        self._given, value = exactly_one(probs, logits)
        *others, value = broadcast_all(*beside, value)
        setattr(self, self._given, value)
        return tuple([other.type_as(value) for other in others])

    @property
    def _param(self) -> Tensor:
        """`probs` or `logits`, whichever was given."""
        return getattr(self, self._given)

    @lazy_property
    def logits(self) -> Tensor:
        """The log odds."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        """The probability."""
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self) -> Size:
        """The shape of `probs` and `logits`."""
        return self._param.shape


class InnerOdds(Odds):
    """`Odds` whose probabilities are clamped away from 0 and 1."""

    def _take(self, probs: Any, logits: Any, *beside: Any) -> tuple[Tensor, ...]:
        others = super()._take(probs, logits, *beside)
        if self._given == "probs":
            self.probs = clamp_probs(self.probs)
        return others

    @lazy_property
    def probs(self) -> Tensor:
        """The probability."""
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))


class Shares:
    """Distributions based on a categorical distribution, `_categorical`, with its parameters."""

    _categorical: Any

    @property
    def _param(self) -> Tensor:
        """`probs` or `logits`, whichever was given."""
        return self._categorical._param

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities."""
        return self._categorical.logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._categorical.probs

    @property
    def param_shape(self) -> Size:
        """The shape of `probs` and `logits`."""
        return self._categorical.param_shape
