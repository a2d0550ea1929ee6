"""Fusing batch normalization in evaluation mode into the preceding layer."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import rushlight
from rushlight.core.aliases import Array
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from rushlight.tensors import Tensor

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """A convolution equivalent to a convolution followed by a batch normalization, both in evaluation mode.

    >>> import rushlight as torch
    >>> conv, norm = torch.nn.Conv2d(2, 3, 1).eval(), torch.nn.BatchNorm2d(3).eval()
    >>> x = torch.ones(1, 2, 2, 2)
    >>> torch.allclose(torch.nn.utils.fuse_conv_bn_eval(conv, norm)(x), norm(conv(x)))
    True
    """
    fused = copy_of_layer(conv, bn)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose
    )
    return fused


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """The weight and bias of a convolution fused with a batch normalization.

    >>> import rushlight as torch
    >>> from rushlight.nn.utils import fuse_conv_bn_weights
    >>> one = torch.ones(1)  # a mean of 3 and a variance of 4; neither scaled nor shifted
    >>> weight, bias = fuse_conv_bn_weights(torch.full((1, 1, 1), 2.0), None, one * 3, one * 4, 0.0, one, one * 0)
    >>> weight.item(), bias.item()
    (1.0, -1.5)
    """
    others = [1] * (conv_w.dim() - 2)
    return fused_weights(
        conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, [1, -1, *others] if transpose else [-1, 1, *others]
    )


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """A linear layer equivalent to a linear layer followed by a batch normalization, both in evaluation mode.

    >>> import rushlight as torch
    >>> linear, bn, x = torch.nn.Linear(3, 2).eval(), torch.nn.BatchNorm1d(2).eval(), torch.ones(1, 3)
    >>> torch.allclose(torch.nn.utils.fuse_linear_bn_eval(linear, bn)(x), bn(linear(x)))
    True
    """
    fused = copy_of_layer(linear, bn)
    if bn.num_features not in (1, linear.out_features):
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got linear.out_features="
            f"{linear.out_features} and bn.num_features={bn.num_features}"
        )
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return fused


def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
) -> tuple[Parameter, Parameter]:
    """The weight and bias of a linear layer fused with a batch normalization.

    >>> import rushlight as torch
    >>> from rushlight.nn.utils import fuse_linear_bn_weights
    >>> one = torch.ones(1)  # a mean of 3 and a variance of 4; neither scaled nor shifted
    >>> weight, bias = fuse_linear_bn_weights(torch.tensor([[2.0]]), None, one * 3, one * 4, 0.0, one, one * 0)
    >>> weight.item(), bias.item()
    (1.0, -1.5)
    """
    return fused_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, [-1, 1])


def copy_of_layer(layer: Module, bn: Any) -> Any:
    """A copy of a layer. AssertionError if a module is in training mode, or has no running statistics."""
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
    return deepcopy(layer)


def fused_weights(
    weight: Array, bias: Any, mean: Any, var: Any, eps: Any, scale: Any, shift: Any, shape: Sequence[int]
) -> tuple[Parameter, Parameter]:
    """The weight, scaled along the dimension that is -1 in `shape`, and the bias."""
    bias = rushlight.zeros_like(mean) if bias is None else bias
    scale = rushlight.ones_like(mean) if scale is None else scale
    shift = rushlight.zeros_like(mean) if shift is None else shift
    factor = scale * rushlight.rsqrt(var + eps)
    fused = (weight * factor.reshape(shape)).to(weight.dtype), ((bias - mean) * factor + shift).to(bias.dtype)
    return Parameter(fused[0], weight.requires_grad), Parameter(fused[1], bias.requires_grad)
