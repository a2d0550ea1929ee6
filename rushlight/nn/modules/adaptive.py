"""Adaptive softmax: rare classes are grouped in clusters, each with a smaller network of its own."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from rushlight.dtypes import dtype as Dtype
from rushlight.nn.functional import log_softmax
from rushlight.nn.modules.base.making import Device
from rushlight.nn.modules.container import ModuleList, Sequential
from rushlight.nn.modules.linear import Linear
from rushlight.nn.modules.module import Module
from rushlight.ops.shapes.joining import cat
from rushlight.tensors import Tensor

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class _ASMoutput(NamedTuple):
    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log probabilities of many classes, sorted from frequent to rare, and the loss, their negative mean.

    The head has the classes below `cutoffs[0]` and one entry for each cluster, which has the classes up to the next
    cutoff; the hidden size of each cluster is smaller than the previous one's by the factor `div_value`. Called with
    inputs (N, in_features) and targets (N,), or a single sample, it returns the log probabilities of the targets, and
    the loss.

    Source: E. Grave et al., "Efficient softmax approximation for GPUs", 2017. ValueError for cutoffs that are not
    increasing numbers from 1 to n_classes - 1.

    >>> import rushlight as torch
    >>> softmax = torch.nn.AdaptiveLogSoftmaxWithLoss(16, 10, cutoffs=[2, 5])
    >>> softmax(torch.ones(3, 16), torch.tensor([0, 3, 9])).output.shape, softmax.log_prob(torch.ones(3, 16)).shape
    (torch.Size([3]), torch.Size([3, 10]))
    """

    in_features: int
    n_classes: int
    cutoffs: list[int]
    div_value: float
    head_bias: bool
    shortlist_size: int
    n_clusters: int

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Device = None,
        dtype: Dtype | None = None,
    ):
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        increasing = all(a < b for a, b in pairwise([0, *cutoffs, n_classes]))
        if not increasing or any(int(c) != c for c in cutoffs):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
                "value is between 1 and n_classes-1"
            )
        self.in_features, self.n_classes, self.cutoffs = in_features, n_classes, [*cutoffs, n_classes]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size, self.n_clusters = cutoffs[0], len(cutoffs)
        self.head_size: int = self.shortlist_size + self.n_clusters
        self.head: Linear = Linear(in_features, self.head_size, head_bias, device, dtype)
        self.tail: ModuleList = ModuleList()
        for i, (low, high) in enumerate(pairwise(self.cutoffs)):
            inner = int(in_features // div_value ** (i + 1))
            self.tail.append(
                Sequential(
                    Linear(in_features, inner, False, device, dtype), Linear(inner, high - low, False, device, dtype)
                )
            )

    def reset_parameters(self) -> None:
        """Initializes all weights again."""
        self.head.reset_parameters()
        for inner, outer in self.tail:
            inner.reset_parameters()
            outer.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        """The log probabilities of the targets, and the loss."""
        check_shapes(input_, target_)
        single = target_.dim() == 0
        inputs, targets = (input_.unsqueeze(0), target_.unsqueeze(0)) if single else (input_, target_)
        low, high = int(targets.min()), int(targets.max())
        if low < 0 or high >= self.n_classes:
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range [{low}, {high}] were found."
            )
        places, output = targets.clone(), inputs.new_zeros(targets.shape[0])
        for i, (low, high) in enumerate(pairwise(self.cutoffs)):
            rows = ((targets >= low) & (targets < high)).nonzero().squeeze(1)
            if rows.numel():
                places[rows] = self.shortlist_size + i
                found = log_softmax(self.tail[i](inputs[rows]), dim=1)
                output = output.index_copy(0, rows, found.gather(1, (targets[rows] - low).unsqueeze(1)).squeeze(1))
        output = output + log_softmax(self.head(inputs), dim=1).gather(1, places.unsqueeze(1)).squeeze(1)
        loss = (-output).mean()
        return _ASMoutput(output.squeeze(0) if single else output, loss)

    def log_prob(self, input: Tensor) -> Tensor:
        """The log probabilities of all classes, (N, n_classes)."""
        return self._all(input, self.head(input))

    def _all(self, input: Tensor, head: Tensor) -> Tensor:
        """The log probabilities of all classes, given the output of the head."""
        head = log_softmax(head, dim=1)
        parts = [head[:, : self.shortlist_size]]
        for i, cluster in enumerate(self.tail):
            parts.append(log_softmax(cluster(input), dim=1) + head[:, self.shortlist_size + i].unsqueeze(1))
        return cat(parts, dim=1)

    def predict(self, input: Tensor) -> Tensor:
        """The most likely class of each input, (N,); clusters are only evaluated where the head predicts one."""
        head = self.head(input)
        output = head.argmax(dim=1)
        rare = output >= self.shortlist_size
        if rare.any():
            output[rare] = self._all(input[rare], head[rare]).argmax(dim=1)
        return output


def check_shapes(input: Tensor, target: Tensor) -> None:
    """Raises RuntimeError for inputs and targets whose shapes do not match."""
    if target.dim() == 1:
        if input.shape[0] != target.shape[0]:
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if input.dim() != 2:
            raise RuntimeError(f"1D target tensor expects 2D input tensors, but found inputs with size {input.shape}")
    elif target.dim() != 0:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    elif input.dim() != 1:
        raise RuntimeError(f"0D target tensor expects 1D input tensors, but found inputs with size {input.shape}")
