"""Layer normalization and group normalization, whose statistics are those of a single sample."""

import math
from collections.abc import Sequence
from functools import reduce
from operator import add
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
from rushlight.nn.functional.batching import as_samples
from rushlight.nn.functional.standardization import standardized, standardized_cotangent
from rushlight.ops.table import operator, refuse
from rushlight.tensors import Tensor

__all__ = ["group_norm", "layer_norm", "native_group_norm", "native_layer_norm"]


def layer_norm_cotangents(
    grads: Sequence[Array],
    input: Array,
    weight: Array | None,
    dims: int,
    eps: float,
    result1: Array,
    result2: Array,
    needs: Sequence[bool],
) -> list[Array | None]:
    """The gradients of input, weight and bias; for double backward they are composed of differentiable operators."""
    grad, ends = grads[0], input.shape[input.ndim - dims :]
    if not isinstance(grad, TensorBase):
        input_grad, *affine = kernels.cotangents(
            grad, input, weight, result1, result2, dims, needs[0], needs[1] or needs[2]
        )
        return [input_grad, *(vector if vector is None or dims == 1 else vector.reshape(ends) for vector in affine)]
    grad = as_rows(grad, dims)
    scaled = grad if weight is None else grad * np.reshape(weight, (-1,))
    normal, invstd = standardized(as_rows(input, dims), (1,), eps)
    input_grad = standardized_cotangent(scaled, normal, invstd, (1,))
    weight_grad, bias_grad = summed(grad * normal, (0,)), summed(grad, (0,))
    cotangents = (input_grad, input.shape), (weight_grad, ends), (bias_grad, ends)
    return [np.reshape(g, shape) if need else None for (g, shape), need in zip(cotangents, needs, strict=True)]


def layer_norm_batch(op: Any, args: Sequence[Any], levels: Any) -> tuple[Array, ...]:
    """The batch rule: the examples are further rows; weights and biases of their own are applied afterwards."""
    input, weight, bias, dims, eps = args
    result, mean, invstd = op.forward(aligned(input, levels), None, None, dims, eps)
    for own, apply in ((weight, np.multiply), (bias, np.add)):
        if own is not None:
            result = apply(result, lifted(own, levels, input.ndim) if type(own) is Batched else own)
    return result.astype(input.dtype, copy=False), mean, invstd


def layer_norm_tangent(op: Any, outs: Sequence[Array], args: Any, tangents: Sequence[Array]) -> Any:
    """Forward mode: (t - mean(t) - normal * mean(normal * t)) / std for the normalized values; then weight and bias."""
    input, weight, _, dims, eps = args
    t, tangent_of_weight, tangent_of_bias = tangents[:3]
    axes = tuple(range(-dims, 0))
    normal, invstd = standardized(input, axes, eps)
    parts = []
    if t is not None:
        tangent = standardized_cotangent(t, normal, invstd, axes)
        parts.append(tangent if weight is None else tangent * weight)
    parts += [] if tangent_of_weight is None else [normal * tangent_of_weight]
    parts += [] if tangent_of_bias is None else [tangent_of_bias]
    return [reduce(add, parts), None, None]


@operator(
    kernel=True,
    saved_as={"input": "input"},
    aten=("layer_norm", "native_layer_norm"),
    joint=layer_norm_cotangents,
    inputs=("input", "weight", "bias"),
    nondifferentiable=(1, 2),
    node="NativeLayerNormBackward0",
    batch=layer_norm_batch,
    tangent=layer_norm_tangent,
)
def _layer_norm(input: Array, weight: Array | None, bias: Array | None, dims: int, eps: float) -> tuple[Array, ...]:
    """The result, the mean and 1 / standard deviation."""
    return kernels.normalized(input, weight, bias, dims, eps)


def group_norm_cotangents(
    grads: Sequence[Array],
    input: Array,
    weight: Array | None,
    groups: int,
    eps: float,
    result1: Array,
    result2: Array,
    needs: Sequence[bool],
) -> list[Array | None]:
    """The gradients of group normalization; for double backward composed of differentiable operators."""
    samples, channels = input.shape[:2]
    plane = math.prod(input.shape[2:])
    grouped, planes = (samples, groups, channels // groups * plane), (samples, channels, plane)
    grad = np.reshape(grads[0], planes)
    x = np.reshape(input, grouped)
    scaled = np.reshape(grad if weight is None else grad * np.reshape(weight, (-1, 1)), grouped)
    moments = [np.expand_dims(g, -1) for g in grads[1:]]
    if isinstance(grad, TensorBase):
        normal, invstd = standardized(x, (2,), eps)
        input_grad = standardized_cotangent(scaled, normal, invstd, (2,), *moments)
    else:
        mean, invstd = result1[..., None], result2[..., None]
        of_moments = any(g.any() for g in moments)
        if needs[1] or of_moments:
            normal = (x - mean) * invstd
        if of_moments:
            input_grad = kernels.standardized_cotangent(scaled, normal, invstd, moments[0], moments[1])
        else:
            input_grad, _, _ = kernels.cotangents(scaled, x, None, mean, invstd, 1, needs[0], False)
    return [
        np.reshape(input_grad, input.shape) if needs[0] else None,
        summed(grad * np.reshape(normal, planes), (0, 2)) if needs[1] else None,
        summed(grad, (0, 2)) if needs[2] else None,
    ]


@operator(
    kernel=True,
    saved_as={"input": "input"},
    layout="channels last",
    batch=as_samples,
    joint=group_norm_cotangents,
    inputs=("input", "weight", "bias"),
    node="NativeGroupNormBackward0",
)
def _group_norm(input: Array, weight: Array | None, bias: Array | None, groups: int, eps: float) -> tuple[Array, ...]:
    samples, channels = input.shape[:2]
    plane = math.prod(input.shape[2:])
    grouped = input.reshape(samples, groups, channels // groups * plane)
    wide = grouped.astype(np.promote_types(input.dtype, np.float32), copy=False)
    result, mean, invstd = kernels.normalized(wide, None, None, 1, eps)
    result = result.reshape(samples, channels, plane)
    if weight is not None:
        result *= weight[:, None]
    if bias is not None:
        result += bias[:, None]
    return result.astype(input.dtype, copy=False).reshape(input.shape), mean[..., 0], invstd[..., 0]


def check_shape(input: Any, normalized_shape: Any, name: str, **operands: Any) -> tuple[int, ...]:
    """The normalized shape as a tuple; raises PyTorch's errors if the operands do not match it."""
    if not isinstance(input, Tensor):
        refuse(name, "input", 1, input)
    if isinstance(normalized_shape, int):
        raise TypeError(f"{name}(): argument 'normalized_shape' (position 2) must be tuple of ints, not int")
    shape = tuple(normalized_shape)
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, "
            "but got normalized_shape = []"
        )
    for parameter, operand in operands.items():
        if operand is not None and operand._array.shape != shape:
            raise RuntimeError(
                f"Expected {parameter} to be of same shape as normalized_shape, but got {parameter} of shape "
                f"{list(operand.shape)} and normalized_shape = {list(shape)}"
            )
    if input._array.shape[-len(shape) :] != shape:
        sizes = ", ".join(map(str, shape))
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*, {sizes}], "
            f"but got input of size{list(input.shape)}"
        )
    return shape


