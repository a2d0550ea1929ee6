"""The stack of lines that led to an event."""

import contextlib
import os
import sys
from functools import cache
from types import FrameType

HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGES = ("core", "ops", "kernels", "overrides", "profiler", "autograd")
INNER = tuple(os.path.join(HERE, package) + os.sep for package in PACKAGES)
INNER += (contextlib.__file__,)


def stack_here() -> list[str]:
    """The active calls, the innermost first, without those of rushlight's operators."""
    entries = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(INNER):
            entries.append(f"{shortened(code.co_filename)}({frame.f_lineno}): {code.co_name}")
        frame = frame.f_back
    return entries


@cache
def shortened(path: str) -> str:
    """A file's path relative to its folder on `sys.path`."""
    folders = [folder for folder in sys.path if folder and path.startswith(folder.rstrip(os.sep) + os.sep)]
    return os.path.relpath(path, max(folders, key=len)) if folders else path
