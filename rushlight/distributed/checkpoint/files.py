"""The folder of a checkpoint: a file from each process, and `.metadata`, written last, which says what lies where."""

import os
import time
from pathlib import Path
from typing import Any

from rushlight.distributed.checkpoint.storage import StorageReader, StorageWriter
from rushlight.serialization import load, save

__all__ = ["FileSystemReader", "FileSystemWriter"]

METADATA = ".metadata"


class FileSystemWriter(StorageWriter):
    """Writes a checkpoint to a folder. A `.metadata` there means that the checkpoint is whole."""

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
        """Makes the folder, and takes away what is left there of an earlier checkpoint, its mark first."""
        self.path.mkdir(parents=True, exist_ok=True)
        (self.path / METADATA).unlink(missing_ok=True)
        for left in [*self.path.glob("__*_0.distcp"), *self.path.glob("*.failed")]:
            left.unlink()

    def write(self, rank: int, tensors: dict[str, Any]) -> None:
        """Writes the tensors of a process."""
        save(tensors, self.path / self.name(rank))

    def give_up(self, rank: int, error: BaseException) -> None:
        """Lets those that wait know that a process could not write its file."""
        (self.path / f"{rank}.failed").write_text(f"rank {rank}: {error}")

    def wait_for(self, names: list[str]) -> None:
        """Waits until there are files, or without names the whole checkpoint. RuntimeError where a process gave up."""
        while not all((self.path / name).exists() for name in names or [METADATA]):
            for failed in self.path.glob("*.failed"):
                raise RuntimeError(f"The checkpoint in {self.path} could not be written: {failed.read_text()}")
            time.sleep(0.01)

    def finish(self, metadata: dict[str, Any]) -> None:
        """Writes what lies where."""
        save(metadata, self.path / METADATA)


class FileSystemReader(StorageReader):
    """Reads a checkpoint from a folder."""

    path: Path
    _files: dict[str, dict[str, Any]]

    def __init__(self, path: str | os.PathLike[str]):
        self.reset(path)

    def reset(self, checkpoint_id: str | os.PathLike[str]) -> None:
        """Turns to another folder."""
        self.path, self._files = Path(checkpoint_id), {}

    def metadata(self) -> dict[str, Any]:
        """What lies where. FileNotFoundError where there is no whole checkpoint."""
        file = self.path / METADATA
        if not file.exists():
            raise FileNotFoundError(f"{self.path} holds no checkpoint, or one that was not finished: no {METADATA}.")
        return load(file)

    def read(self, name: str, key: str) -> Any:
        """A tensor from the file of a process."""
        if name not in self._files:
            self._files[name] = load(self.path / name, mmap=True)
        return self._files[name][key]
