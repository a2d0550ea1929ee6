"""Parameters of distributions: numbers as tensors, probabilities and logits."""

import rushlight as torch
from rushlight.nn.functional import softmax
from rushlight.tensors import Tensor


def broadcast_all(*values: Tensor | float) -> tuple[Tensor, ...]:
    """Tensors of one shape. Numbers take the dtype of the first tensor, or the default one.

    ValueError for what is neither tensor nor number.
    """
    if not all(isinstance(value, Tensor | int | float) for value in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    dtype = next((value.dtype for value in values if isinstance(value, Tensor)), torch.get_default_dtype())
    tensors = [value if isinstance(value, Tensor) else torch.tensor(value, dtype=dtype) for value in values]
    return torch.broadcast_tensors(*tensors)


def one_of(probs, logits):
    """The one of the two parameters that is given. ValueError unless exactly one is."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")
    return logits if probs is None else probs


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Probabilities of logits: a sigmoid for two events, else a softmax over the last dimension."""
    return torch.sigmoid(logits) if is_binary else softmax(logits, dim=-1)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Logits of probabilities, which are first moved off 0 and 1 by the precision of their dtype."""
    eps = torch.finfo(probs.dtype).eps
    inner = probs.clamp(min=eps, max=1 - eps)
    return torch.log(inner) - torch.log1p(-inner) if is_binary else torch.log(inner)
