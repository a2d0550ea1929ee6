"""Losses as modules."""

from collections.abc import Callable

from rushlight.core.lines import warn
from rushlight.nn import functional as F
from rushlight.nn.modules.distance import PairwiseDistance
from rushlight.nn.modules.module import Module
from rushlight.tensors import Tensor

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CTCLoss",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "MSELoss",
    "MarginRankingLoss",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "NLLLoss",
    "NLLLoss2d",
    "PoissonNLLLoss",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]

Flag = bool | None


class _Loss(Module):
    """Base class of losses, with `reduction`: "mean", "sum" or "none".

    `size_average` and `reduce` are its deprecated form.
    """

    def __init__(self, size_average: Flag = None, reduce: Flag = None, reduction: str = "mean"):
        super().__init__()
        if size_average is not None or reduce is not None:
            reduction = legacy_reduction(size_average, reduce)
        self.reduction = reduction


def legacy_reduction(size_average: Flag, reduce: Flag) -> str:
    """The reduction for the deprecated arguments."""
    mean = True if size_average is None else size_average
    reduction = "none" if reduce is False else "mean" if mean else "sum"
    warn(
        f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.",
    )
    return reduction


class _WeightedLoss(_Loss):
    """Base class of losses with a weight for each class (or element)."""

    def __init__(
        self, weight: Tensor | None = None, size_average: Flag = None, reduce: Flag = None, reduction: str = "mean"
    ):
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class L1Loss(_Loss):
    """The absolute difference of input and target.

    RuntimeError for shapes that do not broadcast, ValueError for an unknown `reduction`.

    >>> import rushlight as torch
    >>> torch.nn.L1Loss()(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0]))
    tensor(1.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """|input - target|: their mean or sum, or each with `reduction="none"`."""
        return F.l1_loss(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """The squared difference of input and target.

    RuntimeError for shapes that do not broadcast, ValueError for an unknown `reduction`.

    >>> import rushlight as torch
    >>> torch.nn.MSELoss()(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0]))
    tensor(2.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """(input - target)²: their mean or sum, or each with `reduction="none"`."""
        return F.mse_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """|z| - beta / 2 of the differences z; where |z| < beta, z² / (2 * beta).

    Source: R. Girshick, "Fast R-CNN", 2015.

    RuntimeError for a negative `beta`, and for shapes that do not broadcast.

    >>> import rushlight as torch
    >>> torch.nn.SmoothL1Loss()(torch.tensor([0.5, 3.0]), torch.tensor([0.0, 0.0]))
    tensor(1.3125)
    """

    def __init__(self, size_average: Flag = None, reduce: Flag = None, reduction: str = "mean", beta: float = 1.0):
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Input and target of the same shape; the mean or sum, or with `reduction="none"` the loss of each element."""
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """Half the squared difference up to delta, linear beyond. TypeError unless delta is a number.

    Source: P. Huber, "Robust estimation of a location parameter", 1964.

    >>> import rushlight as torch
    >>> torch.nn.HuberLoss()(torch.tensor([0.5, 3.0]), torch.tensor([0.0, 0.0]))
    tensor(1.3125)
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0):
        if not isinstance(delta, (float, int)):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Input and target of the same shape; the mean or sum, or with `reduction="none"` the loss of each element."""
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class NLLLoss(_WeightedLoss):
    """The negative log likelihood of target classes (N, ...), given log probabilities (N, C, ...).

    Targets equal to `ignore_index` are not counted. The mean is weighted by the classes' weights.

    IndexError for classes out of range, ValueError for another number of targets.

    >>> import rushlight as torch
    >>> torch.nn.NLLLoss()(torch.tensor([[0.7, 0.3], [0.4, 0.6]]).log(), torch.tensor([0, 1]))
    tensor(0.4338)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: Flag = None,
        ignore_index: int = -100,
        reduce: Flag = None,
        reduction: str = "mean",
    ):
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Log probabilities (N, C, ...) and classes (N, ...); the mean or sum, or the losses (N, ...)."""
        return F.nll_loss(input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class NLLLoss2d(NLLLoss):
    """The deprecated name of `NLLLoss` for images; warns.

    >>> import rushlight as torch
    >>> torch.nn.NLLLoss2d()(torch.zeros(1, 2, 1, 1), torch.zeros(1, 1, 1, dtype=torch.int64))
    tensor(0.)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: Flag = None,
        ignore_index: int = -100,
        reduce: Flag = None,
        reduction: str = "mean",
    ):
        warn("NLLLoss2d has been deprecated. Please use NLLLoss instead.", FutureWarning)
        super().__init__(weight, size_average, ignore_index, reduce, reduction)


