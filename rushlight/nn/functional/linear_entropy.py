"""The cross entropy of a linear layer's outputs, computed at once or a few rows at a time."""

from dataclasses import dataclass, replace
from typing import Any

from rushlight import dtypes
from rushlight.core.kinds import kind_of
from rushlight.core.lines import warn
from rushlight.nn.functional.entropy import cross_entropy
from rushlight.ops.products.products import linear
from rushlight.ops.shapes.joining import cat, stack
from rushlight.tensors import Tensor
from rushlight.utils.recomputation import recomputed

__all__ = ["LinearCrossEntropyOptions", "linear_cross_entropy"]

POLICIES = ("auto", "accurate", "balanced", "compact")


@dataclass(frozen=True, slots=True)
class LinearCrossEntropyOptions:
    """How `linear_cross_entropy` works in chunks, so that the logits of all rows (N, C) are never in memory together.

    This is useful if there are more classes than features. The backward pass recomputes the logits of each chunk.

    `batch_chunk_size` is the number of rows of a chunk. Without it, `chunking_method` chooses: with "aspect_ratio" the
    logits of a chunk are about as large as the input (N, in_features), with "aspect_ratio:4" a fourth of that; "auto"
    is "aspect_ratio:2", for float16 and bfloat16 "aspect_ratio"; None takes all rows.

    In PyTorch, `acc_policy` and `acc_dtype` also choose the precision of sums, and `allow_retain_graph` says whether a
    second backward pass is possible. Here float16 is always added up in float32, the most precise of PyTorch's choices,
    and further backward passes, also of higher order, are always possible.

    Raises ValueError for unknown options, NotImplementedError for an `acc_dtype` other than float32 (or the input's
    own).

    >>> import rushlight as torch
    >>> options = torch.nn.LinearCrossEntropyOptions(batch_chunk_size=2)
    >>> x, weight = torch.ones(5, 3), torch.zeros(4, 3)
    >>> torch.nn.functional.linear_cross_entropy(x, weight, torch.tensor([0, 3, 1, 2, 0]), options=options)
    tensor(1.3863)
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: dtypes.dtype | None = None

    def __post_init__(self) -> None:
        if self.acc_policy not in POLICIES:
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}. It is one of {', '.join(map(repr, POLICIES))}.")
        if self.chunking_method not in (None, "auto") and share_of(self.chunking_method) is None:
            raise ValueError(
                f"invalid chunking_method: {self.chunking_method!r}. "
                "It is 'auto', 'aspect_ratio', 'aspect_ratio:2' with any whole number, or None."
            )
        size = self.batch_chunk_size
        if size is not None and not (isinstance(size, int) and size > 0):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size!r}")
        if self.acc_dtype not in (None, dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64):
            raise ValueError(
                "acc_dtype must be one of {None, torch.float16, torch.bfloat16, torch.float32, torch.float64}, got "
                f"{self.acc_dtype!r}. Pass acc_dtype=None to let the op pick automatically."
            )

    def rows(self, n: int, features: int, classes: int, dtype: dtypes.dtype) -> int:
        """The number of rows in a chunk, for n rows of features."""
        method = self.chunking_method
        if method == "auto":
            halves = dtype in (dtypes.float16, dtypes.bfloat16)
            method = None if self.batch_chunk_size else "aspect_ratio" if halves else "aspect_ratio:2"
        size = min(self.batch_chunk_size or n, n)
        if method is not None:
            at_least = -(-n // -(-classes // features))
            size = min((1 << (at_least - 1).bit_length()) // (share_of(method) or 1), n)
            if self.batch_chunk_size not in (None, size):
                raise ValueError(
                    f"batch_chunk_size (={self.batch_chunk_size}) and chunking_method ('{self.chunking_method}') give "
                    f"different chunk sizes ({self.batch_chunk_size} vs {size}); pass only one."
                )
        return max(1, size)


def share_of(method: str | None) -> int | None:
    """The number after "aspect_ratio:", 1 without one; None for other methods."""
    name, colon, number = (method or "").partition(":")
    if name != "aspect_ratio" or (colon and not (number.isdigit() and int(number))):
        return None
    return int(number or 1)


def check_linear(input: Tensor, weight: Tensor, target: Tensor, bias: Tensor | None, ignore_index: Any) -> None:
    """Raises PyTorch's errors for operands of `linear_cross_entropy` that do not match."""
    x, w = input._array, weight._array
    if x.ndim not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {x.ndim}")
    if w.ndim < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {w.ndim}")
    if x.shape[-1] != w.shape[-1]:
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), "
            f"got {x.shape[-1]} and {w.shape[-1]}, respectively"
        )
    if bias is not None and bias._array.shape != w.shape[:-1]:
        raise RuntimeError(f"expected linear_bias shape {w.shape[:-1]}, got {bias._array.shape}")
    if x.ndim == 1 and w.ndim > 2:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {w.shape} requires batched input, "
            f"(N, {x.shape[-1]}), got unbatched input with shape {x.shape}"
        )
    if ignore_index is not None and kind_of(target._array.dtype) == "f":
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")


