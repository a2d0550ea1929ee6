"""`cond`: one of two functions."""

from collections.abc import Callable
from typing import Any

from rushlight.core.graph import TensorBase

__all__ = ["cond"]


def cond(pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Any = ()) -> Any:
    """`true_fn(*operands)` if `pred` is true, else `false_fn(*operands)`; `pred` is a bool or a tensor of one element.

    RuntimeError for a tensor of more.

    >>> import rushlight as torch
    >>> x = torch.tensor([1.0, -2.0])
    >>> torch.cond(x.sum() > 0, torch.sin, torch.abs, (x,))
    tensor([1., 2.])
    """
    if isinstance(pred, TensorBase) and pred.numel() != 1:
        raise RuntimeError(f"Expected pred to be bool or single-element tensor, but got {pred}.")
    return (true_fn if pred else false_fn)(*operands)
