"""Losses."""

from typing import Any

from rushlight.interop.mindspore import ops
from rushlight.interop.mindspore.common.tensor import Tensor
from rushlight.interop.mindspore.nn.cell import Cell

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CrossEntropyLoss",
    "HuberLoss",
    "L1Loss",
    "LossBase",
    "MAELoss",
    "MSELoss",
    "NLLLoss",
    "SmoothL1Loss",
    "SoftmaxCrossEntropyWithLogits",
]


class LossBase(Cell):
    """The base class of losses; `reduction` is "none", "mean" or "sum", else ValueError."""

    def __init__(self, reduction: str = "mean"):
        super().__init__()
        if reduction not in ("none", "mean", "sum"):
            raise ValueError(f"The 'reduction' must be in ['none', 'mean', 'sum'], but got {reduction!r}.")
        self.reduction = reduction

    def get_loss(self, x: Tensor, weights: Any = 1.0) -> Tensor:
        """The weighted losses, reduced."""
        x = x * weights
        return {"none": lambda: x, "mean": x.mean, "sum": x.sum}[self.reduction]()


class MSELoss(LossBase):
    """The squared error, reduced; by default to the mean.

    >>> import rushlight.interop.mindspore as ms
    >>> print(ms.nn.MSELoss()(ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([1.0, 1.0, 1.0])))
    1.6666666
    """

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The squared differences of logits and labels, reduced."""
        return self.get_loss(ops.square(logits - labels))


class L1Loss(LossBase):
    """The absolute error, reduced; by default to the mean."""

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The absolute differences of logits and labels, reduced."""
        return self.get_loss(ops.abs(logits - labels))


class MAELoss(L1Loss):
    """`L1Loss` by its other name."""


class SmoothL1Loss(LossBase):
    """error² / (2 beta) where the absolute error is below `beta`, else the absolute error minus beta / 2."""

    def __init__(self, beta: float = 1.0, reduction: str = "none"):
        super().__init__(reduction)
        self.beta = beta

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Quadratic below `beta`, linear above, reduced."""
        return ops.smooth_l1_loss(logits, labels, self.beta, self.reduction)


class HuberLoss(LossBase):
    """error² / 2 where the absolute error is below `delta`, else delta (absolute error - delta / 2)."""

    def __init__(self, reduction: str = "mean", delta: float = 1.0):
        super().__init__(reduction)
        self.delta = delta

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Quadratic below `delta`, linear above, reduced."""
        return ops.huber_loss(logits, labels, self.reduction, self.delta)


class CrossEntropyLoss(LossBase):
    """The cross entropy of logits with classes or probabilities."""

    weight: Tensor | None
    ignore_index: int
    label_smoothing: float

    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ):
        super().__init__(reduction)
        self.weight, self.ignore_index, self.label_smoothing = weight, ignore_index, label_smoothing

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The cross entropy of logits (N, C, ...) with class indices (N, ...) or probabilities (N, C, ...)."""
        return ops.cross_entropy(logits, labels, self.weight, self.ignore_index, self.reduction, self.label_smoothing)


class NLLLoss(LossBase):
    """The negative log likelihood of the classes."""

    weight: Tensor | None
    ignore_index: int

    def __init__(self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean"):
        super().__init__(reduction)
        self.weight, self.ignore_index = weight, ignore_index

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Minus the log probability of each sample's class, reduced."""
        return ops.nll_loss(logits, labels, self.weight, self.ignore_index, self.reduction)


class SoftmaxCrossEntropyWithLogits(LossBase):
    """The cross entropy of logits (N, C) with probabilities, or if `sparse` with classes; by default not reduced."""

    def __init__(self, sparse: bool = False, reduction: str = "none"):
        super().__init__(reduction)
        self.sparse = sparse

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The cross entropy of each row of logits (N, C), reduced."""
        if self.sparse:
            return ops.cross_entropy(logits, labels, reduction=self.reduction)
        return self.get_loss(ops.SoftmaxCrossEntropyWithLogits()(logits, labels)[0])


class BCELoss(LossBase):
    """The binary cross entropy of probabilities with labels."""

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean"):
        super().__init__(reduction)
        self.weight = weight

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """-(y log p + (1 - y) log(1 - p)) for probabilities p and labels y, reduced."""
        return ops.binary_cross_entropy(logits, labels, self.weight, self.reduction)


class BCEWithLogitsLoss(LossBase):
    """The binary cross entropy of the sigmoid of logits with labels."""

    weight: Tensor | None

    pos_weight: Tensor | None

    def __init__(self, reduction: str = "mean", weight: Tensor | None = None, pos_weight: Tensor | None = None):
        super().__init__(reduction)
        self.weight, self.pos_weight = weight, pos_weight

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The binary cross entropy after a sigmoid, reduced."""
        return ops.binary_cross_entropy_with_logits(logits, labels, self.weight, self.pos_weight, self.reduction)