class CrossEntropyLoss(_WeightedLoss):
    """The cross entropy of logits (N, C, ...) and classes (N, ...): log-softmax, then the negative log likelihood.

    Targets may also be probabilities (N, C, ...). `label_smoothing` mixes the targets with the uniform distribution.

    IndexError for classes out of range, ValueError for another number of targets, RuntimeError for targets of other
    dtypes and for `weight` of another size.

    >>> import rushlight as torch
    >>> torch.nn.CrossEntropyLoss()(torch.tensor([[0.0, 0.0], [0.0, 0.0]]), torch.tensor([0, 1]))
    tensor(0.6931)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: Flag = None,
        ignore_index: int = -100,
        reduce: Flag = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ):
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Logits (N, C, ...) and classes (N, ...) or probabilities (N, C, ...); the mean, the sum or (N, ...)."""
        return F.cross_entropy(
            input,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class PoissonNLLLoss(_Loss):
    """The negative log likelihood of counts from Poisson distributions: exp(input) - target * input.

    With `log_input=False`, input - target * log(input + eps). `full` adds Stirling's approximation of the constant
    term.

    RuntimeError for shapes that do not broadcast, ValueError for an unknown `reduction`.

    >>> import rushlight as torch
    >>> torch.nn.PoissonNLLLoss()(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 3.0]))
    tensor(0.3591)
    """

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: Flag = None,
        eps: float = 1e-8,
        reduce: Flag = None,
        reduction: str = "mean",
    ):
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        """Logarithms of the rates (the rates with `log_input=False`) and counts of the same shape."""
        return F.poisson_nll_loss(
            log_input,
            target,
            log_input=self.log_input,
            full=self.full,
            eps=self.eps,
            reduction=self.reduction,
        )


class GaussianNLLLoss(_Loss):
    """The negative log likelihood of targets from normal distributions with given means and variances.

    Variances are taken as at least `eps`; `full` adds the constant term. Source: D. Nix, A. Weigend, "Estimating the
    mean and variance of the target probability distribution", 1994.

    ValueError for negative variances.

    >>> import rushlight as torch
    >>> torch.nn.GaussianNLLLoss()(torch.tensor([1.0, 2.0]), torch.tensor([1.5, 2.0]), torch.tensor([1.0, 0.5]))
    tensor(-0.1108)
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean"):
        super().__init__(None, None, reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        """Means, targets and variances, which broadcast; the mean or sum, or the loss of each element."""
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


class KLDivLoss(_Loss):
    """The Kullback-Leibler divergence: target * (log(target) - input), where the input is log probabilities.

    With `log_target`, targets are log probabilities too. The reduction "batchmean" divides by the number of samples.

    RuntimeError for shapes that do not broadcast, ValueError for an unknown `reduction`.

    >>> import rushlight as torch
    >>> torch.nn.KLDivLoss(reduction="batchmean")(torch.tensor([[0.5, 0.5]]).log(), torch.tensor([[0.9, 0.1]]))
    tensor(0.3681)
    """

    def __init__(
        self, size_average: Flag = None, reduce: Flag = None, reduction: str = "mean", log_target: bool = False
    ):
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Log probabilities, and probabilities (or their logarithms with `log_target`), of the same shape."""
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class BCELoss(_WeightedLoss):
    """The binary cross entropy of probabilities: -(target * log(input) + (1 - target) * log(1 - input)).

    ValueError for targets of another shape, RuntimeError for inputs that are not between 0 and 1.

    >>> import rushlight as torch
    >>> torch.nn.BCELoss()(torch.tensor([0.9, 0.2]), torch.tensor([1.0, 0.0]))
    tensor(0.1643)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Probabilities and targets of one shape; the mean or sum, or the loss of each element."""
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_WeightedLoss):
    """The binary cross entropy of sigmoid(input), without overflow; `pos_weight` multiplies the positive targets' loss.

    ValueError for targets of another shape.

    >>> import rushlight as torch
    >>> torch.nn.BCEWithLogitsLoss()(torch.tensor([2.0, -1.0]), torch.tensor([1.0, 0.0]))
    tensor(0.2201)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: Flag = None,
        reduce: Flag = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ):
        super().__init__(weight, size_average, reduce, reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Logits and targets of one shape; the mean or sum, or the loss of each element."""
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


