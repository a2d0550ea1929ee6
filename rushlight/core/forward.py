"""Forward mode: tangents that travel with tensors, and how each operator propagates them.

A tensor carries a tangent for each level of differentiation that it takes part in. An operator is first computed
without the tangents of the innermost level (which propagates those of the other levels in the same way); then these are
pushed through its derivative. A linear operator is applied to the tangent, an elementwise one applies its backward
formula to it; any other transposes its formula: the vector-Jacobian product is linear in the cotangent, and its adjoint
is the Jacobian-vector product.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from operator import add
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.batched import levels_of, lifted, values
from rushlight.core.engine import Backward
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.interpreters import Interpreter, levels
from rushlight.core.kinds import kind_of
from rushlight.core.link import LINK, resolved
from rushlight.core.modes import CURRENT, in_grad_mode
from rushlight.core.operators import call
from rushlight.core.placing import tensors_of
from rushlight.core.recording import look
from rushlight.core.windows import READ, REPLACE, Window, layout
from rushlight.layouts import compact, is_repeated, overlaps

OWNERS: WeakValueDictionary[int, TensorBase] = WeakValueDictionary()  # tensors, by the ids of tangents that users hold


class Tangents(Interpreter):
    """A level of forward mode: each tensor on it carries a tangent, or several (`func.taylor`)."""

    is_level = True

    def concerns(self, op: Any, args: Any) -> bool:
        """Whether a tensor among the arguments has a tangent of this level to pass on."""
        return carries_tangents(args, self) and not CURRENT.get().inference

    def call(self, op: Any, args: Any, below: Callable[..., Any]) -> Any:
        """Calls an operator without this level's tangents, then pushes these through its derivative."""
        args = args if op.view else resolved(args)
        primals = tuple([strip(arg, self) for arg in args])
        outs = below(op, primals)
        if outs is NotImplemented:
            return outs
        several = outs if isinstance(outs, tuple) else (outs,)
        if op.view:
            for out in several:
                look(out, args[0], isinstance(outs, tuple))
        if op.differentiable:
            self.hand_on(op, args, primals, outs, several)
        return outs

    def hand_on(
        self, op: Any, args: Any, primals: Sequence[Array], outs: TensorBase, several: Sequence[TensorBase]
    ) -> None:
        """Gives the outputs of an operator their tangents."""
        given = tensors_of(args)
        for out, tangent in zip(several, self.push(op, args, primals, outs), strict=True):
            if tangent is not None:
                tangent = tangent if type(tangent) is tuple else own(fitted(tangent, out), out, given, self)
                with_tangent(out, tangent, self)
        remember(args, primals, several)

    def push(self, op: Any, args: Any, primals: Sequence[Array], outs: TensorBase) -> Any:
        """The tangents of an operator's outputs, None for an output without one."""
        return push(op, args, primals, outs, self)


def is_dual(tensor: TensorBase) -> bool:
    """Whether a tensor has tangents; those of a view are brought up to date first."""
    if tensor._view is not None:
        tensor._synchronize()
    return tensor._tangents is not None


def carries_tangents(args: Any, level: Tangents | None = None) -> bool:
    """Whether a tensor among the arguments, or in a list of them, has a tangent on a level, or (None) on any."""
    for tensor in tensors_of(args):
        if is_dual(tensor) and (level is None or level in tensor._tangents):
            return True
    return False


def tangent_of(value: Any, level: Any) -> Any:
    """The tangent of a value on a level; None for a tensor without one, and for a value that is not a tensor."""
    return value._tangents.get(level) if isinstance(value, TensorBase) and is_dual(value) else None


def with_tangent(tensor: TensorBase, tangent: Any, level: Tangents) -> Any:
    """Gives a tensor a tangent on a level, keeping its tangents on other levels."""
    tensor._tangents = {**(tensor._tangents or {}), level: tangent}
    return tensor


def with_own_tangent(tensor: TensorBase, tangent: TensorBase, level: Any) -> Any:
    """`with_tangent` with a tangent that the user holds: in-place changes of the tensor change this tangent too."""
    OWNERS[id(tangent)] = tensor
    return with_tangent(tensor, tangent, level)


