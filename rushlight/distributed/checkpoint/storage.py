"""Where a checkpoint is written to and read from: what `save` and `load` ask of it."""

import os
from abc import ABC, abstractmethod
from typing import Any

__all__ = ["StorageReader", "StorageWriter"]


class StorageWriter(ABC):
    """A place that a checkpoint is written to. `FileSystemWriter` is one; the methods are rushlight's own."""

    @abstractmethod
    def reset(self, checkpoint_id: str | os.PathLike[str]) -> None:
        """Turns to another place: the `checkpoint_id` that `save` is given."""

    @abstractmethod
    def name(self, rank: int) -> str:
        """The name of what a process writes."""

    @abstractmethod
    def prepare(self) -> None:
        """Makes the place ready, on rank 0: what is left there of an earlier checkpoint counts no more."""

    @abstractmethod
    def write(self, rank: int, tensors: dict[str, Any]) -> None:
        """Writes the tensors of a process."""

    @abstractmethod
    def give_up(self, rank: int, error: BaseException) -> None:
        """Lets those that wait know that a process could not write its part."""

    @abstractmethod
    def wait_for(self, names: list[str]) -> None:
        """Waits for what processes write, or without names for the whole checkpoint. RuntimeError where one gave up."""

    @abstractmethod
    def finish(self, metadata: dict[str, Any]) -> None:
        """Writes what lies where: the checkpoint is whole."""


class StorageReader(ABC):
    """A place that a checkpoint is read from. `FileSystemReader` is one; the methods are rushlight's own."""

    read_together = False  # whether all processes call `read` for each tensor, in one order, needed or not

    @abstractmethod
    def reset(self, checkpoint_id: str | os.PathLike[str]) -> None:
        """Turns to another place: the `checkpoint_id` that `load` is given."""

    @abstractmethod
    def metadata(self) -> dict[str, Any]:
        """What lies where. FileNotFoundError where there is no whole checkpoint."""

    @abstractmethod
    def read(self, name: str, key: str) -> Any:
        """A tensor from what a process wrote under a name."""
