"""Programs with several processes: rushlight replaces PyTorch in each of them, and output lines can be labelled."""

import os
import sys
import time
from multiprocessing import spawn
from typing import Any, TextIO

from rushlight.interop.imports import serve_mindspore, serve_torch
from rushlight.launch.place import place_from_launcher
from rushlight.launch.start import LABELS


def serve_all() -> None:
    """Makes `import torch` and `import mindspore` give rushlight in this process."""
    serve_torch()
    serve_mindspore()


class ServeOnArrival:
    """Unpickled in a process, makes it import rushlight as PyTorch and MindSpore, and its child processes too."""

    def __reduce__(self) -> Any:
        return serve_here, ()


def serve_children() -> None:
    """Makes new processes of `multiprocessing`, and their children, import rushlight as PyTorch too.

    It is pickled into their preparation data, which they load before they import the program's main module.
    """
    prepare: Any = spawn.get_preparation_data
    spawn.get_preparation_data = lambda name: {"rushlight": ServeOnArrival(), **prepare(name)}


def serve_here() -> None:
    """Makes this process and its children import rushlight as PyTorch and MindSpore."""
    serve_all()
    serve_children()


def label_output() -> None:
    """Begins each line of output with the process's rank and the time, if `rushlight launch` was asked to."""
    place = place_from_launcher()
    if place is not None and os.environ.get(LABELS):
        sys.stdout = Labelled(sys.stdout, str(place.rank))
        sys.stderr = Labelled(sys.stderr, str(place.rank))


class Labelled:
    """A text stream that begins each line with a rank and the time, and writes only whole lines."""

    stream: TextIO
    rank: str
    line: str

    def __init__(self, stream: TextIO, rank: str):
        self.stream, self.rank, self.line = stream, rank, ""

    def write(self, text: str) -> int:
        """Writes complete lines, and keeps the rest for later."""
        *lines, self.line = (self.line + text).split("\n")
        for line in lines:
            self.stream.write(f"[rank {self.rank} {time.strftime('%H:%M:%S')}] {line}\n")
        if lines:
            self.stream.flush()
        return len(text)

    def flush(self) -> None:
        """Writes the incomplete line."""
        if self.line:
            self.write("\n")
        self.stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)