def without(tensor: Any, level: Tangents) -> Any:
    """The tensor without its tangent on a level, at the same place in the graph; the result is never a view."""
    if tangent_of(tensor, level) is None:
        return tensor
    tangents = {k: t for k, t in tensor._tangents.items() if k != level} or None
    if tensor._node is None and tensor._needs:
        held, tensor._tangents = tensor._tangents, None
        primal = LINK(tensor)
        tensor._tangents = held
    else:
        primal = new_tensor(tensor._settled())
        primal._node, primal._index, primal._needs = tensor._node, tensor._index, tensor._needs
    primal._counter = tensor._versions()
    primal._tangents = tangents
    return primal


def own(tangent: TensorBase, out: TensorBase, given: Sequence[Any], level: Tangents) -> Any:
    """A tangent, copied if it shares an input's tangent's memory although the result does not share the input's."""
    array, place = values(tangent._array), values(out._array)
    for x in given:
        held = tangent_of(x, level)
        shared = held is not None and np.may_share_memory(array, values(held._array))
        if shared and not np.may_share_memory(place, values(x._array)):
            return copy_of_tangent(tangent)
    return tangent


def copy_of_tangent(tangent: Any) -> Any:
    """A copy of a tangent that is a tensor; others are returned as they are."""
    return tangent if type(tangent) is tuple else laid_out(tangent, tangent._array)


def laid_out(tangent: TensorBase, like: Array) -> Any:
    """A copy of a tangent in an array's memory layout; contiguous where elements of the array share memory."""
    shape, strides, dtype = layout(like)
    if overlaps(shape, strides, dtype.itemsize):
        strides = compact(shape, dtype.itemsize)
    place = shape, strides, dtype
    return READ(tangent, Window(place, place, 0))


def copies(tangents: dict[Tangents, TensorBase] | None) -> Any:
    """Copies of the tangents of all levels."""
    return {k: copy_of_tangent(tangent) for k, tangent in (tangents or {}).items()} or None


def remember(args: Any, primals: Sequence[Array], outs: Sequence[TensorBase]) -> None:
    """Makes the recorded node save the tensors with tangents, so that its backward pass has the tangents too."""
    node = next((out._node for out in outs if out._node is not None), None)
    if node is None:
        return
    with_tangents = {}
    for primal, arg in zip(primals, args, strict=True):
        if isinstance(arg, TensorBase):
            with_tangents[id(primal)] = arg
        elif isinstance(arg, (tuple, list)):
            with_tangents |= {id(p): a for p, a in zip(primal, arg, strict=True) if isinstance(a, TensorBase)}
    node.replace_saved(with_tangents)
    node.tangents = {i: out._tangents for i, out in enumerate(outs)}


def strip(arg: Any, level: Tangents) -> Any:
    """An argument without its tangents on a level; lists of tensors likewise."""
    if isinstance(arg, (tuple, list)) and any(isinstance(item, TensorBase) for item in arg):
        return type(arg)(strip(item, level) for item in arg)
    return without(arg, level)


def push(op: Any, args: Any, primals: Sequence[Array], outs: Any, level: Tangents) -> Any:
    """The tangents of an operator's outputs on a level."""
    if op.tangent is not None:
        several = outs if isinstance(outs, tuple) else (outs,)
        found = op.tangent(op, several, primals, [tangent_of(arg, level) for arg in args])
        if found is not None:
            return found
    if op.additive:
        return [together(op, primals, [tangent_of(arg, level) for arg in args])]
    if op.linear:
        parts = [part if isinstance(part, tuple) else (part,) for part in linear_parts(op, args, primals, level)]
        return [reduce(add, column) for column in zip(*parts, strict=True)]
    if isinstance(outs, tuple) or not is_diagonal(op, (*primals, outs)):
        return transposed(op, args, primals, level)
    return [reduce(add, diagonal_parts(op, args, primals, outs, level))]


