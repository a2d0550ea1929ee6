"""PyTorch's own functions of `torch` below those of `nn.functional`: the same, with all arguments and in another order.

What is lost is told by a number: 0 for none, 1 for the mean, 2 for the sum.
"""

from rushlight.core.inplace import change
from rushlight.nn import functional as F
from rushlight.tensors import Tensor

__all__ = [
    "affine_grid_generator",
    "alpha_dropout_",
    "batch_norm",
    "binary_cross_entropy_with_logits",
    "cosine_embedding_loss",
    "ctc_loss",
    "dropout_",
    "embedding",
    "feature_alpha_dropout_",
    "hinge_embedding_loss",
    "instance_norm",
    "kl_div",
    "margin_ranking_loss",
    "poisson_nll_loss",
    "triplet_margin_loss",
]

REDUCTIONS = ("none", "mean", "sum")


def affine_grid_generator(theta: Tensor, size, align_corners: bool) -> Tensor:
    """See `nn.functional.affine_grid`."""
    return F.affine_grid(theta, size, align_corners)


def batch_norm(
    input, weight, bias, running_mean, running_var, training: bool, momentum: float, eps: float, cudnn_enabled: bool
) -> Tensor:
    """See `nn.functional.batch_norm`; `cudnn_enabled` makes no difference on a CPU.

    >>> import rushlight as torch
    >>> torch.batch_norm(torch.tensor([[1.0], [3.0]]), None, None, None, None, True, 0.1, 1e-9, False)
    tensor([[-1.],
            [ 1.]])
    """
    return F.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


def instance_norm(
    input,
    weight,
    bias,
    running_mean,
    running_var,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """See `nn.functional.instance_norm`; `cudnn_enabled` makes no difference on a CPU."""
    return F.instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


def embedding(
    weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Tensor:
    """See `nn.functional.embedding`; -1 for no padding."""
    padding = None if padding_idx == -1 else padding_idx
    return F.embedding(indices, weight, padding, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)


def kl_div(input: Tensor, target: Tensor, reduction: int = 1, *, log_target: bool = False) -> Tensor:
    """See `nn.functional.kl_div`."""
    loss = F.kl_div(input, target, reduction="none", log_target=log_target)
    return (loss, loss.mean(), loss.sum())[reduction]


def binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction: int = 1) -> Tensor:
    """See `nn.functional.binary_cross_entropy_with_logits`."""
    return F.binary_cross_entropy_with_logits(
        input, target, weight, pos_weight=pos_weight, reduction=REDUCTIONS[reduction]
    )


def cosine_embedding_loss(input1, input2, target, margin: float = 0.0, reduction: int = 1) -> Tensor:
    """See `nn.functional.cosine_embedding_loss`."""
    return F.cosine_embedding_loss(input1, input2, target, margin, reduction=REDUCTIONS[reduction])


def ctc_loss(
    log_probs, targets, input_lengths, target_lengths, blank: int = 0, reduction: int = 1, zero_infinity: bool = False
) -> Tensor:
    """See `nn.functional.ctc_loss`."""
    return F.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, REDUCTIONS[reduction], zero_infinity)


def hinge_embedding_loss(input, target, margin: float = 1.0, reduction: int = 1) -> Tensor:
    """See `nn.functional.hinge_embedding_loss`."""
    return F.hinge_embedding_loss(input, target, margin, reduction=REDUCTIONS[reduction])


def margin_ranking_loss(input1, input2, target, margin: float = 0.0, reduction: int = 1) -> Tensor:
    """See `nn.functional.margin_ranking_loss`."""
    return F.margin_ranking_loss(input1, input2, target, margin, reduction=REDUCTIONS[reduction])


def poisson_nll_loss(input, target, log_input: bool, full: bool, eps: float, reduction: int) -> Tensor:
    """See `nn.functional.poisson_nll_loss`."""
    return F.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=REDUCTIONS[reduction])


def triplet_margin_loss(
    anchor,
    positive,
    negative,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int = 1,
) -> Tensor:
    """See `nn.functional.triplet_margin_loss`."""
    return F.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction=REDUCTIONS[reduction])


def dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """See `nn.functional.dropout`, in place."""
    return change(input, F.dropout, p, train)


def alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """See `nn.functional.alpha_dropout`, in place."""
    return change(input, F.alpha_dropout, p, train)


def feature_alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """See `nn.functional.feature_alpha_dropout`, in place."""
    return change(input, F.feature_alpha_dropout, p, train)
