"""The functions of `torch` that correspond to those of `nn.functional`, but take all arguments in another order.

`reduction` is a number: 0 for none, 1 for the mean, 2 for the sum. Its default is 0, although PyTorch's documented
signatures say the mean.
"""

from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.graph import new_tensor
from rushlight.core.inplace import change, check_history
from rushlight.core.recording import recording
from rushlight.nn import functional as F
from rushlight.nn.functional.reductions import reduced
from rushlight.ops.picking.embedding import check_indices, padding_row, renormalise
from rushlight.ops.picking.embedding_bag import bags_of, count_rows, reduced_bags
from rushlight.tensors import Tensor

__all__ = [
    "adaptive_max_pool1d",
    "affine_grid_generator",
    "alpha_dropout",
    "alpha_dropout_",
    "batch_norm",
    "binary_cross_entropy_with_logits",
    "cosine_embedding_loss",
    "ctc_loss",
    "dropout",
    "dropout_",
    "embedding",
    "embedding_bag",
    "embedding_renorm_",
    "feature_alpha_dropout",
    "feature_alpha_dropout_",
    "group_norm",
    "hinge_embedding_loss",
    "instance_norm",
    "kl_div",
    "layer_norm",
    "margin_ranking_loss",
    "poisson_nll_loss",
    "triplet_margin_loss",
]

REDUCTIONS = ("none", "mean", "sum")
BAG_MODES = ("sum", "mean", "max")


