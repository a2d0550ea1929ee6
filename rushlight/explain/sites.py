"""Lines of the user's program: where something was done, as a code object and a place in it, formatted when asked."""

import linecache
import sys
from inspect import unwrap
from weakref import ref

from rushlight.core.lines import is_users

DECORATED, DEFINED = -1, -2  # places of a whole function: from its first decorator on, or from its `def` on
frame_here = sys._getframe


def code_of(function):
    """The code that runs when something is called: a function, a method, a partial, an object of a class."""
    inner = unwrap(getattr(function, "func", function))
    call = inner if hasattr(inner, "__code__") else type(inner).__call__
    return getattr(call, "__code__", None)


class Site:
    """A place in the user's program.

    The watch keeps with it what is made there: `results`, the last at `clock` (see `Watch.keep`), and the leaves that
    the last result came from, the `first` and the `second` operand's in one tuple. A line that calls a container of
    modules is as many places as there are `part`s at work, which `parts` has by their ids.
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
        """The line's number: that on which the statement's part begins."""
        if self.lasti == DEFINED:
            return self.defined()
        for start, end, line in self.code.co_lines():
            if start <= self.lasti < end and line is not None:
                return line
        return self.code.co_firstlineno

    def defined(self):
        """The number of the line that names the function: the first one after its decorators."""
        first = number = self.code.co_firstlineno
        if self.text(first).startswith("@"):
            while number < first + 50 and not self.text(number).startswith(("def ", "async def ")):
                number += 1
        return number

    @property
    def source(self):
        """The line's text."""
        return self.text(self.line)

    def text(self, number):
        """The text of a line of the file."""
        return linecache.getline(self.file, number, None).strip()

    def __repr__(self):
        return f"{self.file}:{self.line}"


class Code:
    """A code object that was met: whether it is the user's, and the places in it."""

    def __init__(self, code):
        self.code = code
        self.foreign = not is_users(code.co_filename)
        self.sites = {}


class Sites:
    """All places that were met: one object for each."""

    def __init__(self):
        self.codes = {}
        self.part = None  # the part of a container that is at work

    def here(self):
        """The innermost line of the user's program that is being executed."""
        frame = frame_here()
        while frame is not None:
            code = self.code(frame.f_code)
            if not code.foreign:
                site = self.place(code, frame.f_lasti)
                return site if self.part is None else self.of_part(site)
            frame = frame.f_back
        return self.of(frame_here())

    def of_part(self, site):
        """The place of the part that is at work, at a line that calls its container."""
        if site.parts is None:
            site.parts = {}
        found = site.parts.get(id(self.part))
        if found is None:
            found = site.parts[id(self.part)] = Site(site.code, site.lasti)
            found.part = ref(self.part)
        return found

    def code(self, code):
        """What is known of a code object."""
        known = self.codes.get(id(code))
        if known is None:
            known = self.codes[id(code)] = Code(code)
        return known

    def place(self, code, lasti):
        """A place in a code object."""
        site = code.sites.get(lasti)
        if site is None:
            site = code.sites[lasti] = Site(code.code, lasti)
        return site

    def of(self, frame):
        """The place where a frame is."""
        return self.at(frame.f_code, frame.f_lasti)

    def at(self, code, lasti):
        """A place by its code object."""
        return self.place(self.code(code), lasti)

    def definition(self, function):
        """Where a function is defined, from its first decorator on; None for one that Python did not compile."""
        code = code_of(function)
        return None if code is None else self.at(code, DECORATED)

    def every(self):
        """All places of the user's program that were met."""
        whole = [site for code in list(self.codes.values()) for site in list(code.sites.values())]
        return whole + [part for site in whole if site.parts is not None for part in list(site.parts.values())]
