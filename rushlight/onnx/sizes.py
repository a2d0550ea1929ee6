"""Sizes that depend on those of a model's inputs: found by recording the model again with larger inputs.

A variable dimension has a name. The model is recorded once more for each name, with inputs that are larger by one along
its dimensions, and once with all of them larger, each by a different number. A number that differs between the
recordings is a sum of named sizes, if the last recording confirms it; else it is unknown.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rushlight.compiler.program import CHECK, Step, Value
from rushlight.onnx.errors import OnnxExporterError
from rushlight.onnx.recording import REFUSED, Recorded
from rushlight.ops.making.from_data import from_numpy
from rushlight.tensors import Tensor

__all__ = ["Dimension", "Size", "Sizes", "grown"]


PARTS = f"{REFUSED}: into how many parts it takes a tensor goes with the size of an input. Fix that size."


@dataclass(frozen=True)
class Dimension:
    """A variable dimension of an input: its name, and where it can be read."""

    name: str
    input: int
    dim: int


@dataclass(frozen=True)
class Size:
    """A number that depends on the inputs' sizes: `constant` plus multiples of named sizes; None if unknown."""

    terms: tuple[tuple[Dimension, int], ...] | None
    constant: int = 0


def grown(tensor: Tensor, names: dict[int, str], by: dict[str, int]) -> Tensor:
    """An input made larger along named dimensions by repeating its last elements."""
    for dim, name in names.items():
        size = tensor.shape[dim]
        places = np.minimum(np.arange(size + by.get(name, 0)), size - 1)
        tensor = tensor.detach().index_select(dim, from_numpy(places))
    return tensor


class Sizes:
    """A recording with small inputs, and which of its numbers depend on their sizes, by comparison with larger ones.

    Steps of one `kind` compute the same: a tensor may have to be copied to be reshaped, or not, as its sizes are.
    `steps` are its steps with their arguments, in which each number that differs between the recordings is a `Size`.
    """

    def __init__(
        self,
        dimensions: list[Dimension],
        sizes: list[int],
        recordings: list[Recorded],
        last: list[int],
        kind: Callable[[Step], Any],
    ):
        self.dimensions, self.sizes, self.last = dimensions, sizes, last
        self.base = recordings[0]
        self.recordings = recordings
        self.alike: dict[Value, tuple[Value, ...]] = {}
        all_steps = [[step for step in one.program.steps if step.kind != CHECK] for one in recordings]
        kinds = [[kind(step) for step in steps] for steps in all_steps]
        if any(one != kinds[0] for one in kinds):
            raise OnnxExporterError(f"{REFUSED}: which steps it takes goes with the sizes of its inputs. Fix these.")
        for values in zip(*[(*one.inputs, *one.outputs) for one in recordings], strict=True):
            self.alike[values[0]] = values
        self.steps: list[tuple[Step, Any]] = []
        for same in zip(*all_steps, strict=True):
            if any(len(step.results) != len(same[0].results) for step in same):
                raise OnnxExporterError(PARTS)
            self.steps.append((same[0], self.merged([step.args for step in same])))
            for values in zip(*[step.results for step in same], strict=True):
                self.alike[values[0]] = values

    def merged(self, same: Sequence[Any]) -> Any:
        """The values that the recordings have at one position, merged into one."""
        first = same[0]
        if isinstance(first, Value):
            self.alike[first] = tuple(same)
            return first
        if type(first) in (tuple, list):
            if any(len(one) != len(first) for one in same):
                raise OnnxExporterError(PARTS)
            return type(first)([self.merged(group) for group in zip(*same, strict=True)])
        if isinstance(first, slice):
            return slice(*[self.merged(part) for part in zip(*[(s.start, s.stop, s.step) for s in same], strict=True)])
        if type(first) is int:
            return self.size(same)
        if any(differs(first, other) for other in same):
            raise OnnxExporterError(f"{REFUSED}: it computes {first!r} from the size of an input. Fix that size.")
        return first

    def size(self, same: Sequence[int]) -> int | Size:
        """A number of the recordings: itself if they agree, else a `Size`."""
        if all(one == same[0] for one in same):
            return same[0]
        slopes = [one - same[0] for one in same[1:-1]]
        if same[-1] != same[0] + sum(slope * more for slope, more in zip(slopes, self.last, strict=True)):
            return Size(None)
        constant = same[0] - sum(slope * size for slope, size in zip(slopes, self.sizes, strict=True))
        terms = zip(self.dimensions, slopes, strict=True)
        return Size(tuple((dimension, slope) for dimension, slope in terms if slope), constant)

    def shape(self, value: Value) -> list[int | Size]:
        """The shape of a value, with fixed and variable sizes."""
        return [self.size(same) for same in zip(*[one.shape or () for one in self.alike[value]], strict=True)]

    def arrays(self, value: Value) -> list[np.ndarray]:
        """The arrays, one per recording, of a value that is neither input nor result."""
        return [one.constants[v] for one, v in zip(self.recordings, self.alike[value], strict=True)]


def differs(first: Any, other: Any) -> bool:
    """Whether two non-integer arguments differ; matrices for resizing are compared by their shapes."""
    if hasattr(first, "rows"):
        return first.rows.shape != other.rows.shape
    return first is not other and bool(first != other)
