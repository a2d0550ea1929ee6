"""What programs use of this file of PyTorch's: a context in which tensors without dimensions pick elements."""

from typing import Any

from rushlight.ops.aten_namespace import aten
from rushlight.overrides.modes import TorchFunctionMode
from rushlight.tensors import Tensor
from rushlight.utils.pytree import tree_leaves

__all__ = ["TransformGetItemToIndex"]


class TransformGetItemToIndex(TorchFunctionMode):
    """A context in which `x[i, j]` with tensors picks elements, and is no view where these are single numbers.

    >>> import rushlight as torch
    >>> x, i = torch.arange(3.0), torch.tensor(1)
    >>> from rushlight._dynamo._trace_wrapped_higher_order_op import TransformGetItemToIndex
    >>> with TransformGetItemToIndex():
    ...     x[i]._is_view()
    False
    """

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """A copy of what tensors pick; any other call as ever."""
        if func is Tensor.__getitem__:
            indices = tree_leaves(args[1])
            if all(isinstance(index, Tensor) for index in indices):
                return aten.index(args[0], indices).clone()
        return func(*args, **kwargs or {})