class HingeEmbeddingLoss(_Loss):
    """x where the target is 1, max(0, margin - x) where it is -1; x is a distance.

    RuntimeError for shapes that do not broadcast, ValueError for an unknown `reduction`.

    >>> import rushlight as torch
    >>> torch.nn.HingeEmbeddingLoss()(torch.tensor([0.5, 0.2]), torch.tensor([1, -1]))
    tensor(0.6500)
    """

    def __init__(self, margin: float = 1.0, size_average: Flag = None, reduce: Flag = None, reduction: str = "mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Distances and targets of 1 or -1, of one shape; the mean or sum, or the loss of each element."""
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class SoftMarginLoss(_Loss):
    """log(1 + exp(-target * input)), with targets of 1 and -1.

    RuntimeError for shapes that do not broadcast, ValueError for an unknown `reduction`.

    >>> import rushlight as torch
    >>> torch.nn.SoftMarginLoss()(torch.tensor([2.0, -1.0]), torch.tensor([1.0, -1.0]))
    tensor(0.2201)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Scores and targets of 1 or -1, of one shape; the mean or sum, or the loss of each element."""
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class MultiLabelMarginLoss(_Loss):
    """The hinge loss for several classes per sample: inputs (N, C), targets (N, C) are lists of classes, ended by -1.

    RuntimeError for targets of another shape.

    >>> import rushlight as torch
    >>> loss = torch.nn.MultiLabelMarginLoss()
    >>> loss(torch.tensor([0.1, 0.2, 0.4, 0.8]), torch.tensor([3, 0, -1, 1]))  # classes 3 and 0
    tensor(0.8500)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Scores and lists of classes, both (N, C) or (C); the mean or sum, or the losses (N)."""
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """The mean binary cross entropy over classes, after a sigmoid: inputs and targets (N, C).

    RuntimeError for shapes that do not broadcast, ValueError for an unknown `reduction`.

    >>> import rushlight as torch
    >>> torch.nn.MultiLabelSoftMarginLoss()(torch.tensor([[2.0, -1.0]]), torch.tensor([[1.0, 0.0]]))
    tensor(0.2201)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Scores and targets of 0 or 1, both (N, C); the mean or sum, or the losses (N)."""
        return F.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)


