"""Gradient clipping: by norm, or element by element."""

import math
from collections.abc import Callable, Iterable
from types import GeneratorType
from typing import Any

import numpy as np

from rushlight.core.advice import listed
from rushlight.core.graph import new_tensor
from rushlight.core.interpreters import noted
from rushlight.core.kinds import kind_of
from rushlight.core.lines import warn
from rushlight.tensors import Tensor

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]

Tensors = Tensor | Iterable[Tensor]


def gradients_of(parameters: Tensors) -> list[Tensor]:
    """The gradients of the parameters that have one."""
    parameters = [parameters] if isinstance(parameters, Tensor) else parameters
    return [grad for parameter in parameters if (grad := parameter.grad) is not None]


def walked(parameters: Tensors) -> list[Tensor]:
    """The parameters as a list; warns about an exhausted generator."""
    if isinstance(parameters, Tensor):
        return [parameters]
    found = listed(parameters)
    if not found and isinstance(parameters, GeneratorType):
        warn(
            "`parameters` is an empty generator, no gradient clipping will occur. parameters() can be walked through "
            "once: keep list(model.parameters()) to use them again.",
        )
    return found


@noted
def norm(arrays: list[np.ndarray], order: float) -> np.ndarray:
    """The norm of all elements of several arrays."""
    flat = [array.reshape(-1) for array in arrays]
    if order == 2 and all(kind_of(part.dtype) == "f" for part in flat):
        return np.array(math.sqrt(sum([float(np.dot(part, part)) for part in flat])), np.result_type(*flat))
    return np.asarray(np.linalg.norm([np.linalg.norm(part, order) for part in flat], order))


def get_total_norm(
    tensors: Tensors, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Tensor:
    """The norm of several tensors, taken as one vector.

    RuntimeError with `error_if_nonfinite` if it is infinite or NaN. `foreach` has no effect on a CPU.

    >>> import rushlight as torch
    >>> torch.nn.utils.get_total_norm([torch.tensor([3.0]), torch.tensor([4.0])])
    tensor(5.)
    """
    tensors = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    if not tensors:
        return new_tensor(np.array(0.0, np.float32))
    order = float(norm_type)
    shards = [tensor for tensor in tensors if hasattr(tensor, "combine_norms")]
    if any(tensor._array is None for tensor in tensors):
        raise NotImplementedError(
            "Could not run 'aten::linalg_vector_norm' with arguments from the 'SparseCPU' backend: clip gradients of "
            "layers without sparse=True"
        )
    parts = [tensor._array for tensor in tensors if not hasattr(tensor, "combine_norms")]
    together: dict[Any, Any] = {}  # distributed tensors: the parts in other processes count too
    for shard in shards:
        together.setdefault(shard.norm_key(), []).append(shard)
    for alike in together.values():
        own = norm([shard._array for shard in alike], order)
        parts.append(np.asarray(alike[0].combine_norms(float(own), order), own.dtype))
    total = norm(parts, order)
    if error_if_nonfinite and not np.isfinite(total):
        raise RuntimeError(
            f"The total norm of order {order} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return new_tensor(total)


def scaled_down(arrays: list[np.ndarray], total: np.ndarray, most: float) -> None:
    """Scales arrays in place, given their norm `total`, so that it is at most `most`."""
    coefficient = most / (total.item() + 1e-6)
    if not coefficient >= 1:  # written so that NaN scales too
        for array in arrays:
            array *= coefficient


scale_down: Callable[..., Any] = noted(scaled_down, changes=(0,))


def clipped(arrays: list[np.ndarray], limit: float) -> None:
    """Clamps arrays to [-limit, limit], in place."""
    for array in arrays:
        np.clip(array, -limit, limit, out=array)


clip: Callable[..., Any] = noted(clipped, changes=(0,))


def clip_grads_with_norm_(
    parameters: Tensors, max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scales the gradients of parameters, given their norm, so that it is at most `max_norm`.

    >>> import rushlight as torch
    >>> weight = torch.zeros(2, requires_grad=True)
    >>> weight.grad = torch.tensor([3.0, 4.0])
    >>> torch.nn.utils.clip_grads_with_norm_([weight], max_norm=1.0, total_norm=torch.tensor(5.0))
    >>> weight.grad
    tensor([0.6000, 0.8000])
    """
    grads = gradients_of(parameters)
    scale_down([grad._array for grad in grads], total_norm._array, float(max_norm))
    for grad in grads:
        grad._bump()


def clip_grad_norm_(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scales the gradients of parameters so that their total norm is at most `max_norm`. Returns the norm.

    RuntimeError with `error_if_nonfinite` if the norm is infinite or NaN.

    >>> import rushlight as torch
    >>> x = torch.zeros(2, requires_grad=True)
    >>> x.grad = torch.tensor([3.0, 4.0])
    >>> torch.nn.utils.clip_grad_norm_(x, max_norm=1.0), x.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    parameters = walked(parameters)
    total = get_total_norm(gradients_of(parameters), norm_type, error_if_nonfinite)
    clip_grads_with_norm_(parameters, max_norm, total)
    return total


def clip_grad_value_(parameters: Tensors, clip_value: float, foreach: bool | None = None) -> None:
    """Clamps the gradients of parameters to [-clip_value, clip_value].

    >>> import rushlight as torch
    >>> weight = torch.zeros(2, requires_grad=True)
    >>> weight.grad = torch.tensor([3.0, -0.4])
    >>> torch.nn.utils.clip_grad_value_([weight], clip_value=1.0)
    >>> weight.grad
    tensor([ 1.0000, -0.4000])
    """
    grads = gradients_of(parameters)
    clip([grad._array for grad in grads], float(clip_value))
    for grad in grads:
        grad._bump()


def clip_grad_norm(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The deprecated name of `clip_grad_norm_`.

    >>> import rushlight as torch
    >>> weight = torch.tensor([3.0, 4.0], requires_grad=True)
    >>> weight.grad = torch.tensor([3.0, 4.0])
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.nn.utils.clip_grad_norm([weight], max_norm=1.0)
    tensor(5.)
    """
    warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


_get_total_norm = get_total_norm  # PyTorch's private names from before they were public
_clip_grads_with_norm_ = clip_grads_with_norm_
