"""A checkpoint's directory: a file from each process, and `.metadata`, written last, which tells where things are."""

import os
import time
from pathlib import Path
from typing import Any

from rushlight.distributed.checkpoint.planner import CheckpointException
from rushlight.distributed.checkpoint.storage import StorageReader, StorageWriter
from rushlight.serialization import LoadError, load, save

__all__ = ["FileSystemReader", "FileSystemWriter"]

METADATA = ".metadata"


class FileSystemWriter(StorageWriter):
    """Writes a checkpoint to a directory. It is complete once `.metadata` exists."""

    path: Path

    def __init__(self, path: str | os.PathLike[str]):
        self.reset(path)

    def reset(self, checkpoint_id: str | os.PathLike[str]) -> None:
        """Turns to another folder."""
        self.path = Path(checkpoint_id)

    def name(self, rank: int) -> str:
        """The name of a process's file."""
        return f"__{rank}_0.distcp"

    def prepare(self) -> None:
        """Makes the directory, and removes an earlier checkpoint from it, `.metadata` first."""
        self.path.mkdir(parents=True, exist_ok=True)
        (self.path / METADATA).unlink(missing_ok=True)
        for left in [*self.path.glob("__*_0.distcp"), *self.path.glob("*.failed")]:
            left.unlink()

    def write(self, rank: int, tensors: dict[str, Any]) -> None:
        """Writes the tensors of a process."""
        save(tensors, self.path / self.name(rank))

    def give_up(self, rank: int, error: BaseException) -> None:
        """Tells waiting processes that this one could not write its file."""
        (self.path / f"{rank}.failed").write_text(f"rank {rank}: {error}")

    def wait_for(self, names: list[str]) -> None:
        """Waits until the named files exist, or without names for the whole checkpoint.

        RuntimeError if a process gave up.
        """
        while not all((self.path / name).exists() for name in names or [METADATA]):
            for failed in self.path.glob("*.failed"):
                raise RuntimeError(f"The checkpoint in {self.path} could not be written: {failed.read_text()}")
            time.sleep(0.01)

    def finish(self, metadata: dict[str, Any]) -> None:
        """Writes `.metadata`."""
        save(metadata, self.path / METADATA)


class FileSystemReader(StorageReader):
    """Reads a checkpoint from a directory."""

    path: Path
    _files: dict[str, dict[str, Any]]

    def __init__(self, path: str | os.PathLike[str]):
        self.reset(path)

    def reset(self, checkpoint_id: str | os.PathLike[str]) -> None:
        """Turns to another folder."""
        self.path, self._files = Path(checkpoint_id), {}

    def metadata(self) -> dict[str, Any]:
        """The content of `.metadata`. FileNotFoundError if it is missing, CheckpointException if it is PyTorch's."""
        file = self.path / METADATA
        if not file.exists():
            raise FileNotFoundError(f"{self.path} holds no checkpoint, or one that was not finished: no {METADATA}.")
        try:
            return load(file)
        except LoadError as error:
            raise CheckpointException(
                f"{self.path} is not a checkpoint of rushlight's, whose directories have their own format. Convert "
                "PyTorch's to a file with its dcp_to_torch_save, and that to a directory with torch_save_to_dcp here."
            ) from error

    def read(self, name: str, key: str) -> Any:
        """A tensor from a process's file."""
        if name not in self._files:
            self._files[name] = load(self.path / name, mmap=True)
        return self._files[name][key]