class MultiMarginLoss(_WeightedLoss):
    """The hinge loss of classes: max(0, margin - input[target] + input[c]) ** p, over all other classes c.

    ValueError unless p is 1 or 2 and the weights are one-dimensional.

    >>> import rushlight as torch
    >>> torch.nn.MultiMarginLoss()(torch.tensor([[0.1, 0.2, 0.8]]), torch.tensor([2]))
    tensor(0.2333)
    """

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average: Flag = None,
        reduce: Flag = None,
        reduction: str = "mean",
    ):
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead")
        self.p = p
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Scores (N, C) and classes (N), or (C) and a class; the mean or sum, or the losses (N)."""
        return F.multi_margin_loss(
            input, target, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction
        )


class CosineEmbeddingLoss(_Loss):
    """1 - cos(x1, x2) where the target is 1, max(0, cos(x1, x2) - margin) where it is -1.

    RuntimeError unless the target has one number for each pair, ValueError for an unknown `reduction`.

    >>> import rushlight as torch
    >>> a, b = torch.tensor([[1.0, 0.0], [1.0, 0.0]]), torch.tensor([[1.0, 1.0], [1.0, 1.0]])
    >>> torch.nn.CosineEmbeddingLoss(reduction="none")(a, b, torch.tensor([1, -1]))
    tensor([0.2929, 0.7071])
    """

    def __init__(self, margin: float = 0.0, size_average: Flag = None, reduce: Flag = None, reduction: str = "mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Two tensors of vectors (N, D), and targets (N) of 1 or -1; the mean or sum, or the losses (N)."""
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_Loss):
    """max(0, -target * (x1 - x2) + margin): x1 should be larger if the target is 1, x2 if it is -1.

    RuntimeError for shapes that do not broadcast.

    >>> import rushlight as torch
    >>> loss = torch.nn.MarginRankingLoss(margin=0.5, reduction="none")
    >>> loss(torch.tensor([2.0, 1.0]), torch.tensor([1.0, 1.2]), torch.tensor([1, 1]))
    tensor([0.0000, 0.7000])
    """

    def __init__(self, margin: float = 0.0, size_average: Flag = None, reduce: Flag = None, reduction: str = "mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Two tensors of scores, and targets of 1 or -1, of the same shape; the mean or sum, or each element's loss."""
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


def require_positive(margin: float, loss: str) -> None:
    """Raises PyTorch's ValueError for a margin that is not positive."""
    if margin <= 0:
        raise ValueError(f"{loss}: expected margin to be greater than 0, got {margin} instead")


class TripletMarginLoss(_Loss):
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), with the p-norm as distance d.

    With `swap`, d(positive, negative) is used if it is smaller than d(anchor, negative). Source: V. Balntas et al.,
    "Learning shallow convolutional feature descriptors with triplet losses", 2016.

    ValueError for a `margin` that is not positive, RuntimeError for shapes that do not broadcast.

    >>> import rushlight as torch
    >>> loss = torch.nn.TripletMarginLoss(margin=1.0)
    >>> loss(torch.tensor([[0.0, 0.0]]), torch.tensor([[0.0, 0.5]]), torch.tensor([[0.0, 1.0]]))
    tensor(0.5000)
    """

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: Flag = None,
        reduce: Flag = None,
        reduction: str = "mean",
    ):
        super().__init__(size_average, reduce, reduction)
        require_positive(margin, "TripletMarginLoss")
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Three tensors of vectors (N, D); the mean or sum, or the losses (N)."""
        return F.triplet_margin_loss(
            anchor,
            positive,
            negative,
            margin=self.margin,
            p=self.p,
            eps=self.eps,
            swap=self.swap,
            reduction=self.reduction,
        )


class TripletMarginWithDistanceLoss(_Loss):
    """`TripletMarginLoss` with any distance function of two tensors; by default `PairwiseDistance`.

    ValueError for a `margin` that is not positive, RuntimeError for shapes that do not broadcast.

    >>> import rushlight as torch
    >>> loss = torch.nn.TripletMarginWithDistanceLoss(distance_function=lambda a, b: (a - b).abs().amax(1))
    >>> loss(torch.tensor([[0.0, 0.0]]), torch.tensor([[0.0, 0.5]]), torch.tensor([[0.0, 1.0]]))
    tensor(0.5000)
    """

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ):
        super().__init__(reduction=reduction)
        require_positive(margin, "TripletMarginWithDistanceLoss")
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Three batches of inputs for the distance function; the mean or sum, or the losses (N)."""
        return F.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )


class CTCLoss(_Loss):
    """Connectionist temporal classification: the negative log likelihood of label sequences over all alignments.

    Source: A. Graves et al., "Connectionist temporal classification", 2006.

    RuntimeError for lengths beyond the input or the target.

    >>> import rushlight as torch
    >>> loss = torch.nn.CTCLoss()
    >>> scores = torch.zeros(4, 1, 3).log_softmax(2)  # 4 steps, 1 sequence, blank and 2 letters
    >>> loss(scores, torch.tensor([[1, 2]]), torch.tensor([4]), torch.tensor([2]))
    tensor(0.8432)
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False):
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor) -> Tensor:
        """Log probabilities (T, N, C), targets (N, S) and lengths (N,); the mean or sum, or the losses (N)."""
        return F.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )
