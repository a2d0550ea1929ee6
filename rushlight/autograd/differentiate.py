"""`backward`, which accumulates into `.grad`, and `grad`, which returns gradients and changes nothing."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.autograd.graph import GradientEdge
from rushlight.autograd.roots import (
    check_recorded,
    check_require_grad,
    gradient_of,
    list_of_targets,
    listed_grads,
    make_roots,
    needs_tensors,
    shape_and_dtype,
    target_of,
)
from rushlight.core.above import above
from rushlight.core.batched import ENTERED, Level
from rushlight.core.engine import Backward
from rushlight.core.errors import about
from rushlight.core.graph import Node, TensorBase, new_tensor
from rushlight.core.levels import INTO, leave
from rushlight.core.lines import warn
from rushlight.core.modes import in_grad_mode
from rushlight.core.operators import disordered
from rushlight.settings import warn_once
from rushlight.size import Size
from rushlight.tensors import Tensor

__all__ = ["backward", "grad"]

CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
    "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
    "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break the "
    "cycle and avoid the leak."
)
Tensors = Tensor | GradientEdge | Sequence[Tensor | GradientEdge]


@above
def backward(
    tensors: Tensors,
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Tensor | Sequence[Tensor | None] | None = None,
    inputs: Tensors | None = None,
) -> None:
    """Computes the gradients of `tensors` with respect to the leaves of their graph, and adds them to `.grad`.

    For a tensor that is not a scalar, `grad_tensors` gives the vector v of the vector-Jacobian product: a tensor of the
    same shape. `retain_graph` keeps the graph's saved values for another pass; `create_graph` records this pass too, so
    that its results can be differentiated. With `inputs` only their gradients are computed and accumulated; non-leaf
    inputs then retain their gradients. `grad_variables` is the old name of `grad_tensors`. A `graph.GradientEdge` may
    take the place of a tensor.

    Gradients add up over calls: reset them with `optimizer.zero_grad()` or `x.grad = None`.

    Raises RuntimeError if a tensor does not require grad, if a gradient is missing or has the wrong shape, or if saved
    values were freed or changed in place.

    >>> import rushlight as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> torch.autograd.backward(x * x, torch.tensor([1.0, 10.0]))
    >>> x.grad
    tensor([ 2., 40.])
    """
    if grad_variables is not None:
        warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning)
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. "
                "Please only use `grad_tensors`."
            )
        grad_tensors = grad_variables
    if ENTERED.get():
        raise RuntimeError(
            "backward() called inside a functorch transform. This is not supported, please use functorch.grad or "
            "functorch.vjp instead or call backward() outside of functorch transforms: torch.func.grad inside of "
            "torch.vmap gives the gradient for each example."
        )
    wanted = None if inputs is None else list_of_targets(inputs, "backward")
    outputs = list_of_targets(tensors)
    cotangents = listed_grads(grad_tensors, len(outputs))
    on_tensors = needs_tensors(create_graph, outputs, cotangents)
    roots = make_roots(outputs, cotangents, on_tensors)
    run = Backward(create_graph if retain_graph is None else retain_graph, on_tensors)
    if create_graph:
        warn_once(CYCLE)
    if wanted is not None:
        for x in wanted:
            if isinstance(x, TensorBase):
                x.retain_grad()
        wanted = [target_of(x) for x in wanted]
    with in_grad_mode(create_graph):
        run.run(roots, wanted, wanted is not None)


def grad(
    outputs: Tensors,
    inputs: Tensors | dict[Any, Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor, ...] | dict[Any, Tensor]:
    """Computes and returns the sum of gradients of `outputs` with respect to each of `inputs`; `.grad` is not changed.

    `grad_outputs` are the vectors of the vector-Jacobian product, each of its output's shape; a scalar output needs
    none. With `is_grads_batched` they have a leading batch dimension, and so have the results: one vector-Jacobian
    product for each entry. `create_graph` records the pass, for higher-order derivatives. An input that the outputs do
    not depend on raises RuntimeError; with `allow_unused` its gradient is None, with `materialize_grads` zeros. For a
    dictionary of inputs the result is a dictionary; a `graph.GradientEdge` may take the place of a tensor.

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
        warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
            "other parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
        )
    outs, ins = list_of_targets(outputs), list_of_targets(inputs, "grad")
    grads = listed_grads(grad_outputs, len(outs))
    for i, out in enumerate(outs):
        check_recorded(i, out)
    check_require_grad(ins)
    keep = create_graph if retain_graph is None else retain_graph
    if is_grads_batched:
        results = batched_grads(outs, ins, grads, keep, create_graph)
    else:
        results = run_grad(outs, ins, grads, keep, create_graph)
    if materialize_grads:
        results = [zeros_for(x, create_graph) if g is None else g for x, g in zip(ins, results, strict=True)]
    elif not allow_unused:
        for i, g in enumerate(results):
            if g is None:
                raise unused_input(i, ins[i], outs)
    return dict(zip(inputs, results, strict=True)) if isinstance(inputs, dict) else tuple(results)