def check_dtypes(name: str, input: Tensor, *operands: Tensor | None) -> None:
    """Raises PyTorch's errors for operands whose dtypes do not match the input's."""
    d = input._array.dtype
    if kind_of(d) != "f":
        raise NotImplementedError(f"\"{name}\" not implemented for '{dtypes.TYPE_NAMES[input.dtype]}'")
    for operand in operands:
        if operand is not None and operand._array.dtype not in (d, np.float32 if is_half(d) else d):
            raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")


def native_layer_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """`layer_norm`, with the mean and 1 / standard deviation of each sample.

    >>> import rushlight as torch
    >>> torch.native_layer_norm(torch.tensor([1.0, 3.0]), (2,), None, None, 0.0)
    (tensor([-1.,  1.]), tensor([2.]), tensor([1.]))
    """
    shape = check_shape(input, normalized_shape, "layer_norm", weight=weight, bias=bias)
    check_dtypes("LayerNormKernelImpl", input, weight, bias)
    return with_moments_of(input, weight, _layer_norm(input, weight, bias, len(shape), eps))


def with_moments_of(input: Tensor, weight: Tensor | None, results: Sequence[Tensor]) -> Any:
    """The results of a normalization; for float16, mean and 1 / std are float16 too, unless the weights are float32."""
    if input._array.dtype != np.float16 or (weight is not None and weight._array.dtype != np.float16):
        return results
    values, mean, deviation = results
    return values, mean.half(), deviation.half()


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-05,
) -> Tensor:
    """Normalizes over the last dimensions, of shape `normalized_shape`, to mean 0 and variance 1.

    The result is multiplied by `weight` and `bias` is added; both have the normalized shape. RuntimeError for shapes or
    dtypes that do not match.
    Ba, Kiros and Hinton, "Layer normalization", 2016.

    >>> import rushlight as torch
    >>> torch.nn.functional.layer_norm(torch.tensor([[1.0, 3.0], [10.0, 30.0]]), (2,))
    tensor([[-1.0000,  1.0000],
            [-1.0000,  1.0000]])
    """
    return native_layer_norm(input, normalized_shape, weight, bias, eps)[0]


def native_group_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, N: int, C: int, HxW: int, group: int, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """`group_norm` of N samples with C channels of HxW elements; also returns each group's mean and 1 / std.

    >>> import rushlight as torch
    >>> torch.native_group_norm(torch.tensor([[1.0, 3.0]]), None, None, 1, 2, 1, 1, 0.0)
    (tensor([[-1.,  1.]]), tensor([[2.]]), tensor([[1.]]))
    """
    if input._array.size != N * C * HxW:
        raise RuntimeError(
            "Expected X.numel() == N * C * HxW to be true, but got false: "
            f"there are {N} * {C} * {HxW} elements, and the input is of shape {list(input.shape)}"
        )
    for name, operand in (("weight", weight), ("bias", bias)):
        if operand is not None and operand._array.shape != (C,):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                f"shape {list(operand.shape)} and input of shape {list(input.shape)}"
            )
    check_dtypes("GroupNormKernelImpl", input, weight, bias)
    return with_moments_of(input, weight, _group_norm(input, weight, bias, group, eps))


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-05
) -> Tensor:
    """Normalizes each group of channels of each sample of (N, C, ...); then times `weight` (C) plus `bias` (C).

    RuntimeError if the number of groups does not divide the channels, and for shapes or dtypes that do not match.
    Wu and He, "Group normalization", 2018.

    >>> import rushlight as torch
    >>> torch.nn.functional.group_norm(torch.tensor([[1.0, 3.0, 10.0, 30.0]]), 2)
    tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """
    shape = list(input.shape)
    if len(shape) < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {len(shape)}")
    samples, channels, *space = shape
    if channels % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{shape} and num_groups={num_groups}"
        )
    if samples * (channels // num_groups) * math.prod(space) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {shape}")
    for name, operand in (("weight", weight), ("bias", bias)):
        if operand is not None and operand._array.shape != (channels,):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                f"shape {list(operand.shape)} and input of shape {shape}"
            )
    return native_group_norm(input, weight, bias, samples, channels, math.prod(space), num_groups, eps)[0]
