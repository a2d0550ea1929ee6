"""The interface of storage for checkpoints, which `save` and `load` use."""

import os
from abc import ABC, abstractmethod
from typing import Any

__all__ = ["StorageReader", "StorageWriter"]


class StorageWriter(ABC):
    """Storage that a checkpoint is written to, such as `FileSystemWriter`; the methods are rushlight's own."""

    @abstractmethod
    def reset(self, checkpoint_id: str | os.PathLike[str]) -> None:
        """Turns to another place: the `checkpoint_id` that `save` is given."""

    @abstractmethod
    def name(self, rank: int) -> str:
        """The name under which a process writes."""

    @abstractmethod
    def prepare(self) -> None:
        """Prepares the storage, on rank 0: an earlier checkpoint there becomes invalid."""

    @abstractmethod
    def write(self, rank: int, tensors: dict[str, Any]) -> None:
        """Writes the tensors of a process."""

    @abstractmethod
    def give_up(self, rank: int, error: BaseException) -> None:
        """Tells waiting processes that this one could not write its part."""

    @abstractmethod
    def wait_for(self, names: list[str]) -> None:
        """Waits for the named parts, or without names for the whole checkpoint. RuntimeError if a process gave up."""

    @abstractmethod
    def finish(self, metadata: dict[str, Any]) -> None:
        """Writes the metadata, which completes the checkpoint."""


class StorageReader(ABC):
    """Storage that a checkpoint is read from, such as `FileSystemReader`; the methods are rushlight's own."""

    read_together = False  # whether all processes call `read` for each tensor, in one order, needed or not

    @abstractmethod
    def reset(self, checkpoint_id: str | os.PathLike[str]) -> None:
        """Turns to another place: the `checkpoint_id` that `load` is given."""

    @abstractmethod
    def metadata(self) -> dict[str, Any]:
        """The metadata. FileNotFoundError if there is no complete checkpoint."""

    @abstractmethod
    def read(self, name: str, key: str) -> Any:
        """A tensor that a process wrote under a name."""