def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: LinearCrossEntropyOptions | None = None,
) -> Tensor:
    """`cross_entropy` of `linear(input, linear_weight, linear_bias)`; the weight may be (C, d1, ..., in_features).

    With `options`, the rows are processed in chunks. Then the target must be class indices (int64), without label
    smoothing, and the weight (C, in_features); otherwise a warning says that all rows are processed at once.

    >>> import rushlight as torch
    >>> x, weight = torch.ones(2, 3), torch.zeros(4, 3)
    >>> torch.nn.functional.linear_cross_entropy(x, weight, torch.tensor([0, 3]))
    tensor(1.3863)
    """
    check_linear(input, linear_weight, target, linear_bias, ignore_index)
    ignored = -100 if ignore_index is None else ignore_index
    if options is not None and goes_in_chunks(linear_weight, target, reduction, label_smoothing):
        return in_chunks(input, linear_weight, target, linear_bias, weight, reduction, ignored, options)
    outputs = linear_weight.shape[:-1]
    bias = None if linear_bias is None else linear_bias.reshape(-1)
    logits = linear(input, linear_weight.flatten(0, -2), bias)
    if len(outputs) > 1:
        logits = logits.reshape(*logits.shape[:-1], *outputs)
    return cross_entropy(
        logits, target, weight, ignore_index=ignored, reduction=reduction, label_smoothing=label_smoothing
    )


def goes_in_chunks(linear_weight: Tensor, target: Tensor, reduction: str, label_smoothing: float) -> bool:
    """Whether the rows can be processed in chunks; warns if not."""
    outputs = linear_weight.shape[1:-1]
    if outputs or reduction not in ("mean", "sum", "none") or label_smoothing or target.dtype != dtypes.int64:
        warn(
            "linear_cross_entropy: ``options`` ignored; chunked path needs reduction in {'mean','sum','none'}, "
            f"label_smoothing == 0, target.dtype == int64, out_features == (). Got reduction={reduction!r}, "
            f"label_smoothing={label_smoothing}, target.dtype={target.dtype}, out_features={tuple(outputs)}."
        )
        return False
    return True


def in_chunks(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    bias: Tensor | None,
    weight: Tensor | None,
    reduction: str,
    ignored: int,
    options: LinearCrossEntropyOptions,
) -> Tensor:
    """The loss of a linear layer's outputs, with only one chunk's logits in memory at a time."""
    options = replace(options, acc_dtype=options.acc_dtype or input.dtype)  # refuses a dtype that is not floating
    if options.acc_dtype not in (dtypes.float32, input.dtype):
        raise NotImplementedError(
            f"linear_cross_entropy adds up {input.dtype} in float32 or in {input.dtype}, not in {options.acc_dtype}: "
            "leave acc_dtype out."
        )
    rows, targets = (input, target) if input.dim() == 2 else (input.unsqueeze(0), target.unsqueeze(0))
    size = options.rows(len(rows), rows.shape[1], len(linear_weight), input.dtype)
    how = "none" if reduction == "none" else "sum"

    def losses_of(rows: Tensor, targets: Tensor) -> Tensor:
        scores = linear(rows, linear_weight, bias)
        return cross_entropy(scores, targets, weight, ignore_index=ignored, reduction=how)

    parts: list[Any] = [
        recomputed(losses_of, *chunk) for chunk in zip(rows.split(size), targets.split(size), strict=True)
    ]
    if reduction == "none":
        return cat(parts) if input.dim() == 2 else parts[0].squeeze(0)
    total = stack(parts).sum()
    return total / weight_of(targets, weight, ignored) if reduction == "mean" else total


def weight_of(targets: Tensor, weight: Tensor | None, ignored: int) -> Tensor:
    """The divisor for the mean: how many targets count, or the sum of their class weights."""
    counted = targets != ignored
    return counted.sum() if weight is None else weight[targets[counted]].sum()
