"""Lines of the user's program: where something was done, as a code object and a place in it, formatted when asked."""

import linecache
import os
import sys
from types import CodeType, FrameType

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
DEMO = HERE + "demo.py"  # a program of rushlight's own, whose mistakes are meant
OUTSIDE = ("contextlib.py", "functools.py", "runpy.py", "threading.py")
_foreign: dict[str, bool] = {}  # by file name: whether the file is none of the user's


class Site:
    """A place in the user's program."""

    __slots__ = ("code", "lasti", "modes")

    def __init__(self, code: CodeType, lasti: int):
        self.code = code
        self.lasti = lasti
        self.modes: tuple | None = None  # what switched recording off there, see `modes`

    @property
    def file(self) -> str:
        """The file's name."""
        return self.code.co_filename

    @property
    def line(self) -> int:
        """The line's number: that on which the statement's part begins."""
        for start, end, line in self.code.co_lines():
            if start <= self.lasti < end and line is not None:
                return line
        return self.code.co_firstlineno

    @property
    def source(self) -> str:
        """The line's text."""
        return linecache.getline(self.file, self.line, None).strip()

    def __repr__(self):
        return f"{self.file}:{self.line}"


class Sites:
    """All places that were met: one object for each."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, int], Site] = {}

    def here(self, depth: int = 1) -> Site:
        """The innermost line of the user's program that is being executed."""
        frame: FrameType | None = sys._getframe(depth)
        while frame is not None:
            code = frame.f_code
            foreign = _foreign.get(code.co_filename)
            if foreign is None:
                foreign = is_foreign(code.co_filename)
            if not foreign:
                return self.known.get((id(code), frame.f_lasti)) or self.of(frame)
            frame = frame.f_back
        return self.of(sys._getframe(depth))

    def definition(self, function) -> Site:
        """Where a function is defined, from its first decorator on."""
        return self.known.setdefault((id(function.__code__), -1), Site(function.__code__, -1))

    def of(self, frame: FrameType) -> Site:
        """The place where a frame is."""
        code, lasti = frame.f_code, frame.f_lasti
        site = self.known.get((id(code), lasti))
        if site is None:
            site = self.known[id(code), lasti] = Site(code, lasti)
        return site


def is_foreign(filename: str) -> bool:
    """Whether a file is none of the user's: rushlight's own (compiled ones have relative names), or Python's."""
    found = _foreign.get(filename)
    if found is None:
        ours = filename.startswith((HERE, "<frozen", "rushlight" + os.sep)) and filename != DEMO
        found = _foreign[filename] = ours or filename.endswith(OUTSIDE)
    return found


def user_frames(frame: FrameType | None) -> list[FrameType]:
    """The frames of the user's program from one outwards."""
    frames = []
    while frame is not None:
        if not is_foreign(frame.f_code.co_filename):
            frames.append(frame)
        frame = frame.f_back
    return frames
