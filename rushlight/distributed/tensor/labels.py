"""How functions go together with cuts: each dimension of operands and results has a label, as in `einsum`.

A dimension may be cut where it has a label: all operands that have the label are cut there, the others are needed whole
by each process. A result that has it is cut too; of a result that has not, each process gets a term of a sum.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from rushlight.distributed.tensor.placements import Partial, Placement, Replicate, Shard
from rushlight.distributed.tensor.spread import Spread

__all__ = ["Labels", "Plan", "aligned", "plan"]

Label = Hashable  # None: the dimension has to be whole


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
        """The size of a label in the result, which for a reshaped one is not that in the operand."""
        return size if self.shape is None else self.shape[self.result.index(label)]


@dataclass
class Plan:
    """How operands are to be placed, how their gradients arrive, and how the result is placed."""

    operands: list[list[Placement]]
    gradients: list[list[Placement]]
    result: list[Placement]
    sizes: dict[Label, int]

    def whole_shape(self, labels: Labels, local: Sequence[int]) -> tuple[int, ...]:
        """The shape of the whole result, from that of a process's part."""
        if labels.shape is not None:
            return labels.shape
        cut = {placement.dim for placement in self.result if isinstance(placement, Shard)}
        return tuple(self.sizes[labels.result[dim]] if dim in cut else size for dim, size in enumerate(local))


def aligned(*shapes: Sequence[int]) -> tuple[list[tuple[Label, ...]], tuple[Label, ...]]:
    """Labels of shapes that broadcast, and of the result: dimensions count from the last; a repeated one has none."""
    ndim = max((len(shape) for shape in shapes), default=0)
    most = {-i: max(shape[-i] for shape in shapes if len(shape) >= i) for i in range(1, ndim + 1)}
    own: list[tuple[Label, ...]] = [
        tuple(dim if shape[dim] == most[dim] else None for dim in range(-len(shape), 0)) for shape in shapes
    ]
    return own, tuple(range(-ndim, 0))


def sizes_of(spreads: list[Spread], labels: Labels) -> dict[Label, int] | None:
    """The size of each label; None where operands do not agree about one."""
    sizes: dict[Label, int] = {}
    for spread, own in zip(spreads, labels.operands, strict=True):
        for size, label in zip(spread.shape, own, strict=True):
            if label is not None and sizes.setdefault(label, size) != size:
                return None
    return sizes


def plan(spreads: list[Spread], labels: Labels) -> Plan | None:
    """How to call a function on parts; None where its operands do not fit together, which the call has to tell."""
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
    """The label that operands are cut along, on one dimension of the mesh; None where there is none."""
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