def is_diagonal(op: Any, values: Sequence[Any]) -> bool:
    """Whether an operator's backward formula also propagates tangents: elementwise, and linear over its numbers."""
    if op.joint is not None or not op.broadcasts:
        return False
    return op.holomorphic or not any(isinstance(p, TensorBase) and p._array.dtype.kind == "c" for p in values)


def together(op: Any, primals: Sequence[Array], tangents: Sequence[Array]) -> Any:
    """Applies an operator that is linear in all its inputs together to their tangents, with zeros for missing ones."""
    values = list(primals)
    for i in op.inputs:
        values[i] = np.zeros_like(primals[i]) if tangents[i] is None else tangents[i]
    return op(*values)


def linear_parts(op: Any, args: Any, primals: Sequence[Array], level: Tangents) -> Iterator[Any]:
    """Yields for each input with a tangent the operator's value with the tangent in the input's place."""
    for position in op.inputs:
        before, primal, after = primals[:position], primals[position], primals[position + 1 :]
        if position in op.lists:
            tangents = [tangent_of(item, level) for item in args[position]]
            if any(t is not None for t in tangents):
                filled = [zeros_like(p) if t is None else t for p, t in zip(primal, tangents, strict=True)]
                yield op(*before, type(primal)(filled), *after)
        elif (tangent := tangent_of(args[position], level)) is not None:
            yield op(*before, aligned(tangent, primal) if op.view else tangent, *after)


def aligned(tangent: TensorBase, primal: TensorBase) -> Any:
    """A tangent in the memory layout of its tensor, for views that depend on the layout."""
    array = primal._array
    if tangent._array.strides == array.strides or not isinstance(array, np.ndarray):
        return tangent
    return laid_out(tangent, array)


def diagonal_parts(
    op: Any, args: Sequence[Any], primals: Sequence[Any], out: TensorBase, level: Tangents
) -> Iterator[Any]:
    """Yields for each input with a tangent the backward formula of an elementwise operator applied to the tangent."""
    for number, position in enumerate(op.inputs):
        tangent = tangent_of(args[position], level)
        if tangent is not None:
            yield apply_formula(op, number, tangent, primals, (out,))


def apply_formula(op: Any, number: int, grad: Any, args: Sequence[Any], outs: Sequence[TensorBase]) -> Any:
    """The backward formula of an operator's n-th input, applied to a cotangent or to a tangent in its place."""
    plan = op.plan(1 << number)
    saved = []
    for k, source in enumerate(plan.sources):
        value = (outs if plan.is_result(k) else args)[source]
        saved.append(getattr(value, "shape", ()) if plan.is_shape(k) else value)
    return plan.formulas[number](expanded(grad, outs[0]), *[saved[k] for k in plan.picks[number]])


def transposed(op: Any, args: Any, primals: Sequence[Array], level: Tangents) -> list[Any]:
    """The tangents of the outputs by transposing the vector-Jacobian product, which the operator's formula gives."""
    with in_grad_mode(True):
        values = list(primals)
        tangents: list[Array] = []
        inputs: list[TensorBase] = []
        for position in op.inputs:
            values[position] = as_inputs(args[position], primals[position], level, tangents, inputs)
        outs = call(op, tuple(values))
        outs = outs if isinstance(outs, tuple) else (outs,)
        live = [out for out in outs if out._needs]
        cotangents = [zeros_like(out) for out in live]
        for cotangent in cotangents:
            cotangent.requires_grad = True
        grads = pull_back(live, cotangents, inputs)
    pairs = [(g, fitted(t, g)) for g, t in zip(grads, tangents, strict=True) if g is not None and g._needs]
    given = [item for arg in primals for item in (arg if isinstance(arg, (tuple, list)) else (arg,))]
    recorded = any(isinstance(t, TensorBase) and t._needs for t in [*given, *tangents])
    with in_grad_mode(recorded and CURRENT.get().records):
        found = iter(pull_back([g for g, _ in pairs], [t for _, t in pairs], cotangents))
    for variable in inputs:
        variable._needs = variable._node is not None  # nobody else differentiates by the leaves that were made here
    return [next(found) if out._needs else None for out in outs]


