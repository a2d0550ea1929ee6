"""`Variable`, the old name of tensors with gradients."""

from typing import Any

from rushlight.core.graph import TensorBase
from rushlight.core.lines import warn
from rushlight.tensors import Tensor

__all__ = ["Variable"]


class VariableMeta(type):
    """Any tensor counts as a Variable."""

    def __instancecheck__(cls, value: Any) -> Any:
        return isinstance(value, TensorBase)

    def __call__(cls, data: Tensor | None = None, requires_grad: bool = False, volatile: bool | None = None) -> Tensor:
        if volatile is not None:
            words = "volatile was removed and now has no effect. Use `with torch.no_grad():` instead."
            warn(words)
        tensor = Tensor() if data is None else data.detach()
        return tensor.requires_grad_(requires_grad)


class Variable(metaclass=VariableMeta):
    """Deprecated: `Variable(tensor, requires_grad=True)` is a new leaf that shares the tensor's memory.

    >>> import rushlight as torch
    >>> torch.autograd.Variable(torch.ones(2), requires_grad=True)
    tensor([1., 1.], requires_grad=True)
    """
