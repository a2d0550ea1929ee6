"""The reductions of losses: none, sum or mean."""

from rushlight.core.advice import advised
from rushlight.core.lines import warn
from rushlight.tensors import Tensor


def reduction_of(reduction: str, size_average: bool | None = None, reduce: bool | None = None) -> str:
    """The name of the reduction, also from the deprecated options. ValueError for an unknown one."""
    if size_average is not None or reduce is not None:
        kept = "none" if reduce is False else "sum" if size_average is False else "mean"
        warn(f"size_average and reduce args will be deprecated, please use reduction='{kept}' instead.")
        return kept
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(advised(f"{reduction} is not a valid value for reduction"))
    return reduction


def reduced(loss: Tensor, reduction: str) -> Tensor:
    """The mean or the sum of a loss, or the loss itself, according to `reduction`."""
    return loss.mean() if reduction == "mean" else loss.sum() if reduction == "sum" else loss


def factor_of(reduction: str, number: int) -> float | None:
    """What the sum of so many losses is multiplied by; None if it is not asked for."""
    return 1 / number if reduction == "mean" else 1 if reduction == "sum" else None