def adaptive_max_pool1d(input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
    """`nn.functional.adaptive_max_pool1d` that also returns the indices of the maxima.

    >>> import rushlight as torch
    >>> torch.adaptive_max_pool1d(torch.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    (tensor([[3., 2.]]), tensor([[1, 2]]))
    """
    return F.adaptive_max_pool1d_with_indices(input, output_size)


def affine_grid_generator(theta: Tensor, size: Any, align_corners: bool) -> Tensor:
    """`nn.functional.affine_grid`, with `align_corners` required.

    >>> import rushlight as torch
    >>> torch.affine_grid_generator(torch.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]), [1, 1, 1, 2], False)
    tensor([[[[-0.5000,  0.0000],
              [ 0.5000,  0.0000]]]])
    """
    return F.affine_grid(theta, size, align_corners)


def batch_norm(
    input: Array,
    weight: Array,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """`nn.functional.batch_norm` with its arguments in another order; `cudnn_enabled` has no effect on a CPU.

    >>> import rushlight as torch
    >>> torch.batch_norm(torch.tensor([[1.0], [3.0]]), None, None, None, None, True, 0.1, 1e-9, False)
    tensor([[-1.],
            [ 1.]])
    """
    return F.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


def instance_norm(
    input: Array,
    weight: Array,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """`nn.functional.instance_norm` with its arguments in another order; `cudnn_enabled` has no effect on a CPU.

    >>> import rushlight as torch
    >>> x = torch.tensor([[[1.0, 3.0]]])
    >>> torch.instance_norm(x, None, None, None, None, True, 0.1, 1e-9, False)
    tensor([[[-1.,  1.]]])
    """
    return F.instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


def embedding(
    weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Tensor:
    """`nn.functional.embedding` with the weight first; -1 means no padding.

    >>> import rushlight as torch
    >>> torch.embedding(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1, 0, 1]))
    tensor([[3., 4.],
            [1., 2.],
            [3., 4.]])
    """
    padding = None if padding_idx == -1 else padding_idx
    return F.embedding(indices, weight, padding, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)


def dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """See `nn.functional.dropout`.

    >>> import rushlight as torch
    >>> torch.dropout(torch.tensor([1.0, 2.0]), 0.5, train=False)
    tensor([1., 2.])
    """
    return F.dropout(input, p, train)


def alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """See `nn.functional.alpha_dropout`.

    >>> import rushlight as torch
    >>> torch.alpha_dropout(torch.tensor([1.0, 2.0]), 0.5, train=False)
    tensor([1., 2.])
    """
    return F.alpha_dropout(input, p, train)


def feature_alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """See `nn.functional.feature_alpha_dropout`.

    >>> import rushlight as torch
    >>> torch.feature_alpha_dropout(torch.ones(1, 2), 0.5, train=False)
    tensor([[1., 1.]])
    """
    return F.feature_alpha_dropout(input, p, train)


def layer_norm(
    input: Tensor,
    normalized_shape: Any,
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Tensor:
    """See `nn.functional.layer_norm`; `cudnn_enable` makes no difference on a CPU.

    >>> import rushlight as torch
    >>> torch.layer_norm(torch.tensor([1.0, 3.0]), [2], eps=0.0)
    tensor([-1.,  1.])
    """
    return F.layer_norm(input, normalized_shape, weight, bias, eps)


def group_norm(
    input: Tensor, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5, cudnn_enabled: bool = True
) -> Tensor:
    """See `nn.functional.group_norm`; `cudnn_enabled` makes no difference on a CPU.

    >>> import rushlight as torch
    >>> torch.group_norm(torch.tensor([[1.0, 3.0]]), 1, eps=0.0)
    tensor([[-1.,  1.]])
    """
    return F.group_norm(input, num_groups, weight, bias, eps)


def embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """`nn.functional.embedding_bag` that also returns indices; `mode` is 0 for sum, 1 for mean, 2 for max.

    Returns the bags, the bag number of each index, the number of rows in each bag (0 for sums), and for maxima the rows
    that they come from (for sums and means the numbers of rows again). Sums include all rows; PyTorch's float32 kernel
    leaves out the first one. ValueError for a sparse gradient of maxima; NotImplementedError inside `vmap`, where only
    the bags are known.

    >>> import rushlight as torch
    >>> table = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> bags, numbers, sizes, _ = torch.embedding_bag(table, torch.tensor([0, 1, 1]), torch.tensor([0, 1]), mode=1)
    >>> bags, numbers, sizes
    (tensor([[1., 2.],
            [3., 4.]]), tensor([0, 1, 1]), tensor([1, 2]))
    """
    if mode not in range(len(BAG_MODES)):
        raise RuntimeError("`mode` must be sum, mean, or max.")
    if sparse and mode == 2:
        raise ValueError("max mode does not support sparse weights")
    check_indices("embedding_bag", indices)
    check_weights_of_samples(indices, per_sample_weights, mode)
    flat, bags, n = bags_of(indices, offsets, include_last_offset)
    padding = padding_row(padding_idx, weight)
    out, found = reduced_bags(
        weight, flat, bags, per_sample_weights, n, BAG_MODES[mode], padding, scale_grad_by_freq, sparse
    )
    if found is None:
        raise NotImplementedError("embedding_bag: inside vmap call nn.functional.embedding_bag, which gives the bags")
    number = new_tensor(bags)
    sizes = new_tensor(np.zeros(n, np.int64) if mode == 0 else count_rows(bags, flat._array, padding, "mean", n))
    return out, number, sizes, found.clamp_min(0) if mode == 2 else sizes.clone()


def check_weights_of_samples(indices: Tensor, weights: Tensor | None, mode: int) -> None:
    """Raises RuntimeError for sample weights of another shape than the indices, or with a mode other than sum."""
    if weights is None:
        return
    if mode != 0:
        raise RuntimeError("embedding_bag: per_sample_weights only supported with mode='sum'")
    if weights.numel() != indices.numel():
        raise RuntimeError(
            "Expected per_sample_weights.value().numel() == indices.numel() to be true, but got false: "
            f"{weights.numel()} weights for {indices.numel()} indices"
        )


def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
    """Scales the rows of a table at the given indices down to a maximum norm of order `norm_type`, in place.

    RuntimeError for a leaf that requires grad, IndexError for an index out of range.

    >>> import rushlight as torch
    >>> torch.embedding_renorm_(torch.tensor([[3.0, 4.0], [3.0, 4.0]]), torch.tensor([1]), 1.0, 2.0)
    tensor([[3.0000, 4.0000],
            [0.6000, 0.8000]])
    """
    check_history(input, recording())
    renormalise(input, indices, max_norm, norm_type, "embedding_renorm_")
    return input


def kl_div(input: Tensor, target: Tensor, reduction: int = 0, *, log_target: bool = False) -> Tensor:
    """`nn.functional.kl_div` with `reduction` as a number.

    >>> import rushlight as torch
    >>> torch.kl_div(torch.tensor([0.5, 0.5]).log(), torch.tensor([0.9, 0.1]), reduction=2)
    tensor(0.3681)
    """
    return reduced(F.kl_div(input, target, reduction="none", log_target=log_target), REDUCTIONS[reduction])


def binary_cross_entropy_with_logits(
    input: Array, target: Array, weight: Array = None, pos_weight: Any = None, reduction: int = 0
) -> Tensor:
    """`nn.functional.binary_cross_entropy_with_logits` with `reduction` as a number.

    >>> import rushlight as torch
    >>> torch.binary_cross_entropy_with_logits(torch.tensor([2.0, -1.0]), torch.tensor([1.0, 0.0]), reduction=1)
    tensor(0.2201)
    """
    return F.binary_cross_entropy_with_logits(
        input, target, weight, pos_weight=pos_weight, reduction=REDUCTIONS[reduction]
    )


def cosine_embedding_loss(input1: Any, input2: Any, target: Array, margin: float = 0.0, reduction: int = 0) -> Tensor:
    """`nn.functional.cosine_embedding_loss` with `reduction` as a number.

    >>> import rushlight as torch
    >>> first, second = torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]])
    >>> torch.cosine_embedding_loss(first, second, torch.tensor([1]), reduction=1)
    tensor(0.2929)
    """
    return F.cosine_embedding_loss(input1, input2, target, margin, reduction=REDUCTIONS[reduction])


def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: int = 0,
    zero_infinity: bool = False,
) -> Tensor:
    """`nn.functional.ctc_loss` with `reduction` as a number.

    >>> import rushlight as torch
    >>> scores = torch.zeros(4, 1, 3).log_softmax(2)  # 4 steps, 1 sequence, blank and 2 letters
    >>> torch.ctc_loss(scores, torch.tensor([[1, 2]]), torch.tensor([4]), torch.tensor([2]), reduction=2)
    tensor(1.6864)
    """
    return F.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, REDUCTIONS[reduction], zero_infinity)


def hinge_embedding_loss(input: Array, target: Array, margin: float = 1.0, reduction: int = 0) -> Tensor:
    """`nn.functional.hinge_embedding_loss` with `reduction` as a number.

    >>> import rushlight as torch
    >>> torch.hinge_embedding_loss(torch.tensor([0.5, 0.2]), torch.tensor([1, -1]), reduction=0)
    tensor([0.5000, 0.8000])
    """
    return F.hinge_embedding_loss(input, target, margin, reduction=REDUCTIONS[reduction])


def margin_ranking_loss(input1: Any, input2: Any, target: Array, margin: float = 0.0, reduction: int = 0) -> Tensor:
    """`nn.functional.margin_ranking_loss` with `reduction` as a number.

    >>> import rushlight as torch
    >>> first, second = torch.tensor([2.0, 1.0]), torch.tensor([1.0, 1.2])
    >>> torch.margin_ranking_loss(first, second, torch.tensor([1, 1]), 0.5, reduction=0)
    tensor([0.0000, 0.7000])
    """
    return F.margin_ranking_loss(input1, input2, target, margin, reduction=REDUCTIONS[reduction])


def poisson_nll_loss(input: Array, target: Array, log_input: bool, full: bool, eps: float, reduction: int) -> Tensor:
    """`nn.functional.poisson_nll_loss` with all arguments required, and `reduction` as a number.

    >>> import rushlight as torch
    >>> torch.poisson_nll_loss(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 3.0]), True, False, 1e-8, 1)
    tensor(0.3591)
    """
    return F.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=REDUCTIONS[reduction])


def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int = 0,
) -> Tensor:
    """`nn.functional.triplet_margin_loss` with `reduction` as a number.

    >>> import rushlight as torch
    >>> far = torch.tensor([[0.0, 1.0]])
    >>> torch.triplet_margin_loss(torch.zeros(1, 2), torch.tensor([[0.0, 0.5]]), far, reduction=1)
    tensor(0.5000)
    """
    return F.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction=REDUCTIONS[reduction])


def dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """`nn.functional.dropout`, in place.

    >>> import rushlight as torch
    >>> torch.dropout_(torch.tensor([1.0, 2.0]), 0.5, False)
    tensor([1., 2.])
    """
    return change(input, F.dropout, p, train)


def alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """`nn.functional.alpha_dropout`, in place.

    >>> import rushlight as torch
    >>> torch.alpha_dropout_(torch.tensor([1.0, 2.0]), 0.5, False)
    tensor([1., 2.])
    """
    return change(input, F.alpha_dropout, p, train)


def feature_alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """`nn.functional.feature_alpha_dropout`, in place.

    >>> import rushlight as torch
    >>> torch.feature_alpha_dropout_(torch.ones(1, 2), 0.5, False)
    tensor([[1., 1.]])
    """
    return change(input, F.feature_alpha_dropout, p, train)
