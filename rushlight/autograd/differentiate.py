"""`backward`, which accumulates into `.grad`, and `grad`, which returns gradients and changes nothing."""

import warnings
from collections.abc import Sequence

import numpy as np

from rushlight.core.engine import Backward
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.modes import CURRENT
from rushlight.core.operators import levels
from rushlight.tensor import Tensor

__all__ = ["backward", "grad"]

Tensors = Tensor | Sequence[Tensor]


def backward(
    tensors: Tensors,
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Tensor | Sequence[Tensor | None] | None = None,
    inputs: Tensors | None = None,
) -> None:
    """Computes the gradients of `tensors` with respect to the leaves of their graph, and adds them to `.grad`.

    Where a tensor is not a scalar, `grad_tensors` gives the cotangent v of the vector-Jacobian product v·J: a tensor
    of its shape that weighs its elements. `retain_graph` keeps what the graph saved for another pass;
    `create_graph` records this pass too, so that its results can be differentiated. With `inputs` only their
    gradients are computed. `grad_variables` is the old name of `grad_tensors`.

    Gradients add up over calls: reset them with `optimizer.zero_grad()` or `x.grad = None`.

    Raises RuntimeError where a tensor does not require grad, where a gradient is missing or has another shape, where
    what the graph saved is freed already or was changed in place.

    >>> import rushlight as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> torch.autograd.backward(x * x, torch.tensor([1.0, 10.0]))
    >>> x.grad
    tensor([ 2., 40.])
    """
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. "
                "Please only use `grad_tensors`."
            )
        grad_tensors = grad_variables
    if inputs is not None and not isinstance(inputs, Tensor) and len(inputs) == 0:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    outputs = listed(tensors)
    on_tensors = create_graph or levels() > 0  # tangents travel with tensors only
    roots = make_roots(outputs, listed_grads(grad_tensors, len(outputs)), on_tensors)
    run = Backward(create_graph if retain_graph is None else retain_graph, on_tensors)
    if inputs is None:
        in_grad_mode(create_graph, run.run, roots, None)
        return
    wanted = listed(inputs)
    check_require_grad(wanted)
    grads = in_grad_mode(create_graph, run.run, roots, [place(x) for x in wanted])
    for x, g in zip(wanted, grads, strict=True):
        if g is not None:
            add_to_grad(x, g, create_graph)


def grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor, ...]:
    """The sum of gradients of `outputs` with respect to each of `inputs`, returned; no `.grad` is touched.

    `grad_outputs` are the cotangents, one a tensor of its output's shape; a scalar output needs none. With
    `is_grads_batched` they have a leading dimension, and so have the results: one vector-Jacobian product for each
    entry. `create_graph` records the pass, for derivatives of any order. An input that the outputs do not depend on
    raises RuntimeError, or gives None with `allow_unused`, or zeros with `materialize_grads`.

    >>> import rushlight as torch
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> (dy,) = torch.autograd.grad(x**3, x, create_graph=True)
    >>> torch.autograd.grad(dy, x)
    (tensor(12.),)
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
            "other parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    outs, ins = listed(outputs), listed(inputs)
    grads = listed_grads(grad_outputs, len(outs))
    check_require_grad(ins)
    keep = create_graph if retain_graph is None else retain_graph
    if is_grads_batched:
        results = batched_grads(outs, ins, grads, keep, create_graph)
    else:
        results = run_grad(outs, ins, grads, keep, create_graph)
    if materialize_grads:
        results = [new_tensor(np.zeros_like(x._array)) if g is None else g for x, g in zip(ins, results, strict=True)]
    elif not allow_unused and any(g is None for g in results):
        unused = next(i for i, g in enumerate(results) if g is None)
        raise RuntimeError(
            f"The differentiated Tensor at index {unused} appears to not have been used in the graph. "
            "Set allow_unused=True if this is the desired behavior."
        )
    return tuple(results)


def run_grad(outputs, inputs, grads, keep_graph, create_graph):
    """One backward pass that captures the gradients of `inputs`."""
    on_tensors = create_graph or levels() > 0  # tangents travel with tensors only
    roots = make_roots(outputs, grads, on_tensors)
    run = Backward(keep_graph, on_tensors)
    results = in_grad_mode(create_graph, run.run, roots, [place(x) for x in inputs])
    return [g if g is None or isinstance(g, TensorBase) else new_tensor(np.asarray(g)) for g in results]


def batched_grads(outputs, inputs, grads, keep_graph, create_graph):
    """A pass for each entry of the leading dimension of `grads`, the results stacked."""
    from rushlight.ops.joining import stack

    size = next(g.shape[0] for g in grads if g is not None)
    passes = [
        run_grad(outputs, inputs, [None if g is None else g[i] for g in grads], keep_graph or i < size - 1, create_graph)
        for i in range(size)
    ]
    return [None if column[0] is None else stack(column) for column in zip(*passes, strict=True)]


def in_grad_mode(enabled, function, *args):
    """Calls a function with grad mode set."""
    modes = CURRENT.get()
    if modes.grad is enabled:
        return function(*args)
    CURRENT.set(modes.replace(grad=enabled))
    try:
        return function(*args)
    finally:
        CURRENT.set(modes)


def listed(tensors):
    """A tensor or a sequence of them as a list."""
    return [tensors] if isinstance(tensors, TensorBase) else list(tensors)


def listed_grads(grads, n):
    """The gradients of `n` tensors as a list, None where the user gave none."""
    if grads is None:
        return [None] * n
    grads = listed(grads)
    if len(grads) != n:
        raise RuntimeError(f"got {n} tensors and {len(grads)} gradients")
    return grads


def check_require_grad(inputs):
    """Raises where an input is not recorded at all."""
    for x in inputs:
        if not x.requires_grad:
            raise RuntimeError(
                "One of the differentiated Tensors does not require grad. Call x.requires_grad_() before it is used."
            )


def place(tensor):
    """Where a tensor's gradient arrives: a vertex, and the number of its output."""
    node = tensor.grad_fn
    return (tensor, 0) if node is None else (node, tensor._index)


def make_roots(outputs, grads, on_tensors):
    """Where the pass starts: for each output its place in the graph and its gradient."""
    roots = []
    for i, (out, g) in enumerate(zip(outputs, grads, strict=True)):
        if not out.requires_grad:
            raise RuntimeError(
                f"element {i} of tensors does not require grad and does not have a grad_fn. It was made from tensors "
                "that do not require grad, or inside no_grad, or was detached."
            )
        value = implicit_grad(out) if g is None else checked_grad(out, g, i)
        roots.append((*place(out), value if on_tensors else value._array))
    return roots


def implicit_grad(output):
    """The gradient 1 of a scalar output."""
    array = output._array
    if array.size != 1:
        raise RuntimeError(
            "grad can be implicitly created only for scalar outputs. Reduce the output to a scalar first "
            f"(.sum() or .mean()), or give a gradient of its shape {tuple(array.shape)}: the weights of its elements."
        )
    if array.dtype.kind == "c":
        raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {output.dtype}")
    return new_tensor(np.ones_like(array))


def checked_grad(output, g, i):
    """A given gradient, after a look at its shape and type."""
    if not isinstance(g, TensorBase):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
    if g._array.shape != output._array.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{i}] has a shape of {g.shape} and output[{i}] has a shape of "
            f"{output.shape}."
        )
    if (g._array.dtype.kind == "c") != (output._array.dtype.kind == "c"):
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
            f"grad_output[{i}] has a dtype of {g.dtype} and output[{i}] has a dtype of {output.dtype}."
        )
    return g if g._array.dtype == output._array.dtype else g.to(output.dtype)


def add_to_grad(tensor, g, create_graph):
    """Accumulates a gradient that `backward(inputs=...)` computed."""
    value = g if isinstance(g, TensorBase) else new_tensor(np.array(g))
    tensor._grad = value if tensor._grad is None else in_grad_mode(create_graph, lambda: tensor._grad + value)
