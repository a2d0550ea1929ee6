"""Arguments and results of all functions in `autograd.functional`: tuples, histories, strict checks."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.autograd.differentiate import batched_grads, run_grad
from rushlight.core.advice import advised
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.tensors import Tensor

Tensors = Tensor | tuple[Tensor, ...]


def as_tuple(values: Any, what: str, function: str) -> tuple[bool, tuple[Tensor, ...]]:
    """Whether values are a tuple, and the tuple of them; TypeError if one is not a tensor."""
    is_tuple = isinstance(values, tuple)
    values = values if is_tuple else (values,)
    for i, value in enumerate(values):
        if not isinstance(value, TensorBase):
            place = f"value at index {i}" if is_tuple else f"given {what}"
            raise TypeError(
                advised(
                    f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but the {place} has "
                    f"type {type(value)}."
                )
            )
    return is_tuple, values


def untupled(values: Any, was_tuple: bool) -> Any:
    """The tuple, or its only element if the user gave a single value."""
    return values if was_tuple else values[0]


def as_variables(tensors: Sequence[Tensor], create_graph: bool, requires_grad: bool = True) -> tuple[Tensor, ...]:
    """New tensors for the function's inputs, linked to the user's if the result must be differentiable."""
    return tuple(
        t.view_as(t) if create_graph and t.requires_grad else t.detach().requires_grad_(requires_grad) for t in tensors
    )


def without_history(values: Any, create_graph: bool) -> Any:
    """Results detached unless `create_graph`. Nested tuples are kept."""
    if create_graph:
        return values
    return tuple(v.detach() if isinstance(v, TensorBase) else without_history(v, create_graph) for v in values)


def as_vectors(
    v: Sequence[Tensor] | Tensor | None,
    like: Sequence[Tensor],
    is_tuple: bool,
    create_graph: bool,
    function: str,
    missing: str,
) -> tuple[Tensor, ...] | None:
    """The vectors of a product, checked against the shapes of `like`; None for a single value with one element."""
    if v is None:
        if len(like) != 1 or like[0].nelement() != 1:
            raise RuntimeError(f"The vector v can only be None if {missing}")
        return None
    vectors = as_variables(as_tuple(v, "v", function)[1], create_graph, False)
    if len(vectors) != len(like):
        if is_tuple:
            raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(vectors)}.")
        raise RuntimeError("The given v should contain a single Tensor.")
    for i, (vector, other) in enumerate(zip(vectors, like, strict=True)):
        if vector.shape != other.shape:
            place = f"Entry {i} in " if is_tuple else ""
            raise RuntimeError(f"{place}v has invalid size: should be {other.size()} but got {vector.size()}.")
    return vectors


def gradients(
    outputs: Any,
    inputs: Any,
    grads: Any = None,
    create_graph: bool = False,
    retain_graph: bool = False,
    is_grads_batched: bool = False,
) -> Any:
    """`autograd.grad` of the outputs that require grad; None for inputs that they do not depend on."""
    grads = (None,) * len(outputs) if grads is None else grads
    live = [(out, g) for out, g in zip(outputs, grads, strict=True) if out is not None and out.requires_grad]
    if not live:
        return (None,) * len(inputs)
    outs, cotangents = zip(*live, strict=True)
    run = batched_grads if is_grads_batched else run_grad
    return run(outs, inputs, cotangents, retain_graph or create_graph, create_graph)


def zeros(tensor: Tensor) -> Tensor:
    """Zeros of a tensor's shape and dtype."""
    return new_tensor(np.zeros_like(tensor._array))


UNRECORDED = {
    "outputs": "Output {i} of the user-provided function does not require gradients. The outputs must be computed in a "
    "differentiable manner from the input when running in strict mode.",
    "grad_inputs": "The gradient with respect to input {i} is independent of the inputs of the user-provided function. "
    "This is not allowed in strict mode.",
    "jacobian": "While computing the hessian, found that the jacobian of the user-provided function with respect to "
    "input {i} is independent of the input. This is not allowed in strict mode. You should ensure that your function "
    "is twice differentiable and that the jacobian depends on the inputs (this would be violated by a linear function "
    "for example).",
    "hessian": "The hessian of the user-provided function with respect to input {i} is independent of the input. This "
    "is not allowed in strict mode. You should ensure that your function is thrice differentiable and that the hessian "
    "depends on the inputs.",
}


def check_recorded(tensors: Any, kind: str, strict: bool) -> None:
    """In strict mode, raises RuntimeError for a tensor that does not depend on the inputs."""
    for i, t in enumerate(tensors if strict else ()):
        if t is None:
            raise RuntimeError(
                f"The output of the user-provided function is independent of input {i}. This is not allowed in strict "
                "mode."
            )
        if not t.requires_grad:
            raise RuntimeError(UNRECORDED[kind].format(i=i))


INDEPENDENT = {
    "back": "The output of the user-provided function is independent of input {i}. This is not allowed in strict mode.",
    "back_trick": "The gradient with respect to the input is independent of entry {i} in the grad_outputs when using "
    "the double backward trick to compute forward mode gradients. This is not allowed in strict mode.",
    "double_back": "The jacobian of the user-provided function is independent of input {i}. This is not allowed in "
    "strict mode.",
    "double_back_trick": "The hessian of the user-provided function is independent of entry {i} in the grad_jacobian. "
    "This is not allowed in strict mode as it prevents from using the double backward trick to replace forward mode "
    "AD.",
}


def zeros_for_none(
    grads: Sequence[Tensor | None], like: Any, strict: bool, create_graph: bool, stage: str
) -> tuple[Tensor, ...]:
    """The gradients, with zeros for missing ones; in strict mode a missing one raises RuntimeError."""
    for i, g in enumerate(grads if strict else ()):
        if g is None:
            raise RuntimeError(INDEPENDENT[stage].format(i=i))
        if create_graph and not g.requires_grad:
            what = "hessian" if "double" in stage else "jacobian"
            raise RuntimeError(
                f"The {what} of the user-provided function is independent of input {i}. This is not allowed in strict "
                "mode when create_graph=True."
            )
    return tuple(zeros(x) if g is None else g for g, x in zip(grads, like, strict=True))
