"""Containers of cells."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any

from rushlight.interop.mindspore.nn.cell import Cell

__all__ = ["CellList", "SequentialCell"]


class Cells(Cell):
    """A numbered sequence of cells."""

    def __init__(self, *args: Any):
        super().__init__()
        given = args[0] if len(args) == 1 and not isinstance(args[0], Cell) else args
        named = given.items() if isinstance(given, OrderedDict) else ((str(i), c) for i, c in enumerate(given))
        for name, cell in named:
            self.add(name, cell)

    def add(self, name: str, cell: Cell) -> None:
        """Adds a cell, and prefixes its parameters' names with its own. TypeError for anything else."""
        if not isinstance(cell, Cell):
            raise TypeError(f"For '{type(self).__name__}', each element should be a Cell, but got {type(cell)}.")
        cell.update_parameters_name(f"{name}.")
        self.insert_child_to_cell(name, cell)

    def append(self, cell: Cell) -> "Cells":
        """Adds a cell at the end."""
        self.add(str(len(self)), cell)
        return self

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[Cell]:
        return iter(self._cells.values())

    def __getitem__(self, index: int | slice) -> Any:
        cells = list(self._cells.values())
        if not isinstance(index, slice):
            return cells[index]
        part = type(self)()
        part._cells.update(list(self._cells.items())[index])
        return part


class SequentialCell(Cells):
    """Cells that run one after another: given as arguments, as a list, or by name in an OrderedDict.

    >>> import rushlight.interop.mindspore as ms
    >>> import rushlight.interop.mindspore.nn as nn
    >>> net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU())
    >>> net
    SequentialCell<
      (0): Dense<input_channels=2, output_channels=3, has_bias=True>
      (1): ReLU<>
      >
    >>> [p.name for p in net.trainable_params()]
    ['0.weight', '0.bias']
    """

    def construct(self, input_data: Any) -> Any:
        """The result of the last cell."""
        for cell in self._cells.values():
            input_data = cell(input_data)
        return input_data


class CellList(Cells):
    """A list of cells, which the owner calls itself."""

    def extend(self, cells: Iterable[Cell]) -> "CellList":
        """Adds cells at the end."""
        for cell in cells:
            self.append(cell)
        return self
