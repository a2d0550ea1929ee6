"""Functions of `torch.ops.aten` that take other arguments than the public function, or have no public function."""

from collections.abc import Callable
from typing import Any

import rushlight
from rushlight.core.aliases import Array
from rushlight.nn import functional
from rushlight.tensors import Tensor

__all__ = ["FUNCTIONS"]

REDUCTIONS = ("none", "mean", "sum")  # in the order of their numbers in PyTorch's C++ code


def embedding(
    weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad: bool = False, sparse: bool = False
) -> Any:
    """`functional.embedding` with the weight first; `padding_idx=-1` means none."""
    padding = None if padding_idx < 0 else padding_idx
    return functional.embedding(indices, weight, padding, scale_grad_by_freq=scale_grad, sparse=sparse)


def convolution(
    input: Array,
    weight: Array,
    bias: Array,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> Any:
    """A convolution of one to three dimensions, transposed if `transposed` is true."""
    dims = len(stride)
    if transposed:
        function = getattr(functional, f"conv_transpose{dims}d")
        return function(input, weight, bias, stride, padding, output_padding, groups, dilation)
    return getattr(functional, f"conv{dims}d")(input, weight, bias, stride, padding, dilation, groups)


def max_pool_with_indices(dims: int) -> Callable[..., Any]:
    """Max pooling that also returns the indices of the maxima; an empty stride means the kernel size."""
    function = getattr(functional, f"max_pool{dims}d")

    def pool(
        input: Tensor, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
    ) -> Any:
        return function(input, kernel_size, stride or None, padding, dilation, ceil_mode, return_indices=True)

    return pool


def nll_loss_forward(
    self: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int
) -> tuple[Any, ...]:
    """`functional.nll_loss`, and the sum of the weights of the targets that are not ignored."""
    loss = functional.nll_loss(self, target, weight, ignore_index=ignore_index, reduction=REDUCTIONS[reduction])
    counted = target != ignore_index
    weights = counted if weight is None else rushlight.where(counted, weight[target.where(counted, 0)], 0)
    return loss, weights.sum().to(self.dtype)


def reduced(function: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """A loss that takes its reduction as a number; `names` are the arguments after it."""

    def loss(self: Tensor, target: Tensor, reduction: int = 1, *args: Any, **kwargs: Any) -> Tensor:
        given = dict(zip(names, args, strict=False)) | kwargs
        return function(self, target, reduction=REDUCTIONS[reduction], **given)

    return loss


def binary_cross_entropy_with_logits(
    self: Tensor, target: Tensor, weight: Tensor | None = None, pos_weight: Tensor | None = None, reduction: int = 1
) -> Tensor:
    """`functional.binary_cross_entropy_with_logits`, which takes its reduction as a number."""
    return functional.binary_cross_entropy_with_logits(
        self, target, weight, pos_weight=pos_weight, reduction=REDUCTIONS[reduction]
    )


def binary_cross_entropy(self: Tensor, target: Tensor, weight: Tensor | None = None, reduction: int = 1) -> Tensor:
    """`functional.binary_cross_entropy`, which takes its reduction as a number."""
    return functional.binary_cross_entropy(self, target, weight, reduction=REDUCTIONS[reduction])


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "binary_cross_entropy": binary_cross_entropy,
    "binary_cross_entropy_with_logits": binary_cross_entropy_with_logits,
    "convolution": convolution,
    "embedding": embedding,
    "im2col": lambda self, kernel_size, dilation, padding, stride: functional.unfold(
        self, kernel_size, dilation, padding, stride
    ),
    "huber_loss": reduced(functional.huber_loss, "delta"),
    "max_pool2d_with_indices": max_pool_with_indices(2),
    "max_pool3d_with_indices": max_pool_with_indices(3),
    "mse_loss": reduced(functional.mse_loss),
    "nll_loss_forward": nll_loss_forward,
    "smooth_l1_loss": reduced(functional.smooth_l1_loss, "beta"),
    "soft_margin_loss": reduced(functional.soft_margin_loss),
}
