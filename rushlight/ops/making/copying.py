"""Copies: `clone`, `contiguous`, and variants of view operations that return copies."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.core.above import above
from rushlight.core.aliases import Array
from rushlight.core.batching import by, leading
from rushlight.core.graph import TensorBase
from rushlight.core.placing import strides_among
from rushlight.dtypes import dtype
from rushlight.kernels.parts import assign, duplicate
from rushlight.layouts import contiguous_format, empty_array, has_format, laid_over, memory_format, preserve_format
from rushlight.ops.arguments.dims import size_of
from rushlight.ops.elementwise.complexes import view_as_complex, view_as_real
from rushlight.ops.out import write_out
from rushlight.ops.shapes.broadcasting import expand
from rushlight.ops.shapes.dimensions import _alias, permute, t, transpose
from rushlight.ops.shapes.shape import reshape, squeeze, unsqueeze, view
from rushlight.ops.shapes.slicing import as_strided, diagonal, narrow, select, slice_of, unbind, unfold
from rushlight.ops.shapes.splitting import split, split_with_sizes
from rushlight.ops.table import method, operator, with_public_name
from rushlight.tensors import Tensor

__all__ = [
    "alias_copy",
    "as_strided_copy",
    "clone",
    "detach",
    "detach_copy",
    "diagonal_copy",
    "expand_copy",
    "narrow_copy",
    "permute_copy",
    "select_copy",
    "slice_copy",
    "split_copy",
    "split_with_sizes_copy",
    "squeeze_copy",
    "t_copy",
    "transpose_copy",
    "unbind_copy",
    "unfold_copy",
    "unsqueeze_copy",
    "view_as_complex_copy",
    "view_as_real_copy",
    "view_copy",
]


def detach(input: Tensor) -> Tensor:
    """A tensor that shares the memory but is not part of the graph: `Tensor.detach` as a function.

    >>> import rushlight as torch
    >>> torch.detach(torch.ones(2, requires_grad=True))
    tensor([1., 1.])
    """
    return input.detach()


@above
def sorted_alike(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """An uninitialized array without gaps, with an array's shape and its order of dimensions in memory."""
    made, shape = np.empty(array.shape, dtype), array.shape
    steps = strides_among(shape, (shape, tuple([abs(step) // array.itemsize for step in array.strides])))
    return made if steps is None else laid_over(made, shape, tuple([step * made.itemsize for step in steps]))


@operator(
    linear=True,
    layout="as computed",
    input=lambda grad: grad,
    holomorphic=False,
    batch=by(lambda n, input, format: _clone.forward(input, preserve_format)),
)
def _clone(input: Array, format: memory_format | None) -> Array:
    out = empty_array(input, input.dtype, format)
    assign(out, input)
    return out


@method
def clone(input: Tensor, *, memory_format: memory_format | None = preserve_format) -> Tensor:
    """A differentiable copy: gradients flow back to `input`. By default it keeps the strides' order.

    >>> import rushlight as torch
    >>> x = torch.tensor([1.0], requires_grad=True)
    >>> torch.clone(x)
    tensor([1.], grad_fn=<CloneBackward0>)
    """
    input._settled()
    return _clone(input, memory_format)


def contiguous(input: Tensor, memory_format: memory_format = contiguous_format) -> Tensor:
    """The tensor itself if its elements lie in memory in order (or in that of `memory_format`), else a copy.

    >>> import rushlight as torch
    >>> torch.zeros(2, 3).T.contiguous().stride()
    (2, 1)
    """
    return input if has_format(input._settled(), memory_format) else _clone(input, memory_format)


method(contiguous)


def enter_copying_variant(name: str, node: str, look: Callable[..., Any], doc: str) -> Callable[..., Any]:
    """Registers the variant of a view operation that returns copies, with PyTorch's name for its node."""
    enter_copy = operator(linear=True, name=name, node=node, batch=leading, input=lambda grad: grad, holomorphic=False)
    copy = enter_copy(lambda input: duplicate(input))

    def function(input: Tensor, *args: Any, out: Tensor | None = None, **kwargs: Any) -> Any:
        seen = look(input, *args, **kwargs)
        several = not isinstance(seen, TensorBase)
        result = tuple([copy(part) for part in seen]) if several else copy(seen)
        if out is None:
            return result
        written = write_out(name, out, result, input)
        return None if several else written  # as PyTorch does

    vars(function)["passes_to"] = look
    function.__annotations__["return"] = getattr(look, "__annotations__", {}).get("return", Tensor)
    return with_public_name(function, name, doc)


def enter(look: Any, name: str, arguments: str, result: str, node: str = "") -> Callable[..., Any]:
    """Registers the copying variant of the view operation `name`; `arguments` and `result` make its example."""
    title = "".join(part.capitalize() for part in name.split("_"))
    doc = f"""`{name}`, whose results are copies and not views.

    >>> import rushlight as torch
    >>> torch.{name}_copy({arguments})
    {result}
    """
    return enter_copying_variant(f"{name}_copy", node or f"{title}Backward0_copy", look, doc)


def narrow_of(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """`narrow`, with the error message of `narrow_copy` for a negative length."""
    if length < 0 and input._array.shape:
        size = size_of(input._array.shape, dim)
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return narrow(input, dim, start, length)


alias_copy: Callable[..., Any] = enter(lambda input: _alias(input), "alias", "torch.tensor([1, 2])", "tensor([1, 2])")
as_strided_copy: Callable[..., Any] = enter(as_strided, "as_strided", "torch.arange(4), (2,), (2,)", "tensor([0, 2])")
detach_copy: Callable[..., Any] = enter(
    lambda input: input.detach(), "detach", "torch.tensor([1.0, 2.0])", "tensor([1., 2.])"
)
diagonal_copy: Callable[..., Any] = enter(diagonal, "diagonal", "torch.tensor([[1, 2], [3, 4]])", "tensor([1, 4])")
expand_copy: Callable[..., Any] = enter(
    lambda input, size, *, implicit=False: expand(input, size), "expand", "torch.tensor([7]), (3,)", "tensor([7, 7, 7])"
)
narrow_copy: Callable[..., Any] = method(
    enter(narrow_of, "narrow", "torch.arange(5), 0, 1, 3", "tensor([1, 2, 3])", "NarrowCopyBackward0")
)
permute_copy: Callable[..., Any] = enter(permute, "permute", "torch.tensor([[1], [2]]), (1, 0)", "tensor([[1, 2]])")
select_copy: Callable[..., Any] = enter(select, "select", "torch.tensor([[1, 2], [3, 4]]), 0, 1", "tensor([3, 4])")
slice_copy: Callable[..., Any] = enter(slice_of, "slice", "torch.arange(5), 0, 1, 3", "tensor([1, 2])")
split_copy: Callable[..., Any] = enter(split, "split", "torch.arange(4), 2", "(tensor([0, 1]), tensor([2, 3]))")
split_with_sizes_copy: Callable[..., Any] = enter(
    split_with_sizes, "split_with_sizes", "torch.arange(4), [1, 3]", "(tensor([0]), tensor([1, 2, 3]))"
)
squeeze_copy: Callable[..., Any] = enter(squeeze, "squeeze", "torch.tensor([[1, 2]])", "tensor([1, 2])")
t_copy: Callable[..., Any] = enter(t, "t", "torch.tensor([[1], [2]])", "tensor([[1, 2]])")
transpose_copy: Callable[..., Any] = enter(transpose, "transpose", "torch.tensor([[1], [2]]), 0, 1", "tensor([[1, 2]])")
unbind_copy: Callable[..., Any] = enter(
    unbind, "unbind", "torch.tensor([[1, 2], [3, 4]])", "(tensor([1, 2]), tensor([3, 4]))"
)
unfold_copy: Callable[..., Any] = enter(unfold, "unfold", "torch.arange(2), 0, 2, 1", "tensor([[0, 1]])")
unsqueeze_copy: Callable[..., Any] = enter(unsqueeze, "unsqueeze", "torch.tensor([1, 2]), 0", "tensor([[1, 2]])")
view_as_complex_copy: Callable[..., Any] = enter(
    view_as_complex, "view_as_complex", "torch.tensor([[1.0, 2.0]])", "tensor([1.+2.j])"
)
view_as_real_copy: Callable[..., Any] = enter(
    view_as_real, "view_as_real", "torch.tensor([1 + 2j])", "tensor([[1., 2.]])"
)
view_copy: Callable[..., Any] = enter(
    lambda input, size: view(input, size) if isinstance(size, dtype) else reshape(input, size),
    "view",
    "torch.arange(2), (1, 2)",
    "tensor([[0, 1]])",
)
