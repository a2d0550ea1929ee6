"""Recording a call whose result was computed elsewhere."""

import threading
from functools import cache
from typing import Any

import numpy as np

from rushlight.core.codes import ANY
from rushlight.core.graph import TensorBase
from rushlight.core.operators import Operator, descend
from rushlight.core.placing import tensors_of
from rushlight.dispatch.carried import Carried, array_of
from rushlight.tensors import counted

__all__ = ["is_usual", "recorded"]


class Hand(threading.local):
    """The given results for the call that is being recorded, in each thread."""

    arrays: Any = None


HAND = Hand()


def is_usual(args: tuple[Any, ...]) -> bool:
    """Whether all tensors among arguments hold NumPy's arrays, or stand for wrappers: none is batched."""
    return all(type(one._array) in (np.ndarray, Carried) for one in tensors_of(args))


@cache
def stand_in(op: Operator) -> Operator:
    """An operator with the derivatives of another, which returns the given results."""
    return Operator(
        op.name,
        lambda *arrays: HAND.arrays,
        op.params,
        op.formulas,
        joint=op.joint,
        inputs=tuple(op.params[i] for i in op.inputs),
        lists=tuple(op.params[i] for i in op.lists),
        broadcasts=op.broadcasts,
        batch=op.batch,
        view=op.view,
        nondifferentiable=op.nondifferentiable,
        takes_none=op.takes_none,
        takes_turned=op.takes_turned,
        holomorphic=op.holomorphic,
        layout="as computed",
        aten=op.aten,
        saved_as=op.saved_as,
        node=op.node,
    )


def recorded(op: Operator, args: tuple[Any, ...], result: Any, needs: bool) -> Any:
    """The result of a call, one or several tensors, with the history that the operator gives it."""
    results = tuple(result) if isinstance(result, (tuple, list)) else (result,)
    if not (needs or op.view) or not all(isinstance(one, TensorBase) for one in results):
        return result if isinstance(result, TensorBase) else results
    arrays = tuple(array_of(one) for one in results)
    HAND.arrays = arrays[0] if isinstance(result, TensorBase) else arrays
    try:
        made = descend((), ANY, stand_in(op), args)
    finally:
        HAND.arrays = None
    if isinstance(result, TensorBase):
        return at_place_of(result, made, args)
    return tuple(at_place_of(one, new, args) for one, new in zip(results, made, strict=True))


def at_place_of(given: TensorBase, made: TensorBase, args: tuple[Any, ...]) -> TensorBase:
    """The given tensor at the place in the graph of the recorded one; an argument that is returned keeps its own."""
    if any(given is arg for arg in args):
        made.__class__ = type(given)
        return counted(made)
    node, counter = made._node, given._counter
    if counter is None or made._view is not None:
        given._counter = made._counter
    elif node is not None and node.result_counter is made._counter:  # given views already share the version counter
        node.result_counter, node.result_version = counter, counter.value
    given._node, given._index, given._needs, given._view = node, made._index, made._needs, made._view
    return given
