"""The checks of `gradcheck` other than Jacobians: zero and missing cotangents and tangents, and batches of them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.autograd import forward_ad
from rushlight.autograd.differentiate import grad
from rushlight.autograd.gradcheck_error import GradcheckError
from rushlight.autograd.gradcheck_jacobians import as_tuple, differentiable, is_inexact
from rushlight.core.above import ABOVE
from rushlight.core.aliases import Array
from rushlight.core.context import next_number
from rushlight.core.graph import Node, new_tensor
from rushlight.core.lines import warn
from rushlight.tensors import Tensor


def zeros_like(tensor: Tensor) -> Tensor:
    """Zeros of a tensor's shape and dtype."""
    return new_tensor(np.zeros_like(tensor._array))


def check_zero_cotangents(outputs: Sequence[Tensor], inputs: Sequence[Any], masked: bool | None) -> None:
    """GradcheckError if zero cotangents do not give zero gradients with the shape and dtype of the inputs."""
    targets = differentiable(inputs)
    grads = grad(outputs, targets, [zeros_like(out) for out in outputs], allow_unused=True)
    for g, x in zip(grads, targets, strict=True):
        if g is None:
            continue
        if not (np.allclose(g._array, 0) if masked else (g._array == 0).all()):
            raise GradcheckError("backward not multiplied by grad_output")
        if g.dtype != x.dtype:
            raise GradcheckError("grad is incorrect type")
        if g.shape != x.shape:
            raise GradcheckError("grad is incorrect size")


class Undefined(Node):
    """A node that passes no gradient on."""

    def apply(self, grad: Array, recorded: bool, needs: Sequence[bool]) -> Any:
        """No gradient."""
        return [None]

    def release(self) -> None:
        """Does nothing: this node saves no values."""


def with_undefined_grad(tensor: Tensor) -> Tensor:
    """The tensor linked to a node that passes no gradient on."""
    out, node = new_tensor(tensor._settled()), Undefined.__new__(Undefined)
    node.sequence, node.arity = next_number(), 1
    node.edges = (tensor if tensor._node is None else tensor._node,)
    node.numbers = (tensor._index,)
    out._node, out._needs = node, True
    return out


def check_undefined_cotangents(function: Callable[..., Any], inputs: Sequence[Any]) -> None:
    """GradcheckError if backward does not treat a missing cotangent as zeros: for all outputs, and for each alone."""
    outputs = differentiable(function(*inputs))
    check_gradients_vanish([with_undefined_grad(out) for out in outputs], inputs)
    for i in range(len(outputs) if len(outputs) > 1 else 0):
        fresh = differentiable(function(*inputs))
        check_gradients_vanish([with_undefined_grad(out) if k == i else out for k, out in enumerate(fresh)], inputs)


def check_gradients_vanish(outputs: list[Tensor], inputs: Sequence[Any]) -> None:
    """GradcheckError if zero or missing cotangents give gradients other than zeros or None."""
    try:
        grads = grad(outputs, differentiable(inputs), [zeros_like(out) for out in outputs], allow_unused=True)
    except RuntimeError as error:
        warn_of_undefined()
        raise GradcheckError(
            "Expected backward function to handle undefined output grads. They come as None where "
            "ctx.set_materialize_grads(False) was called."
        ) from error
    if any(g is not None and (g._array != 0).any() for g in grads):
        warn_of_undefined()
        raise GradcheckError(
            "Expected all input grads to be undefined or zero when all output grads are undefined or zero."
        )


def warn_of_undefined() -> None:
    """PyTorch's warning that accompanies the errors."""
    warn(
        "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may "
        "break existing callers of this function. If this is true for you, you can call this function with "
        '"check_undefined_grad=False" to disable the feature',
    )


