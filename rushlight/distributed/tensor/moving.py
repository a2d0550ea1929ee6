"""Redistribution: the communication that changes a tensor's placement, and its derivative.

A gradient has its tensor's placement, except that for a partial sum it is replicated: the gradient of the sum.
"""

from typing import Any

import numpy as np

from rushlight.autograd.function import Function
from rushlight.core.graph import new_tensor
from rushlight.distributed.agreement import functional
from rushlight.distributed.collectives import all_gather_into_tensor, all_reduce, reduce_scatter_tensor
from rushlight.distributed.groups import ProcessGroup
from rushlight.distributed.reduce_ops import ReduceOp
from rushlight.distributed.tensor.placements import Partial, Placement, Replicate, Shard
from rushlight.distributed.tensor.spread import Spread, rows_of
from rushlight.tensors import Tensor

__all__ = ["Redistribute", "gradients_of", "moved"]

OPS = {
    "sum": ReduceOp.SUM,
    "avg": ReduceOp.AVG,
    "max": ReduceOp.MAX,
    "min": ReduceOp.MIN,
    "product": ReduceOp.PRODUCT,
}
Placements = tuple[Placement, ...]


def gradients_of(placements: Placements) -> Placements:
    """The placement of a tensor's gradient."""
    return tuple(Replicate() if placement.is_partial() else placement for placement in placements)


def moved(array: np.ndarray, spread: Spread, goal: Placements) -> np.ndarray:
    """This process's part of a tensor in a new placement, from its present part. All processes must call it."""
    if spread.placements == goal:
        return array
    with functional():
        return sent(array, spread, goal)


def sent(array: np.ndarray, spread: Spread, goal: Placements) -> np.ndarray:
    """The part that is placed otherwise; each dimension of the mesh by itself, the last first."""
    now, mesh = list(spread.placements), spread.mesh
    for axis in reversed(range(mesh.ndim)):
        group, placement, wanted = mesh.get_group(axis), now[axis], goal[axis]
        if stays(now, goal, axis):
            continue
        if isinstance(placement, Partial):
            if mesh.ndim == 1 and isinstance(wanted, Shard):
                return summed_and_cut(array, wanted.dim, OPS[placement.reduce_op], group)
            array = reduced(array, OPS[placement.reduce_op], group)
        elif isinstance(placement, Shard):
            first, last = spread.part(placement.dim, axis)
            array = gathered(array, placement.dim, last - first, group)
        now[axis] = Replicate()
    for axis, wanted in enumerate(goal):
        if now[axis] == wanted:
            continue
        if isinstance(wanted, Shard):
            first, last = rows_of(array.shape[wanted.dim], mesh.size(axis), mesh.get_local_rank(axis))
            array = np.ascontiguousarray(array[(slice(None),) * wanted.dim + (slice(first, last),)])
        elif wanted.is_partial("sum") and mesh.get_local_rank(axis):
            array = np.zeros_like(array)  # the first process of the line contributes the whole
    return array


def stays(now: list[Placement], goal: Placements, axis: int) -> bool:
    """Whether a dimension of the mesh keeps its placement: not if an earlier shard of the same dimension changes."""
    if now[axis] != goal[axis]:
        return False
    placement = now[axis]
    return not isinstance(placement, Shard) or not any(
        now[before] != goal[before] and (now[before].is_shard(placement.dim) or goal[before].is_shard(placement.dim))
        for before in range(axis)
    )


def padded(array: np.ndarray, dim: int, length: int) -> np.ndarray:
    """An array with one dimension moved to the front, padded with zeros to a length."""
    front = np.moveaxis(array, dim, 0)
    result = np.zeros((length, *front.shape[1:]), array.dtype)
    result[: len(front)] = front
    return result


def gathered(array: np.ndarray, dim: int, length: int, group: ProcessGroup) -> np.ndarray:
    """The parts of all processes concatenated along a dimension; all have the same length."""
    own = padded(array, dim, -(-length // group.size()))
    everything = np.empty((group.size() * len(own), *own.shape[1:]), array.dtype)
    all_gather_into_tensor(new_tensor(everything), new_tensor(own), group)
    return np.ascontiguousarray(np.moveaxis(everything[:length], 0, dim))


def reduced(array: np.ndarray, op: Any, group: ProcessGroup) -> np.ndarray:
    """The sum (or another reduction) over all processes."""
    result = new_tensor(array.copy())
    all_reduce(result, op, group)
    return result._array


def summed_and_cut(array: np.ndarray, dim: int, op: Any, group: ProcessGroup) -> np.ndarray:
    """This process's part of the sum over all processes."""
    size, length = group.size(), array.shape[dim]
    everything = padded(array, dim, size * -(-length // size))
    own = np.empty((len(everything) // size, *everything.shape[1:]), array.dtype)
    reduce_scatter_tensor(new_tensor(own), new_tensor(everything), op, group)
    first, last = rows_of(length, size, group.rank())
    return np.ascontiguousarray(np.moveaxis(own[: last - first], 0, dim))


class Redistribute(Function):
    """A local part redistributed; its gradient arrives in placement `arriving`, and is sent on in `leaving`."""

    @staticmethod
    def forward(
        ctx: Any, local: Tensor, spread: Spread, goal: Placements, arriving: Placements, leaving: Placements
    ) -> Any:
        """Redistributes the tensor."""
        ctx.spread, ctx.arriving, ctx.leaving = spread, arriving, leaving
        ctx.averages = 1
        for axis, (before, after) in enumerate(zip(spread.placements, goal, strict=True)):
            if before != after and isinstance(before, Partial):
                if before.reduce_op == "avg":
                    ctx.averages *= spread.mesh.size(axis)
                elif before.reduce_op != "sum" and local.requires_grad:
                    raise NotImplementedError(
                        f"the gradient of {before} is not supported: bring the tensor together with to_local() and "
                        "torch.distributed.nn.functional."
                    )
        return new_tensor(moved(local._settled(), spread, goal))

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        """Redistributes the gradient."""
        back = ctx.arriving, ctx.leaving
        if back[0] != back[1]:
            spread = ctx.spread.otherwise(ctx.arriving)
            grad = Redistribute.apply(grad, spread, ctx.leaving, gradients_of(back[1]), gradients_of(back[0]))
        return (grad / ctx.averages if ctx.averages != 1 else grad), None, None, None, None