def as_inputs(arg: TensorBase, primal: Any, level: Any, tangents: Any, inputs: Any) -> Any:
    """An argument prepared for differentiation if it has a tangent; appends tangent and input to the two lists."""
    if isinstance(primal, (tuple, list)):
        pairs = zip(arg, primal, strict=True)
        return type(primal)(as_inputs(a, p, level, tangents, inputs) for a, p in pairs)
    tangent = tangent_of(arg, level)
    if tangent is None:
        return primal
    variable = LINK(primal) if primal._needs else new_tensor(primal._settled())
    if not primal._needs:
        variable._needs, variable._tangents = True, primal._tangents
    tangents.append(tangent)
    inputs.append(variable)
    return variable


def pull_back(outputs: Sequence[TensorBase], cotangents: Sequence[TensorBase], inputs: Sequence[TensorBase]) -> Any:
    """The cotangents of `inputs`, by a backward pass on tensors, so that it is recorded and propagates tangents."""
    places = [(x, 0) if x._node is None else (x._node, x._index) for x in inputs]
    roots = [
        (*((x, 0) if x._node is None else (x._node, x._index)), g) for x, g in zip(outputs, cotangents, strict=True)
    ]
    return Backward(True, True).run(roots, places)


def take_tangents(tensor: TensorBase, result: TensorBase) -> None:
    """Gives a tensor that was changed in place the tangents of its new values; for a view also updates its base's.

    Only a tangent that the user holds is written to. The other views of the base get theirs when they are next used.
    """
    entered = levels()
    tangents = {k: t for k, t in (result._tangents or {}).items() if k in entered}
    if any(type(t) is tuple for t in tangents.values()):
        raise NotImplementedError("func.jet does not cover changes in place: use operations that return new tensors")
    tangents = {k: fitted(t, tensor) for k, t in tangents.items() if kind_of(tensor._array.dtype) in "fc"}
    replace_tangents(tensor, tangents)
    if tensor._view is not None:
        base = tensor._view.base
        held, window = base._tangents or {}, Window.between(base._array, tensor._array)
        moving = [k for k in entered if k in held or k in tangents]
        pairs = {k: (held.get(k, zeros_like(base)), tangents.get(k, zeros_like(tensor))) for k in moving}
        replace_tangents(base, {k: REPLACE(*pair, window) for k, pair in pairs.items()})


def replace_tangents(tensor: TensorBase, tangents: dict[Tangents, TensorBase]) -> None:
    """Replaces the tangents of a tensor; where the user holds the old tangent, the new values are written into it."""
    held = tensor._tangents or {}
    for k, new in tangents.items():
        old = held.get(k)
        if old is not None and OWNERS.get(id(old)) is tensor and holds(old, new):
            np.copyto(values(old._array), lifted(new._array, levels_of(old._array), new._array.ndim))
            old._bump()
            tangents[k] = old
    tensor._tangents = tangents or None


def holds(old: Any, new: Any) -> Any:
    """Whether a tangent's memory can take another's values: no shared elements, the same levels, and no history."""
    if old._needs or new._needs or old._array.dtype != new._array.dtype or is_repeated(values(old._array)):
        return False
    return set(levels_of(new._array)) <= set(levels_of(old._array))


def renew_tangents(view: Any) -> None:
    """Gives a view of a base that was changed in place the base's present tangents there."""
    base = view._view.base
    if base._tangents is None:
        view._tangents = None
    else:
        window = Window.between(base._array, view._array)
        view._tangents = {k: READ(tangent, window) for k, tangent in base._tangents.items()}


def fitted(tangent: Any, like: Any) -> Any:
    """A tangent in the shape and dtype of its tensor."""
    tangent = expanded(tangent, like)
    if tangent._array.dtype != like._array.dtype:
        tangent = np.astype(tangent, like._array.dtype)
    return tangent


def expanded(tangent: Any, like: Any) -> Any:
    """A tangent in the shape of its tensor."""
    shape = like._array.shape
    return tangent if tangent._array.shape == shape else np.broadcast_to(tangent, shape)


def zeros_like(tensor: TensorBase) -> Any:
    """Zeros of a tensor's shape and dtype."""
    return new_tensor(np.zeros_like(tensor._array))
