"""Programs of several processes: rushlight in each of them, and whose line of output is whose."""

import os
import sys
import time
from multiprocessing import spawn
from typing import Any, TextIO

from rushlight.interop.imports import serve_mindspore, serve_torch
from rushlight.launch.place import place_from_launcher
from rushlight.launch.start import LABELS


def serve_all() -> None:
    """Serves PyTorch's and MindSpore's names in this process."""
    serve_torch()
    serve_mindspore()


class ServeOnArrival:
    """Serves PyTorch's and MindSpore's names in the process that it is unpickled in, and in those that this starts."""

    def __reduce__(self) -> Any:
        return serve_here, ()


def serve_children() -> None:
    """From now on, new processes of `multiprocessing` get rushlight for PyTorch too, and those that they start.

    What they are to know they get pickled, before they import the program's main module.
    """
    prepare: Any = spawn.get_preparation_data
    spawn.get_preparation_data = lambda name: {"rushlight": ServeOnArrival(), **prepare(name)}


def serve_here() -> None:
    """Serves them in this process and those that it starts."""
    serve_all()
    serve_children()


def label_output() -> None:
    """Begins each line of output with the process's rank and the time, where `rushlight launch` asked for that."""
    place = place_from_launcher()
    if place is not None and os.environ.get(LABELS):
        sys.stdout = Labelled(sys.stdout, str(place.rank))
        sys.stderr = Labelled(sys.stderr, str(place.rank))


class Labelled:
    """A text stream that begins each line with a rank and the time, and writes whole lines."""

    stream: TextIO
    rank: str
    line: str

    def __init__(self, stream: TextIO, rank: str):
        self.stream, self.rank, self.line = stream, rank, ""

    def write(self, text: str) -> int:
        """Writes the lines that are whole, and keeps the rest for later."""
        *lines, self.line = (self.line + text).split("\n")
        for line in lines:
            self.stream.write(f"[rank {self.rank} {time.strftime('%H:%M:%S')}] {line}\n")
        if lines:
            self.stream.flush()
        return len(text)

    def flush(self) -> None:
        """Writes what there is of a line."""
        if self.line:
            self.write("\n")
        self.stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)
