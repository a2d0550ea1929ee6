"""Pooling with MindSpore's padding modes, for its layers and its operators MaxPool and AvgPool."""

import math
from typing import Any

import rushlight as torch
from rushlight.interop.mindspore.common.lifting import wrapped
from rushlight.interop.mindspore.common.tensor import Tensor
from rushlight.interop.mindspore.ops.functional.neural import padded_for, pair
from rushlight.nn import functional as F


def max_pooled(self: Any, x: Tensor) -> Tensor:
    """The largest value of each window."""
    kernel, strides = pair(self.kernel_size), pair(self.strides)
    value = padded_for(x._value, kernel, strides, (1, 1), self.pad_mode, 0, fill=-math.inf)
    return wrapped(F.max_pool2d(value, kernel, strides))


def average_pooled(self: Any, x: Tensor) -> Tensor:
    """The mean of each window, without padding."""
    kernel, strides = pair(self.kernel_size), pair(self.strides)
    total = F.avg_pool2d(padded_for(x._value, kernel, strides, (1, 1), self.pad_mode, 0), kernel, strides)
    if self.pad_mode.lower() == "valid":
        return wrapped(total)
    inside = padded_for(torch.ones_like(x._value), kernel, strides, (1, 1), self.pad_mode, 0)
    return wrapped(total / F.avg_pool2d(inside, kernel, strides))
