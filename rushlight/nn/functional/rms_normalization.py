"""RMS normalization: layer normalization without subtracting the mean."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.core.aliases import Array
from rushlight.core.batched import Batched, aligned, lifted
from rushlight.core.graph import TensorBase
from rushlight.core.kinds import is_half, kind_of
from rushlight.kernels import row_normalization as kernels
from rushlight.kernels.reductions import summed
from rushlight.kernels.row_normalization import as_rows
from rushlight.nn.functional.layer_normalization import check_shape
from rushlight.nn.functional.standardization import mean_over
from rushlight.ops.table import operator
from rushlight.tensors import Tensor

__all__ = ["rms_norm"]


def rms_norm_cotangents(
    grads: Sequence[Array], input: Array, weight: Array, dims: int, eps: float, result1: Array, needs: Sequence[bool]
) -> list[Array | None]:
    """The gradients of input and weight; for double backward they are composed of differentiable operators."""
    grad, ends = grads[0], input.shape[input.ndim - dims :]
    if not isinstance(grad, TensorBase):
        input_grad, weight_grad, _ = kernels.cotangents(grad, input, weight, None, result1, dims, *needs)
        return [input_grad, None if weight_grad is None else weight_grad.reshape(ends)]
    grad, rows = as_rows(grad, dims).contiguous(), as_rows(input, dims)
    scale = (mean_over(rows * rows, (1,)) + eps) ** -0.5
    normal = rows * scale
    scaled = grad if weight is None else grad * np.reshape(weight, (-1,))
    input_grad = (scaled - normal * mean_over(scaled * normal, (1,))) * scale
    weight_grad = np.reshape(summed(grad * normal, (0,)), ends) if needs[1] else None
    return [np.reshape(input_grad, input.shape) if needs[0] else None, weight_grad]


def rms_norm_batch(op: Any, args: Any, levels: Any) -> Any:
    """The batch rule: the examples are further rows; weights of their own are applied afterwards."""
    input, weight, dims, eps = args
    result, scale = op.forward(aligned(input, levels), None, dims, eps)
    if weight is not None:
        result = result * (lifted(weight, levels, input.ndim) if type(weight) is Batched else weight)
    return result, scale


@operator(
    joint=rms_norm_cotangents,
    inputs=("input", "weight"),
    nondifferentiable=(1,),
    node="FusedRmsNormBackward0",
    layout="channels last",
    batch=rms_norm_batch,
)
def _rms_norm(input: Array, weight: Array, dims: int, eps: float) -> tuple[Array, Array]:
    """The result, and 1 / root mean square."""
    result, _, scale = kernels.normalized(input, weight, None, dims, eps, centered=False)
    return result, scale


def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """Divides by the root mean square over the last dimensions, of shape `normalized_shape`; then times `weight`.

    `eps` is added to the mean square; None means the epsilon of the dtype that is computed in, float32 for half
    precision. RuntimeError for shapes that do not match.
    Zhang and Sennrich, "Root mean square layer normalization", 2019.

    >>> import rushlight as torch
    >>> torch.nn.functional.rms_norm(torch.tensor([3.0, 4.0, 0.0, 0.0]), (4,))
    tensor([1.2000, 1.6000, 0.0000, 0.0000])
    """
    if input._array.ndim < len(normalized_shape):
        raise ValueError(
            f"Input tensor must have at least {len(normalized_shape)} dimensions, but got {input._array.ndim}"
        )
    shape = check_shape(input, normalized_shape, "rms_norm", weight=weight)
    if kind_of(input._array.dtype) not in "fc":
        raise NotImplementedError(f"\"rms_norm\" not implemented for '{dtypes.TYPE_NAMES[input.dtype]}'")
    dtype = input._array.dtype
    wide = dtypes.float32 if is_half(dtype) else input.dtype
    eps = dtypes.finfo(wide).eps if eps is None else eps
    x, dims = input.to(wide), tuple(range(-len(shape), 0))
    if kind_of(dtype) == "f" and (weight is None or weight._array.dtype == dtype):
        result = _rms_norm(x, None if weight is None else weight.to(wide), len(shape), eps)[0]
    else:
        result = x * (x.pow(2).mean(dims, keepdim=True) + eps).rsqrt()
        result = result if weight is None else result * weight
    return result.to(input.dtype)
