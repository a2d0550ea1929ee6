"""Lines of the user's program: where something was done, as a code object and a place in it, formatted when asked."""

import linecache
import sys

from rushlight.core.lines import is_users

DECORATED, DEFINED = -1, -2  # places of a whole function: from its first decorator on, or from its `def` on
frame_here = sys._getframe


class Site:
    """A place in the user's program.

    The watch keeps with it what is made there: `results`, the last at `clock` (see `Watch.keep`), and the leaves that
    the last result came from, the `first` and the `second` operand's in one tuple.
    """

    def __init__(self, code, lasti):
        self.code = code
        self.lasti = lasti
        self.clock = -1
        self.results = None
        self.first = self.second = self.both = ()

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

    def here(self):
        """The innermost line of the user's program that is being executed."""
        frame = frame_here()
        while frame is not None:
            code = self.code(frame.f_code)
            if not code.foreign:
                return self.place(code, frame.f_lasti)
            frame = frame.f_back
        return self.of(frame_here())

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
        """Where a function is defined, from its first decorator on."""
        return self.at(function.__code__, DECORATED)

    def every(self):
        """All places of the user's program that were met."""
        return [site for code in list(self.codes.values()) for site in list(code.sites.values())]
