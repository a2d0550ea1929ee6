"""Whole Jacobians and Hessians: a row for each element of the outputs, or a column for each of the inputs."""

from collections.abc import Callable
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
from rushlight.core.forward import LINK, enter_level, exit_level, tangent_of, with_tangent, without
from rushlight.core.graph import new_tensor
from rushlight.ops.joining import stack
from rushlight.tensor import Tensor

STRATEGIES = ("forward-mode", "reverse-mode")


def jacobian(
    func: Callable,
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian of a function: for each output and each input a tensor of the output's shape, then the input's.

    A single output or input stands for itself, several are tuples: `jacobian[i][j]` is that of output i by input j.
    "reverse-mode" makes a backward pass for each element of the outputs, or with `vectorize` one batched pass for
    all; "forward-mode" a forward pass for each element of the inputs: cheaper where there are fewer of these. With
    `create_graph` the result can be differentiated; with `strict` an independent input raises RuntimeError.

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
        return forward_jacobian(func, inputs, create_graph, strict)
    with enable_grad():
        is_inputs_tuple, given = as_tuple(inputs, "inputs", "jacobian")
        variables = as_variables(given, create_graph)
        is_outputs_tuple, outputs = as_tuple(func(*variables), "outputs of the user-provided function", "jacobian")
        check_recorded(outputs, "outputs", strict)
        if vectorize:
            refuse_strict(strict)
            rows = [rows_at_once(out, variables, create_graph) for out in outputs]
        else:
            rows = [rows_one_by_one(out, variables, create_graph, strict) for out in outputs]
        matrices = without_history(tuple(rows), create_graph)
    return untupled(tuple(untupled(row, is_inputs_tuple) for row in matrices), is_outputs_tuple)


def refuse_strict(strict):
    """Raises for `strict` beside `vectorize`, as PyTorch does."""
    if strict:
        raise RuntimeError(
            "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. "
            "Please either set `strict=False` or `vectorize=False`."
        )


def rows_at_once(output: Tensor, variables, create_graph: bool) -> tuple[Tensor, ...]:
    """The Jacobians of one output by each input, from one batched pass."""
    n = output.numel()
    basis = new_tensor(np.eye(n, dtype=output._array.dtype))
    grads = gradients(
        (output.reshape(-1),), variables, (basis,), retain_graph=True, create_graph=create_graph, is_grads_batched=True
    )
    return tuple(
        zeros(x).expand((*output.shape, *x.shape)) if g is None else g.reshape((*output.shape, *x.shape))
        for g, x in zip(grads, variables, strict=True)
    )


def rows_one_by_one(output: Tensor, variables, create_graph: bool, strict: bool) -> tuple[Tensor, ...]:
    """The Jacobians of one output by each input, a pass for each element of the output."""
    rows: list[list[Tensor]] = [[] for _ in variables]
    for element in output.reshape(-1).unbind(0):
        grads = gradients((element,), variables, retain_graph=True, create_graph=create_graph)
        for i, (g, x) in enumerate(zip(grads, variables, strict=True)):
            check_dependence(g, i, strict, create_graph)
            rows[i].append(zeros(x) if g is None else g)
    return tuple(
        stack(row).reshape((*output.shape, *x.shape)) if row else zeros(x).new_zeros((*output.shape, *x.shape))
        for row, x in zip(rows, variables, strict=True)
    )


def check_dependence(g, i, strict, create_graph):
    """In strict mode, raises for an input that an output does not depend on."""
    if strict and g is None:
        raise RuntimeError(
            f"Output 0 of the user-provided function is independent of input {i}. This is not allowed in strict mode."
        )
    if strict and create_graph and not g.requires_grad:
        raise RuntimeError(
            f"The jacobian of the user-provided function is independent of input {i}. This is not allowed in strict "
            "mode when create_graph=True."
        )


def forward_jacobian(func, inputs, create_graph, strict):
    """The Jacobian from a forward pass for each element of the inputs."""
    for option, value in (("create_graph", create_graph), ("strict", strict)):
        if value:
            raise (NotImplementedError if option == "create_graph" else RuntimeError)(
                f'torch.autograd.functional.jacobian: `{option}=True` and `strategy="forward-mode"` are not supported '
                f'together (yet). Please either set `{option}=False` or `strategy="reverse-mode"`.'
            )
    is_inputs_tuple, given = as_tuple(inputs, "inputs", "jacobian")
    columns: list = [[] for _ in given]
    for j, x in enumerate(given):
        for k in range(x.numel()):
            is_outputs_tuple, tangents = push_basis_vector(func, given, j, k)
            columns[j].append(tangents)
    matrices = tuple(
        tuple(
            stack([column[i] for column in columns[j]], -1).reshape((*columns[j][0][i].shape, *x.shape))
            for j, x in enumerate(given)
        )
        for i in range(len(columns[0][0]))
    )
    return untupled(tuple(untupled(row, is_inputs_tuple) for row in matrices), is_outputs_tuple)


def push_basis_vector(func, inputs, j, k):
    """The tangents of the outputs for a unit tangent of element k of input j."""
    unit = np.zeros_like(inputs[j]._array)
    unit.flat[k] = 1
    level = enter_level()
    try:
        duals = list(inputs)
        duals[j] = with_tangent(LINK(inputs[j]), new_tensor(unit), level)
        is_tuple, outputs = as_tuple(func(*duals), "outputs of the user-provided function", "jacobian")
        tangents = [tangent_of(out, level) for out in outputs]
        return is_tuple, [zeros(without(o, level)) if t is None else t for o, t in zip(outputs, tangents, strict=True)]
    finally:
        exit_level(level)


def hessian(
    func: Callable,
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

    def scalar(*values):
        outputs = func(*values)
        is_outputs_tuple, listed = as_tuple(outputs, "outputs of the user-provided function", "hessian")
        check_recorded(listed, "outputs", strict)
        if is_outputs_tuple:
            raise RuntimeError("The function given to hessian should return a single Tensor")
        if outputs.nelement() != 1:
            raise RuntimeError("The Tensor returned by the function given to hessian should contain a single element")
        return outputs.squeeze()

    def gradient(*values):
        if outer_jacobian_strategy == "forward-mode":
            values = tuple(x.requires_grad_() for x in values)
        result = jacobian(scalar, values, create_graph=True)
        check_recorded(result, "jacobian", strict)
        return result

    rows = jacobian(gradient, given, create_graph, strict, vectorize, outer_jacobian_strategy)
    return untupled(tuple(untupled(row, is_tuple) for row in rows), is_tuple)
