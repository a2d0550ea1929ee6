"""Sites: lines of the user's program, as a code object and an offset in it; formatted only when needed."""

import linecache
import sys
from inspect import unwrap
from weakref import ref

from rushlight.core.lines import is_users

DECORATED, DEFINED = -1, -2  # offsets for a whole function: from its first decorator on, or from its `def` on
frame_here = sys._getframe


def code_of(function):
    """The code object that runs when an object is called: a function, method, partial, or callable object."""
    inner = unwrap(getattr(function, "func", function))
    call = inner if hasattr(inner, "__code__") else type(inner).__call__
    return getattr(call, "__code__", None)


class Site:
    """A place in the user's program.

    The observer stores what is made there: `results`, the last at `clock` (see `Watch.keep`), and the leaves behind the
    last result, those of the `first` and the `second` operand in one tuple. A line that calls a container of modules
    has a site for each `part` that runs; `parts` maps their ids to the sites.
    """

    def __init__(self, code, lasti):
        self.code = code
        self.lasti = lasti
        self.clock = -1
        self.results = None
        self.first = self.second = self.both = ()
        self.part = None  # a weak reference to a module
        self.parts = None

    @property
    def file(self):
        """The file's name."""
        return self.code.co_filename

    @property
    def line(self):
        """The line number where the part of the statement begins."""
        if self.lasti == DEFINED:
            return self.defined()
        for start, end, line in self.code.co_lines():
            if start <= self.lasti < end and line is not None:
                return line
        return self.code.co_firstlineno

    def defined(self):
        """The line number of a function's `def`, after its decorators."""
        first = number = self.code.co_firstlineno
        if self.text(first).startswith("@"):
            while number < first + 50 and not self.text(number).startswith(("def ", "async def ")):
                number += 1
        return number

    @property
    def source(self):
        """The text of the line."""
        return self.text(self.line)

    def text(self, number):
        """The text of a line in the file."""
        return linecache.getline(self.file, number, None).strip()

    def __repr__(self):
        return f"{self.file}:{self.line}"


class Code:
    """A code object that was seen: whether it is the user's, and the sites in it."""

    def __init__(self, code):
        self.code = code
        self.foreign = not is_users(code.co_filename)
        self.sites = {}


class Sites:
    """All sites that were seen: one object for each."""

    def __init__(self):
        self.codes = {}
        self.part = None  # the part of a container that is running

    def here(self):
        """The innermost line of the user's program that is running."""
        frame = frame_here()
        while frame is not None:
            code = self.code(frame.f_code)
            if not code.foreign:
                site = self.place(code, frame.f_lasti)
                return site if self.part is None else self.of_part(site)
            frame = frame.f_back
        return self.of(frame_here())

    def of_part(self, site):
        """The site of the running part, at a line that calls its container."""
        if site.parts is None:
            site.parts = {}
        found = site.parts.get(id(self.part))
        if found is None:
            found = site.parts[id(self.part)] = Site(site.code, site.lasti)
            found.part = ref(self.part)
        return found

    def code(self, code):
        """The record of a code object."""
        known = self.codes.get(id(code))
        if known is None:
            known = self.codes[id(code)] = Code(code)
        return known

    def place(self, code, lasti):
        """The site of a code object's record and an offset."""
        site = code.sites.get(lasti)
        if site is None:
            site = code.sites[lasti] = Site(code.code, lasti)
        return site

    def of(self, frame):
        """The site of a frame."""
        return self.at(frame.f_code, frame.f_lasti)

    def at(self, code, lasti):
        """The site of a code object and an offset."""
        return self.place(self.code(code), lasti)

    def definition(self, function):
        """The site of a function's definition, from its first decorator on; None for a function without Python code."""
        code = code_of(function)
        return None if code is None else self.at(code, DECORATED)

    def every(self):
        """All sites in the user's program that were seen."""
        whole = [site for code in list(self.codes.values()) for site in list(code.sites.values())]
        return whole + [part for site in whole if site.parts is not None for part in list(site.parts.values())]
