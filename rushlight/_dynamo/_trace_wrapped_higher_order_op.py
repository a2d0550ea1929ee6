"""A context of PyTorch's in which indexing with 0-dimensional tensors picks elements, as programs import it."""

from typing import Any

from rushlight.ops.aten_namespace import aten
from rushlight.overrides.modes import TorchFunctionMode
from rushlight.tensors import Tensor
from rushlight.utils.pytree import tree_leaves

__all__ = ["TransformGetItemToIndex"]


class TransformGetItemToIndex(TorchFunctionMode):
    """A context in which `x[i, j]` with tensors always copies elements, also where it would be a view.

    >>> import rushlight as torch
    >>> x, i = torch.arange(3.0), torch.tensor(1)
    >>> from rushlight._dynamo._trace_wrapped_higher_order_op import TransformGetItemToIndex
    >>> with TransformGetItemToIndex():
    ...     x[i]._is_view()
    False
    """

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """A copy for indexing with tensors; other calls are unchanged."""
        if func is Tensor.__getitem__:
            indices = tree_leaves(args[1])
            if all(isinstance(index, Tensor) for index in indices):
                return aten.index(args[0], indices).clone()
        return func(*args, **kwargs or {})
