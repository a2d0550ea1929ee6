"""Forward mode through custom functions: their `jvp` is called with the tangents of the inputs."""

from collections.abc import Sequence
from typing import Any

from rushlight.core.above import above
from rushlight.core.forward import carries_tangents, strip, take_tangents, tangent_of, with_tangent, zeros_like
from rushlight.core.graph import TensorBase
from rushlight.core.inplace import take_over
from rushlight.core.interpreters import levels
from rushlight.core.kinds import kind_of
from rushlight.tensors import Tensor

__all__ = ["apply_dual"]


@above
def apply_dual(cls: Any, args: Sequence[Any], kwargs: Any) -> tuple[Any, Any]:
    """Calls a custom function on arguments that may have tangents; returns its node, and what it returned.

    The function is called without the tangents of the innermost level; these then go through its `jvp`.
    """
    level = next((level for level in reversed(levels()) if carries_tangents(args, level)), None)
    if level is None:
        return cls.record(args, kwargs)
    primals = [strip(arg, level) for arg in args]
    node, output = apply_dual(cls, primals, kwargs)
    outs = output if isinstance(output, tuple) else (output,)
    tangents = [input_tangent(node.ctx, arg, level) for arg in args]
    pushed_forward = pushed(cls, node, tangents)
    results = pushed_forward if isinstance(pushed_forward, tuple) else (pushed_forward,)
    check_number(results, outs)
    pairs = enumerate(zip(outs, results, strict=True))
    outs = tuple(dual_output(node.ctx, i, out, t, args, primals, tangents, level) for i, (out, t) in pairs)
    remember(node, args, primals, outs)
    return node, outs if isinstance(output, tuple) else outs[0]


def pushed(cls: Any, node: Any, tangents: Sequence[Tensor]) -> Any:
    """What `jvp` returns; while it runs, `ctx.saved_tensors` are those of `save_for_forward`."""
    node.is_pushed = True
    try:
        return cls.jvp(node.ctx, *tangents)
    finally:
        node.is_pushed = False


def input_tangent(ctx: Any, arg: Any, level: Any) -> Any:
    """The tangent of an argument as `jvp` gets it; a copy if the argument will be changed in place."""
    tangent = tangent_of(arg, level)
    if tangent is None:
        is_float = isinstance(arg, TensorBase) and kind_of(arg._array.dtype) in "fc"
        return zeros_like(arg) if is_float and ctx.materialize_grads else None
    return tangent.clone() if ctx.dirty_tensors else tangent


def check_number(results: Any, outs: Sequence[Tensor]) -> None:
    """RuntimeError if `jvp` did not return a tangent for each output."""
    if len(results) != len(outs):
        raise RuntimeError(
            f"Function's jvp returned an invalid number of forward gradients (expected {len(outs)} but got "
            f"{len(results)})"
        )


def dual_output(
    ctx: Any,
    i: int,
    out: Any,
    tangent: Any,
    args: Sequence[Any],
    primals: Sequence[Tensor],
    tangents: Sequence[Tensor],
    level: Any,
) -> Any:
    """Output `i` with its tangent on a level; if `forward` changed an argument in place, the argument itself."""
    if not isinstance(out, TensorBase):
        return out
    position = next((k for k, p in enumerate(primals) if p is out), None)
    if tangent is not None and not isinstance(tangent, TensorBase):
        raise RuntimeError(f"expected Variable or None (got {type(tangent).__name__}) for grad output {i}.")
    if tangent is not None and tangent._array.shape != out._array.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(out.shape)} while the given forward gradient is of size "
            f"{list(tangent.shape)}."
        )
    if position is not None and any(out is dirty for dirty in ctx.dirty_tensors):
        return changed_input(args[position], out, tangent, tangents[position], level)
    if tangent is None:
        return out
    if any(out is t for t in ctx.non_differentiable) or kind_of(out._array.dtype) not in "fc":
        raise RuntimeError(
            f"The jvp of a custom Function returned a gradient for output {i}, which is not differentiable. You should "
            "return None at that position instead."
        )
    for primal, given in zip(primals, tangents, strict=True):
        if isinstance(primal, TensorBase) and shows(out, primal):
            check_view(tangent, given)
    return with_tangent(out, tangent, level)


def check_view(tangent: TensorBase, given: TensorBase | None) -> None:
    """RuntimeError for the tangent of a view (or of an input as it is) that is no view of the input's tangent."""
    if tangent._view is None:
        raise RuntimeError(
            "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view."
        )
    if given is None:
        return
    base = given if given._view is None else given._view.base
    if tangent._view.base is not base:
        raise RuntimeError(
            "A custom Function is returning a view but the jvp is not returning a view of the "
            f"{'given' if base is given else 'same base as the given'} grad input."
        )


def changed_input(arg: Any, out: Any, tangent: Any, given: Any, level: Any) -> Any:
    """An argument that `forward` changed in place: `jvp` must have changed the given tangent in place too."""
    if tangent is not None and (tangent is not given or not tangent._version):  # what it gets is a copy
        raise RuntimeError(
            "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is "
            "modifying an input inplace, then the jvp function must modify the corresponding gradient inplace."
        )
    if tangent is not None:
        with_tangent(out, tangent, level)
    if arg is not out:
        take_tangents(arg, out)
        if out._node is not None:
            take_over(arg, out)
    return arg


def shows(out: TensorBase, source: TensorBase) -> bool:
    """Whether a tensor is another, or a view of it."""
    return out._array is source._array or (out._view is not None and out._view.base is source)


def remember(node: Any, args: Sequence[Any], primals: Sequence[Tensor], outs: Sequence[Tensor]) -> None:
    """Makes the node save the tensors with tangents, for `jvp` on outer levels and for `backward`."""
    duals = {id(p): a for p, a in zip(primals, args, strict=True) if isinstance(a, TensorBase)}
    node.ctx.saved_for_forward = tuple(duals.get(id(t), t) for t in node.ctx.saved_for_forward)
    node.replace_saved(duals)
    node.tangents = {i: out._tangents for i, out in enumerate(outs) if isinstance(out, TensorBase)}
