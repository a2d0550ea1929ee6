"""Handlers for a finished recording."""

import os
import socket
import time
from collections.abc import Callable
from typing import Any


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False, use_python_export: bool = False
) -> Callable[..., None]:
    """A function for `on_trace_ready` that writes each trace to a directory, for TensorBoard's profiler plugin.

    `worker_name` distinguishes processes; the default is host name and process id. `use_gzip` compresses. Traces
    are written in Python in any case. RuntimeError if the directory cannot be made.

    >>> import rushlight as torch
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = tempfile.mkdtemp()
    >>> handler = torch.profiler.tensorboard_trace_handler(folder, worker_name="one")
    >>> with torch.profiler.profile(on_trace_ready=handler):
    ...     torch.ones(2).sum()
    tensor(2.)
    >>> len(list(Path(folder).glob("one.*.pt.trace.json")))
    1
    """
    worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"

    def handler(profiler: Any) -> None:
        try:
            os.makedirs(dir_name, exist_ok=True)
        except OSError as error:
            raise RuntimeError("Can't create directory: " + dir_name) from error
        name = f"{worker}.{time.time_ns()}.pt.trace.json{'.gz' if use_gzip else ''}"
        profiler.export_chrome_trace(os.path.join(dir_name, name), use_python_export)

    return handler
