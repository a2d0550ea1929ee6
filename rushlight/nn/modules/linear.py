"""Layers that multiply by a weight matrix: `Linear` and `Bilinear`; and `Identity`."""

import math
from typing import Any

from rushlight.dtypes import dtype as Dtype
from rushlight.nn import functional as F
from rushlight.nn import init
from rushlight.nn.modules.base.making import Device, as_text, uninitialized
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from rushlight.tensors import Tensor

__all__ = ["Bilinear", "Identity", "Linear"]


class Identity(Module):
    """Returns its input; accepts any arguments, so that it can replace another layer.

    It raises no errors for its arguments.

    >>> import rushlight as torch
    >>> torch.nn.Identity("takes", anything=True)(torch.tensor([1.0, 2.0]))
    tensor([1., 2.])
    """

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """The input itself."""
        return input


class Linear(Module):
    """`input @ weight.T + bias`, for inputs of shape (..., in_features); the result is (..., out_features).

    RuntimeError for inputs whose last dimension is not `in_features`, or of another dtype.

    >>> import rushlight as torch
    >>> torch.nn.Linear(20, 30)(torch.ones(128, 20)).shape
    torch.Size([128, 30])
    """

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Device = None, dtype: Dtype | None = None
    ):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight: Parameter = uninitialized((out_features, in_features), device, dtype)
        self.register_parameter("bias", uninitialized(out_features, device, dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initializes weight and bias with uniform random numbers between ±1 / sqrt(in_features)."""
        draw_weight_and_bias(self)

    def forward(self, input: Tensor) -> Tensor:
        """`input @ weight.T + bias`: (..., in_features) to (..., out_features)."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Sizes, and whether there is a bias."""
        return f"{as_text(self, 'in_features', 'out_features')}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """`Linear` under the name that PyTorch prints for the output projection of attention."""


def draw_weight_and_bias(layer: Module) -> None:
    """Initializes weight and bias as PyTorch does: uniform random numbers between ±1 / sqrt(fan_in)."""
    init.kaiming_uniform_(layer.weight, a=math.sqrt(5))
    if layer.bias is not None:
        fan_in, _ = init.fans(layer.weight)
        bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
        init.uniform_(layer.bias, -bound, bound)


class Bilinear(Module):
    """`input1 @ weight[k] @ input2 + bias[k]` for every output feature k, over the last dimensions of the inputs.

    RuntimeError for inputs of other sizes.

    >>> import rushlight as torch
    >>> torch.nn.Bilinear(20, 30, 40)(torch.ones(128, 20), torch.ones(128, 30)).shape
    torch.Size([128, 40])
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Device = None,
        dtype: Dtype | None = None,
    ):
        super().__init__()
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight: Parameter = uninitialized((out_features, in1_features, in2_features), device, dtype)
        self.register_parameter("bias", uninitialized(out_features, device, dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initializes weight and bias with uniform random numbers between ±1 / sqrt(in1_features)."""
        if self.in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={self.in1_features})")
        bound = 1 / math.sqrt(self.in1_features)
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """(..., in1_features) and (..., in2_features) to (..., out_features)."""
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Sizes, and whether there is a bias."""
        return f"{as_text(self, 'in1_features', 'in2_features', 'out_features')}, bias={self.bias is not None}"
