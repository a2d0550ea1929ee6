"""How functions work on shards: each dimension of operands and results has a label, as in `einsum`.

A dimension with a label may be sharded: then all operands with this label are sharded there, and the others are
replicated. A result with the label is sharded too; a result without it is a partial sum.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from rushlight.distributed.tensor.placements import Partial, Placement, Replicate, Shard
from rushlight.distributed.tensor.spread import Spread

__all__ = ["Labels", "Plan", "aligned", "plan"]

Label = Hashable  # None: the dimension must be whole


@dataclass
class Labels:
    """The labels of a function's dimensions.

    - `operands` has those of each DTensor among the arguments, `result` those of what comes back, or of all results;
    - `sums` tells that a label which the result lacks is summed over: no other may be cut;
    - `addends` are the operands that are added to such a sum;
    - `first` is the operand whose cuts count most;
    - `shape` is that of the result where the function is told it, and `resized` gives the part of an operand the shape
      that the part of the result has.
    """

    operands: list[tuple[Label, ...]]
    result: tuple[Label, ...]
    sums: bool = False
    addends: frozenset[int] = frozenset()
    first: int = 0
    shape: tuple[int, ...] | None = None
    resized: Callable[..., Any] | None = None

    def size_in_result(self, label: Label, size: int) -> int:
        """The size of a label in the result; for a reshaped result it differs from that in the operand."""
        return size if self.shape is None else self.shape[self.result.index(label)]


@dataclass
class Plan:
    """The placements of operands, of their gradients, and of the result."""

    operands: list[list[Placement]]
    gradients: list[list[Placement]]
    result: list[Placement]
    sizes: dict[Label, int]

    def whole_shape(self, labels: Labels, local: Sequence[int]) -> tuple[int, ...]:
        """The shape of the whole result, computed from that of a local part."""
        if labels.shape is not None:
            return labels.shape
        cut = {placement.dim for placement in self.result if isinstance(placement, Shard)}
        return tuple(self.sizes[labels.result[dim]] if dim in cut else size for dim, size in enumerate(local))


def aligned(*shapes: Sequence[int]) -> tuple[list[tuple[Label, ...]], tuple[Label, ...]]:
    """Labels of shapes that broadcast, and of the result: dimensions count from the last; a broadcast one has none."""
    ndim = max((len(shape) for shape in shapes), default=0)
    most = {-i: max(shape[-i] for shape in shapes if len(shape) >= i) for i in range(1, ndim + 1)}
    own: list[tuple[Label, ...]] = [
        tuple(dim if shape[dim] == most[dim] else None for dim in range(-len(shape), 0)) for shape in shapes
    ]
    return own, tuple(range(-ndim, 0))


def sizes_of(spreads: list[Spread], labels: Labels) -> dict[Label, int] | None:
    """The size of each label; None if operands disagree about one."""
    sizes: dict[Label, int] = {}
    for spread, own in zip(spreads, labels.operands, strict=True):
        for size, label in zip(spread.shape, own, strict=True):
            if label is not None and sizes.setdefault(label, size) != size:
                return None
    return sizes


def plan(spreads: list[Spread], labels: Labels) -> Plan | None:
    """How to call a function on local parts; None if the operands' shapes do not fit, so that the call must raise."""
    sizes = sizes_of(spreads, labels)
    if sizes is None:
        return None
    mesh = spreads[0].mesh
    made = Plan([[] for _ in spreads], [[] for _ in spreads], [], sizes)
    for axis in range(mesh.ndim):
        label = label_to_cut(spreads, labels, axis)
        summed = label is not None and label not in labels.result
        for number, own in enumerate(labels.operands):
            goal: Placement = Replicate()
            if label is not None and label in own:
                goal = Shard(own.index(label))
            elif summed and number in labels.addends:
                goal = Partial()
            arrives = Partial() if label is not None and goal == Replicate() else goal
            made.operands[number].append(goal)
            made.gradients[number].append(Replicate() if isinstance(goal, Partial) else arrives)
        cut = Replicate() if label is None else Partial() if summed else Shard(labels.result.index(label))
        made.result.append(cut)
    return made


def label_to_cut(spreads: list[Spread], labels: Labels, axis: int) -> Label:
    """The label to shard along, for one dimension of the mesh; None if there is none."""
    for number in (labels.first, *range(len(spreads))):
        placement = spreads[number].placements[axis]
        if not isinstance(placement, Shard):
            continue
        label = labels.operands[number][placement.dim]
        if label is None or not (labels.sums or label in labels.result):
            continue
        size, pieces = spreads[number].shape[placement.dim], spreads[number].mesh.size()
        other = labels.size_in_result(label, size)
        if size == other or size % pieces == other % pieces == 0:
            return label
    return None
