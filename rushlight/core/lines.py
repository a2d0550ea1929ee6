"""Lines of the user's program: which frames belong to the user, and warnings at the user's lines."""

import os
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from itertools import islice
from types import TracebackType
from typing import Any

import numpy as np

from rushlight.core.above import above

__all__ = [
    "HERE",
    "OURS",
    "PYTHON",
    "USER",
    "is_users",
    "line_in",
    "line_of_user",
    "lines_of_user",
    "place_of_user",
    "user_frames",
    "user_traces",
    "warn",
    "whose",
]

USER, PYTHON, OURS = range(3)
HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
DEMO = HERE + "demo.py"  # rushlight's own program, whose mistakes are deliberate
LIBRARIES = (HERE, "rushlight" + os.sep, os.path.dirname(np.__file__) + os.sep)  # compiled files have relative names
STDLIB = os.path.dirname(os.__file__) + os.sep
RUNNERS = (  # programs that run other programs: a notebook's cell, a line of a console, a module
    os.sep + "IPython" + os.sep,
    os.sep + "ipykernel" + os.sep,
    STDLIB + "code.py",
    STDLIB + "runpy.py",
    "<frozen runpy>",
)


@cache
def whose(filename: Any) -> Any:
    """Whose code a file is: the user's (or another package's), Python's, or that of rushlight and NumPy."""
    if filename.startswith(("<frozen", STDLIB)) and "-packages" + os.sep not in filename:
        return PYTHON
    return OURS if filename.startswith(LIBRARIES) and filename != DEMO else USER


def is_users(filename: Any) -> Any:
    """Whether a file is the user's."""
    return whose(filename) == USER


@cache
def is_runner(filename: Any) -> Any:
    """Whether a file runs programs, so that the frames outside it are not the program's."""
    return any(name in filename for name in RUNNERS)


def user_frames(frame: Any) -> Iterator[Any]:
    """The frames of the user's program, from a frame outwards; in a notebook those of the cell."""
    while frame is not None:
        filename = frame.f_code.co_filename
        if is_runner(filename):
            return
        if is_users(filename):
            yield frame
        frame = frame.f_back


def user_traces(error: BaseException) -> Iterator[TracebackType]:
    """The entries of an error's traceback that belong to the user's program, the innermost last."""
    trace = error.__traceback__
    while trace is not None:
        if is_users(trace.tb_frame.f_code.co_filename):
            yield trace
        trace = trace.tb_next


def lines_of_user() -> Any:
    """The lines of the user's program that led here, the innermost last, formatted as in tracebacks."""
    return formatted_lines(reversed(list(user_frames(sys._getframe(1)))))


def formatted_lines(frames: Any) -> Any:
    """The lines of some frames, formatted as in tracebacks."""
    import traceback

    return traceback.StackSummary.extract((frame, frame.f_lineno) for frame in frames).format()


@above
def line_of_user() -> Any:
    """The innermost line of the user's program, formatted as in tracebacks."""
    return "".join(formatted_lines(islice(user_frames(sys._getframe(1)), 1)))


def place_of_user() -> Any:
    """The innermost line of the user's program, as "file.py:12"."""
    frame: Any = sys._getframe(1)
    while frame is not None and whose(filename := frame.f_code.co_filename) != USER and not is_runner(filename):
        frame = frame.f_back
    return "" if frame is None or is_runner(filename) else f"{filename}:{frame.f_lineno}"


def line_in(code: Any) -> Any:
    """The line of the innermost active call of a code object; None if it is not active."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code is not code:
        frame = frame.f_back
    return None if frame is None else frame.f_lineno


def warn(message: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warns at the innermost line of the user's program, however many frames lie between."""
    frame: Any = sys._getframe(1)
    level = 2
    while frame is not None and not is_users(frame.f_code.co_filename):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
