"""Full Jacobians and Hessians: computed by a backward pass per output element, or a forward pass per input element."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.autograd.functional.arguments import (
    Tensors,
    as_tuple,
    as_variables,
    check_recorded,
    gradients,
    untupled,
    without_history,
    zeros,
)
from rushlight.autograd.grad_mode import enable_grad
from rushlight.core.above import ABOVE
from rushlight.core.advice import advised
from rushlight.core.forward import Tangents, tangent_of, with_tangent, without
from rushlight.core.graph import Node, TensorBase, new_tensor
from rushlight.core.interpreters import Within
from rushlight.core.link import LINK
from rushlight.ops.shapes.joining import cat, stack
from rushlight.progress import progress
from rushlight.tensors import Tensor

STRATEGIES = ("forward-mode", "reverse-mode")


def jacobian(
    func: Callable[..., Any],
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian of a function: for each output and input, a tensor of the output's shape followed by the input's.

    With several outputs or inputs the result is a tuple: `jacobian[i][j]` is that of output i by input j.
    "reverse-mode" needs a backward pass for each element of the outputs; several are computed in one pass where the
    graph has only built-in operations and memory allows, and all in one pass with `vectorize`. "forward-mode" needs a
    forward pass for each element of the inputs, or with `vectorize` one under `vmap`: faster if there are fewer inputs
    than outputs. With `create_graph` the result can be differentiated; with `strict` an input that the outputs do not
    depend on raises RuntimeError.

    >>> import rushlight as torch
    >>> torch.autograd.functional.jacobian(lambda x: x * x, torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if strategy not in STRATEGIES:
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs '
            'than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode":
        return forward_jacobian(func, inputs, create_graph, strict, vectorize)
    with enable_grad():
        is_inputs_tuple, given = as_tuple(inputs, "inputs", "jacobian")
        variables = as_variables(given, create_graph)
        is_outputs_tuple, outputs = as_tuple(func(*variables), "outputs of the user-provided function", "jacobian")
        check_recorded(outputs, "outputs", strict)
        if vectorize and strict:
            raise RuntimeError(
                "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. "
                "Please either set `strict=False` or `vectorize=False`."
            )
        rows = []
        for i, output in enumerate(outputs):
            at_once = output.numel() if vectorize else rows_at_once(output)
            grads = rows_of(output, variables, at_once, create_graph)
            check_dependence(grads, i, strict, create_graph)
            rows.append(shaped(grads, output, variables))
        matrices = without_history(tuple(rows), create_graph)
    return untupled(tuple(untupled(row, is_inputs_tuple) for row in matrices), is_outputs_tuple)


ELEMENTS = 1 << 22  # the largest array for which several rows are computed in one pass


def rows_at_once(output: Tensor) -> int:
    """How many rows of a Jacobian to compute in one pass: one if the graph has hooks or custom functions.

    A batch of cotangents multiplies the size of all arrays in the pass.
    """
    largest, stack = output.numel(), [output._node]
    seen: set[Node] = set()
    while stack:
        node = stack.pop()
        if not isinstance(node, Node) or node in seen:
            continue
        seen.add(node)
        if node.op is None or node.hooks is not None:
            return 1
        for value in node.saved or (node.saved0, node.saved1):
            array = value._array if isinstance(value, TensorBase) else value
            if isinstance(array, np.ndarray) and array.size > largest:
                largest = array.size
        stack += [node.edge_at(i)[0] for i in range(node.arity)]
    return max(1, ELEMENTS // max(largest, 1))


def rows_of(output: Tensor, variables: Sequence[Tensor], at_once: int, create_graph: bool) -> list[Tensor | None]:
    """The gradients of all elements of an output by each input, stacked in front, some rows per backward pass."""
    size, shape = output.numel(), output.shape
    parts = []
    for start in progress(range(0, size, max(at_once, 1)), "backward passes"):
        block = np.eye(min(at_once, size - start), size, start, dtype=output._array.dtype)
        is_batch = len(block) > 1
        cotangents = new_tensor(block.reshape((len(block), *shape) if is_batch else shape))
        grads = gradients(
            (output,), variables, (cotangents,), retain_graph=True, create_graph=create_graph, is_grads_batched=is_batch
        )
        parts.append(grads if is_batch else [None if g is None else g.unsqueeze(0) for g in grads])
    if not parts:
        return [None] * len(variables)
    return [column[0] if len(column) == 1 or column[0] is None else cat(column) for column in zip(*parts, strict=True)]


def shaped(grads: Sequence[Tensor | None], output: Tensor, variables: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Stacked gradients reshaped to the output's shape followed by the input's; zeros for missing ones."""
    found = []
    for g, x in zip(grads, variables, strict=True):
        shape = (*output._array.shape, *x._array.shape)
        if g is None:
            found.append(zeros(x).new_zeros(shape))
        else:
            found.append(g if g._array.shape == shape else g.reshape(shape))
    return tuple(found)


