"""The two ends of a backward pass: from users' tensors to where it begins and ends, and from arrays to gradients."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rushlight.autograd.graph import GradientEdge
from rushlight.core.advice import advised
from rushlight.core.arrays import is_foreign
from rushlight.core.batched import Batched
from rushlight.core.errors import about
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.interpreters import STACK, levels, taker
from rushlight.core.meta import without_data
from rushlight.core.placing import as_tensor
from rushlight.core.recording import same_shape
from rushlight.core.turned import plain
from rushlight.dtypes import FROM_NUMPY
from rushlight.size import Size
from rushlight.tensors import AccumulateGrad, Tensor

ndarray = np.ndarray


def list_of_targets(tensors: Any, asked_by: Any = None) -> Any:
    """A tensor, an edge, or several as a list; for the function `asked_by`, inputs may be a dictionary too."""
    if isinstance(tensors, (TensorBase, GradientEdge)):
        return [tensors]
    if asked_by and type(tensors) is not list and isinstance(tensors, Mapping):
        if type(tensors) is not dict:
            raise TypeError(
                f"`inputs` argument to `{asked_by}()` must be a dict, not {type(tensors).__name__}. Other Mapping "
                "types are not supported."
            )
        tensors = tensors.values()
    found = list(tensors)
    if asked_by and not found:
        raise RuntimeError(f"`inputs` argument to `{asked_by}()` cannot be empty.")
    return found


def listed_grads(grads: Any, n: Any) -> Any:
    """The gradients of `n` tensors as a list, None where the user gave none."""
    if grads is None:
        return [None] * n
    grads = list_of_targets(grads)
    if len(grads) != n:
        raise RuntimeError(f"got {n} tensors and {len(grads)} gradients")
    return grads


def check_require_grad(inputs: Sequence[Tensor]) -> None:
    """Raises RuntimeError for an input that does not require grad."""
    for x in inputs:
        if isinstance(x, TensorBase) and not x.requires_grad:
            error = RuntimeError(
                "One of the differentiated Tensors does not require grad. Call x.requires_grad_() before it is used."
            )
            raise about(error, plain=x)


def target_of(x: Any) -> Any:
    """The vertex at which the gradient of a tensor or edge arrives, and the number of the output there."""
    x = stored(x)
    if isinstance(x, TensorBase):
        tensor = x
        node, index = tensor.grad_fn, tensor._index
    else:
        node, index = x[:2]
    if node is None:
        return x, 0
    return (node.variable, 0) if isinstance(node, AccumulateGrad) else (node, index)


def stored(x: Any) -> Any:
    """The values of a sparse tensor, which stand for it in the graph; another tensor, or an edge, as it is."""
    if isinstance(x, TensorBase):
        tensor = x
        if tensor._array is None:
            return tensor._stored
    return x


def make_roots(outputs: Sequence[Tensor], grads: Sequence[Tensor | None], on_tensors: bool) -> Any:
    """The roots of the pass: for each output its vertex, its number there, and its gradient."""
    roots = []
    for i, (out, g) in enumerate(zip(outputs, grads, strict=True)):
        check_recorded(i, out)
        values = stored(out)
        if g is not None and values is not out:
            g = g.sparse_mask(out)._stored
        value = implicit_grad(values) if g is None else checked_grad(values, g, i)
        vertex, number = target_of(values)
        roots.append((vertex, number, value if on_tensors or value._array is None else plain(value._array)))
    return roots


def check_recorded(i: Any, out: Any) -> None:
    """Raises RuntimeError if the i-th output does not require grad."""
    if not isinstance(out, TensorBase):
        return
    tensor = out
    if tensor.grad_fn is None and not tensor._needs:
        error = RuntimeError(
            f"element {i} of tensors does not require grad and does not have a grad_fn. It was made from tensors that "
            "do not require grad, or inside no_grad, or was detached."
        )
        raise about(error, unrecorded=out)


def shape_and_dtype(output: Any) -> tuple[Any, ...]:
    """The shape and dtype of a tensor, or of the tensor that an edge was made from.

    None if the edge does not know them.
    """
    if isinstance(output, TensorBase):
        values = stored(output)._array
        return output.shape if values is not output._array else values.shape, values.dtype
    return output.ownership_token or (None, None)


def implicit_grad(output: Any) -> Any:
    """The gradient 1 of a scalar output."""
    shape, dtype = shape_and_dtype(output)
    if shape is None or (shape and math.prod(shape) != 1):
        error = RuntimeError(
            "grad can be implicitly created only for scalar outputs. Reduce the output to a scalar first "
            f"(.sum() or .mean()), or give a gradient of its shape {shape or ''}: the weights of its elements."
        )
        raise about(error, several=output)
    if dtype.kind == "c":
        raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {FROM_NUMPY[dtype]}")
    if isinstance(output, TensorBase) and type(output._array) is not np.ndarray:
        if is_foreign(output._array):
            return new_tensor(np.ones_like(output._array))
        if output.is_meta:
            return new_tensor(without_data(shape, dtype))
    return new_tensor(np.array(1, dtype, ndmin=len(shape)))


def is_alike(output: Any, g: Any) -> bool:
    """Whether two tensors have ordinary arrays of one shape and dtype."""
    if not (isinstance(output, TensorBase) and isinstance(g, TensorBase)):
        return False
    first, second = output, g
    if type(first._array) is not ndarray or type(second._array) is not ndarray:
        return False
    a, b = first._array, second._array
    return a.dtype is b.dtype and same_shape(a, b)


def checked_grad(output: Any, g: Any, i: Any) -> Any:
    """A gradient given by the user, after a check of its shape and dtype."""
    if is_alike(output, g):
        return g
    if not isinstance(g, TensorBase):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
    shape, dtype = shape_and_dtype(output)
    if shape is None:
        return g
    given_shape, given_dtype = shape_and_dtype(g)
    if given_shape != shape:
        raise RuntimeError(
            advised(
                f"Mismatch in shape: grad_output[{i}] has a shape of {g.shape} and output[{i}] has a shape of "
                f"{Size(shape)}."
            )
        )
    if (given_dtype.kind == "c") != (dtype.kind == "c"):
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
            f"grad_output[{i}] has a dtype of {g.dtype} and output[{i}] has a dtype of {FROM_NUMPY[dtype]}."
        )
    return g if given_dtype == dtype else g.to(FROM_NUMPY[dtype])


def needs_tensors(create_graph: bool, outputs: Sequence[Tensor], grads: Sequence[Tensor | None]) -> bool:
    """Whether a pass must run on tensors: to be recorded, to propagate tangents, or to compute batches."""
    if create_graph or (STACK.depth and (levels() or taker() is not None)):
        return True
    for x in (*outputs, *grads):
        if isinstance(x, TensorBase) and type(x._array) is Batched:
            return True
    return False


def gradient_of(x: Any, g: Any) -> Any:
    """What the engine gives for an input, or an edge, as a tensor for users; that of a sparse tensor is sparse."""
    found = as_tensor(g, x._settled() if isinstance(x, TensorBase) else None)
    return found if found is None or stored(x) is x else x._like(found)
