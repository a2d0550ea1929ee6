"""The cross entropy of a linear layer's output as one layer, which contains the linear layer."""

from math import prod

from rushlight.dtypes import dtype as Dtype
from rushlight.nn import functional as F
from rushlight.nn.functional.linear_entropy import LinearCrossEntropyOptions
from rushlight.nn.modules.base.making import Device
from rushlight.nn.modules.linear import Linear
from rushlight.nn.modules.loss import _WeightedLoss
from rushlight.tensors import Tensor

__all__ = ["LinearCrossEntropyLoss", "LinearCrossEntropyOptions"]


class LinearCrossEntropyLoss(_WeightedLoss):
    """The cross entropy of the output of a linear layer, `linear`, which it creates; inputs are (N, in_features).

    Targets are classes (N,) or probabilities (N, num_classes). With `out_features` (d1, ...) they are classes (N, d1,
    ...), and the linear layer has num_classes * d1 * ... outputs. `weight` (num_classes,) has a factor for each class,
    `ignore_index` is a class that is not counted, and `label_smoothing` mixes targets with the uniform distribution.
    With `options`, the rows are processed in chunks, so that the logits of all rows are never in memory together.

    RuntimeError if `weight` has not one number for each class, and for a smoothing outside 0 to 1.

    >>> import rushlight as torch
    >>> loss = torch.nn.LinearCrossEntropyLoss(3, 5, options=torch.nn.LinearCrossEntropyOptions())
    >>> loss(torch.zeros(4, 3), torch.tensor([0, 1, 2, 4])).item()
    1.6094379425048828
    """

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: Device = None,
        dtype: Dtype | None = None,
        reduction: str = "mean",
        weight: Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: LinearCrossEntropyOptions | None = None,
    ):
        if weight is not None and weight.shape != (num_classes,):
            raise RuntimeError(f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}")
        if not 0 <= label_smoothing <= 1:
            raise RuntimeError(f"expected label_smoothing to be in range [0, 1], got {label_smoothing}")
        super().__init__(weight, None, None, reduction)
        self.num_classes = num_classes
        self.out_features = out_features
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.linear = Linear(in_features, prod(out_features, start=num_classes), bias, device, dtype)
        self.options = options

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Inputs (N, in_features), and classes (N, ...) or probabilities; the mean, the sum or (N, ...)."""
        bias = self.linear.bias
        shape = (self.num_classes, *self.out_features)
        return F.linear_cross_entropy(
            input,
            self.linear.weight.reshape(*shape, self.linear.in_features),
            target,
            linear_bias=None if bias is None else bias.reshape(shape),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self) -> str:
        """The arguments."""
        told = {
            "in_features": self.linear.in_features,
            "num_classes": self.num_classes,
            "out_features": self.out_features,
            "bias": self.linear.bias is not None,
            "reduction": self.reduction,
            "ignore_index": self.ignore_index,
            "label_smoothing": self.label_smoothing,
            "options": self.options,
        }
        return ", ".join(f"{name}={value}" for name, value in told.items())