def check_dependence(grads: Sequence[Tensor | None], output: int, strict: bool, create_graph: bool) -> None:
    """In strict mode, raises RuntimeError for an input that an output does not depend on."""
    for i, g in enumerate(grads if strict else ()):
        if g is None:
            raise RuntimeError(
                f"Output {output} of the user-provided function is independent of input {i}. This is not allowed in "
                "strict mode."
            )
        if create_graph and not g.requires_grad:
            raise RuntimeError(
                f"The jacobian of the user-provided function is independent of input {i}. This is not allowed in "
                "strict mode when create_graph=True."
            )


def forward_jacobian(func: Any, inputs: Any, create_graph: bool, strict: bool, vectorize: bool) -> Any:
    """The Jacobian by forward passes: one for each element of the inputs, or with `vectorize` one for each input."""
    for option, value, error in (("create_graph", create_graph, NotImplementedError), ("strict", strict, RuntimeError)):
        if value:
            raise error(
                f'torch.autograd.functional.jacobian: `{option}=True` and `strategy="forward-mode"` are not supported '
                f'together (yet). Please either set `{option}=False` or `strategy="reverse-mode"`.'
            )
    is_inputs_tuple, given = as_tuple(inputs, "inputs", "jacobian")
    outputs_are_tuple = []

    def push(tangent: Tensor, j: int) -> Any:
        is_tuple, tangents = push_forward(func, given, j, tangent)
        outputs_are_tuple.append(is_tuple)
        return tangents

    columns = []
    for j, x in enumerate(given):
        basis = new_tensor(np.eye(x.numel(), dtype=x._array.dtype).reshape(x.numel(), *x.shape))
        if vectorize:
            stacked = ABOVE.vmap(push, (0, None), -1)(basis, j)
        else:
            passes = [push(row, j) for row in progress(basis, "forward passes")]
            stacked = [stack(parts, -1) for parts in zip(*passes, strict=True)]
        columns.append([part.reshape((*part.shape[:-1], *x.shape)) for part in stacked])
    matrices = tuple(untupled(row, is_inputs_tuple) for row in zip(*columns, strict=True))
    return untupled(matrices, outputs_are_tuple[0])


def push_forward(
    func: Callable[..., Any], inputs: Sequence[Tensor], j: int, tangent: Tensor
) -> tuple[bool, tuple[Tensor, ...]]:
    """Whether the outputs are a tuple, and their tangents for one of input `j`."""
    with Within(Tangents) as level:
        duals = list(inputs)
        duals[j] = with_tangent(LINK(inputs[j]), tangent, level)
        is_tuple, outputs = as_tuple(func(*duals), "outputs of the user-provided function", "jacobian")
        tangents = [tangent_of(out, level) for out in outputs]
        return is_tuple, tuple(
            zeros(without(o, level)) if t is None else without(t, level) for o, t in zip(outputs, tangents, strict=True)
        )


def hessian(
    func: Callable[..., Any],
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The Hessian of a scalar function: `hessian[i][j]` holds the second derivatives by inputs i and j.

    It is the Jacobian of the gradient, by the strategy that is given; parameters as those of `jacobian`.

    >>> import rushlight as torch
    >>> torch.autograd.functional.hessian(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    if outer_jacobian_strategy not in STRATEGIES:
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')
    is_tuple, given = as_tuple(inputs, "inputs", "hessian")

    def scalar(*values: Any) -> Tensor:
        outputs = func(*values)
        is_outputs_tuple, listed = as_tuple(outputs, "outputs of the user-provided function", "hessian")
        check_recorded(listed, "outputs", strict)
        if is_outputs_tuple:
            raise RuntimeError("The function given to hessian should return a single Tensor")
        if outputs.nelement() != 1:
            raise RuntimeError(
                advised("The Tensor returned by the function given to hessian should contain a single element")
            )
        return outputs.squeeze()

    def gradient(*values: Any) -> Any:
        if outer_jacobian_strategy == "forward-mode":
            values = tuple(x.requires_grad_() for x in values)
        result = jacobian(scalar, values, create_graph=True)
        check_recorded(result, "jacobian", strict)
        return result

    rows = jacobian(gradient, given, create_graph, strict, vectorize, outer_jacobian_strategy)
    return untupled(tuple(untupled(row, is_tuple) for row in rows), is_tuple)
