"""`torch._tensor`: the class Tensor under the name of PyTorch's module for it."""

from rushlight.serialization.rebuilding import rebuild_from_type
from rushlight.tensors import Tensor

__all__ = ["Tensor"]

_rebuild_from_type_v2 = rebuild_from_type  # as pickles name it
