"""The folder of a checkpoint: a file from each process, and `.metadata`, written last, which says what lies where."""

import os
from pathlib import Path
from typing import Any

from rushlight.serialization import load, save

__all__ = ["FileSystemReader", "FileSystemWriter"]

METADATA = ".metadata"


class FileSystemWriter:
    """Writes a checkpoint to a folder. A `.metadata` there means that the checkpoint is whole."""

    def __init__(self, path: str | os.PathLike):
        self.path = Path(path)

    def prepare(self) -> None:
        """Makes the folder, and takes away the mark of an earlier checkpoint in it."""
        self.path.mkdir(parents=True, exist_ok=True)
        (self.path / METADATA).unlink(missing_ok=True)

    def write(self, rank: int, tensors: dict[str, Any]) -> str:
        """Writes the tensors of a process; gives the name of the file."""
        name = f"__{rank}_0.distcp"
        save(tensors, self.path / name)
        return name

    def finish(self, metadata: dict[str, Any]) -> None:
        """Writes what lies where."""
        save(metadata, self.path / METADATA)


class FileSystemReader:
    """Reads a checkpoint from a folder."""

    def __init__(self, path: str | os.PathLike):
        self.path = Path(path)
        self._files: dict[str, dict[str, Any]] = {}

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