def unused_input(i: int, x: Tensor, outputs: Sequence[Tensor]) -> Any:
    """The error for the i-th input, which the outputs do not depend on."""
    node = target_of(x)[0]
    later = isinstance(node, Node) and all(node.sequence > target_of(out)[0].sequence for out in outputs)
    error = RuntimeError(
        f"The differentiated Tensor at index {i} appears to not have been used in the graph. "
        "Set allow_unused=True if this is the desired behavior." + (MADE_LATER if later else NOT_REACHED)
    )
    return about(error, unused=x, outputs=outputs)


MADE_LATER = (
    "\nThis one was made after the outputs (indexing, a view, a copy), so they cannot depend on it: differentiate with "
    "respect to the tensor that they were computed from, and take the part of its gradient."
)
NOT_REACHED = (
    "\nallow_unused=True only gives None in its place. If a gradient is expected, the way to it is cut: by detach(), "
    ".data, item(), numpy() or no_grad, by a copy that was made of it (float(), to(), clone()) in place of which this "
    "one is given, or it was never used."
)


def zeros_for(x: Any, requires_grad: bool) -> Tensor:
    """The gradient of an input that the outputs do not depend on."""
    if isinstance(x, GradientEdge):
        raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
    zeros = new_tensor(np.zeros_like(x._array))
    zeros.requires_grad = requires_grad
    return zeros


def run_grad(
    outputs: Sequence[Tensor],
    inputs: Sequence[Tensor],
    grads: Sequence[Tensor | None],
    keep_graph: bool,
    create_graph: bool,
) -> Any:
    """One backward pass that returns the gradients of `inputs`."""
    on_tensors = needs_tensors(create_graph, outputs, grads) or any(map(disordered, (*inputs, *grads)))
    roots = make_roots(outputs, grads, on_tensors)
    run = Backward(keep_graph, on_tensors)
    with in_grad_mode(create_graph):
        results = run.run(roots, [target_of(x) for x in inputs])
    return [gradient_of(x, g) for x, g in zip(inputs, results, strict=True)]


def batched_grads(
    outputs: Sequence[Tensor], inputs: Sequence[Tensor], grads: Any, keep_graph: bool, create_graph: bool
) -> Any:
    """One pass for all entries of the leading dimension of `grads`."""
    for i, (out, g) in enumerate(zip(outputs, grads, strict=True)):
        check_batch(i, out, g)
    level = Level(next(g.shape[0] for g in grads if g is not None))
    batch = [None if g is None else INTO(g, 0, level) for g in grads]
    results = run_grad(outputs, inputs, batch, keep_graph, create_graph)
    return [None if g is None else leave(g, 0, level) for g in results]


def check_batch(i: int, output: Any, g: Any) -> None:
    """Raises where a batch of gradients does not fit the i-th output."""
    shape = shape_and_dtype(output)[0]
    if g is None or shape is None or g._array.shape[1:] == shape:
        return
    raise RuntimeError(
        "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. The "
        "sizes of the remaining dimensions are expected to match the shape of corresponding output, but a mismatch was "
        f"detected: grad_output[{i}] has a shape of {g.shape} and output[{i}] has a shape of {Size(shape)}. If you "
        "only want some tensors in `grad_output` to be considered batched, consider using vmap."
    )
