"""`torch._tensor`: the class Tensor under the name of PyTorch's module for it."""

from rushlight.tensors import Tensor

__all__ = ["Tensor"]