def check_undefined_tangents(function: Callable[..., Any], inputs: Sequence[Any]) -> None:
    """GradcheckError if a missing tangent of an input gives other results than a zero one."""
    rng = np.random.default_rng(0)
    places = [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]
    tangents = {i: np.asarray(rng.random(inputs[i].shape), inputs[i]._array.dtype) for i in places}
    for place in places:
        given = tangents | {place: np.zeros_like(inputs[place]._array)}
        missing = {i: t for i, t in tangents.items() if i != place}
        found = [push_forward(function, inputs, chosen) for chosen in (given, missing)]
        for k, (expected, got) in enumerate(zip(*found, strict=True)):
            if expected is not None and got is not None and not np.allclose(expected._array, got._array):
                raise GradcheckError(
                    f"Mismatch in tangent values for output with index: {k} when input: {inputs[place]} has an "
                    f"undefined tangent value.  Got: {got} but expected: {expected}"
                )


def push_forward(function: Callable[..., Any], inputs: Sequence[Any], tangents: dict[Any, Any]) -> list[Tensor | None]:
    """The tangents of all inexact outputs for the tangents of some inputs, given by position."""
    with forward_ad.dual_level():
        values = [x.detach() if isinstance(x, Tensor) else x for x in inputs]
        for i, tangent in tangents.items():
            tangent = tangent if isinstance(tangent, Tensor) else new_tensor(tangent)
            values[i] = forward_ad.make_dual(values[i], tangent)
        return [forward_ad.unpack_dual(out).tangent for out in as_tuple(function(*values)) if is_inexact(out)]


def check_batched_reverse(inputs: Sequence[Any], output: Tensor, index: int) -> None:
    """GradcheckError if vmap of the backward pass gives other gradients than single passes."""
    targets = differentiable(inputs)

    def vjp(v: Any) -> tuple[Tensor, ...]:
        grads = grad(output, targets, v, retain_graph=True, allow_unused=True)
        return tuple(zeros_like(x) if g is None else g for g, x in zip(grads, targets, strict=True))

    check_batched(vjp, output, index, "check_batched_grad")


def check_batched_forward(function: Callable[..., Any], inputs: Sequence[Any]) -> None:
    """GradcheckError if vmap of a forward pass gives other tangents than single passes."""
    for i, x in enumerate(inputs):
        if not (isinstance(x, Tensor) and x.requires_grad):
            continue

        def jvp(tangent: Tensor, i: int = i) -> tuple[Tensor, ...]:
            outs = [out for out in as_tuple(function(*inputs)) if is_inexact(out)]
            tangents = push_forward(function, inputs, {i: tangent})
            return tuple(zeros_like(out) if t is None else t for out, t in zip(outs, tangents, strict=True))

        check_batched(jvp, x, i, "check_batched_forward_grad")


def check_batched(product: Callable[..., Any], like: Tensor, index: int, option: str) -> None:
    """Compares `vmap(product)` of two random vectors with `product` of each."""
    rng = np.random.default_rng(0)
    vectors = np.asarray(rng.standard_normal((2, *like.shape)), like._array.dtype)
    expected = [
        np.stack([r._array for r in results])
        for results in zip(*[product(new_tensor(v)) for v in vectors], strict=True)
    ]
    try:
        found = ABOVE.vmap(product)(new_tensor(vectors))
    except RuntimeError as error:
        raise GradcheckError(f"While computing batched gradients, got: {error}\n\n{BATCHED.format(option)}") from error
    for k, (got, wanted) in enumerate(zip(found, expected, strict=True)):
        if not np.allclose(got._array, wanted, rtol=1e-5, atol=1e-8):
            output, input = (k, k) if option == "check_batched_forward_grad" else (index, k)
            raise GradcheckError(
                f"For output {output} and input {input}:\n\n{BATCHED.format(option)}\n\nGot:\n{got}\n\nExpected:\n"
                f"{new_tensor(wanted)}"
            )


BATCHED = (
    "gradcheck or gradgradcheck failed while testing batched gradient computation. An operation in the pass gives "
    "other results under vmap than without; to leave this check out, call with `{}=False`."
)
