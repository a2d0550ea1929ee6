"""What looks on while a program is explained: the core passes calls, changes and backward passes through here."""

import sys
from collections import deque
from contextlib import contextmanager
from threading import local
from weakref import ref

import numpy as np

from rushlight.core.context import last_number
from rushlight.core.graph import TensorBase
from rushlight.core.interpreters import Interpreter
from rushlight.core.modes import CURRENT
from rushlight.explain.bad_values import TAME, born, is_bad
from rushlight.explain.origins import KEY, Birth, Cut, Info, Origins, merged
from rushlight.explain.sites import Site, Sites

ndarray = np.ndarray


class Here(local):
    """Where recording was switched off, in a thread."""

    still = False  # whether numbers that are asked for are only a part of something else

    def __init__(self):
        self.modes: list[tuple[object, Site]] = []

    @contextmanager
    def quiet(self):
        """A context in which numbers that are asked for are not noted."""
        outside, self.still = self.still, True
        try:
            yield
        finally:
            self.still = outside


class Quiet:
    """A context in which nothing is noted."""

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None

    def made(self, results, sources=()):
        """What came of it is not looked at."""


QUIET = Quiet()


class Change:
    """Who changed a tensor in place: the line, and the optimizer if it was one, with the number of its step."""

    __slots__ = ("by", "site", "step")

    def __init__(self, site: Site, by: str | None, step: int):
        self.site = site
        self.by = by
        self.step = step

    def __str__(self):
        where = f'  File "{self.site.file}", line {self.site.line}\n    {self.site.source}\n'
        return where if self.by is None else f"{where}  (step {self.step} of the {self.by} optimizer)\n"


class Watch(Interpreter):
    """Looks on, and notes where things come from. `ledger` keeps what passes and steps bring, `readings` looks at
    calls of which the use itself tells something.
    """

    def __init__(self, ledger, readings):
        self.sites = Sites()
        self.origins = Origins()
        self.here = Here()
        self.cuts: dict[tuple, Cut] = {}
        self.spans: dict[Site, Info] = {}  # by line, the results whose graph spans several steps
        self.numbers: dict[Site, deque] = {}  # by line, the last results of one element
        self.alive: dict[Site, set[int]] = {}  # by line, how old those were that were there at one time
        self.left: tuple[Cut, ...] = ()  # values that became numbers since the last pass
        self.troubles: list[Exception] = []  # what went wrong while notes were taken
        self.ledger = ledger
        self.readings = readings

    # calls of operators

    def looks_on(self):
        """In all threads."""
        return True

    def concerns(self, op, args):
        """Every call."""
        return True

    def call(self, op, args, below):
        """Calls an operator, and notes where its results come from."""
        result = below(op, args)
        tensors = []
        for a in args:
            if isinstance(a, TensorBase):
                tensors.append(a)
            elif type(a) is tuple or type(a) is list:
                tensors += [item for item in a if isinstance(item, TensorBase)]
        if tensors and result is not NotImplemented:
            try:
                self.note(op, args, tensors, result)
            except Exception as error:
                self.troubles.append(error)
        return result

    def note(self, op, args, tensors, result) -> None:
        """Notes where the results of a call come from."""
        clock = self.ledger.clock
        info = Info(self.sites.here(3), op.name, clock)
        outs = result if type(result) is tuple else (result,)
        known = []
        born_before = None
        for t in tensors:
            node = t._node
            if node is None:
                one = None if t._needs and id(t) not in self.origins.table else self.known(t, info)
            else:
                one = None if node.notes is None else node.notes.get(KEY)
            known.append(one)
            if one is not None:
                if one.cuts:
                    info.cuts = merged(info.cuts, one.cuts)
                if one.birth is not None:
                    born_before = one.birth
                if one.step < clock and one.name != "data" and one.depth >= info.depth:
                    info.depth = one.depth + 1
                elif one.depth > info.depth:
                    info.depth = one.depth
        if not outs[0]._needs:
            self.unrecorded(op, info, tensors, known, outs)
        else:
            if info.depth:
                self.spans[info.site] = info
            if outs[0]._array.ndim == 0:
                self.numbers.setdefault(info.site, deque(maxlen=16)).append((ref(outs[0]), clock))
        if op.view:
            info.birth = born_before
        elif born_before is not None or op.name not in TAME:
            array = outs[0]._array
            if type(array) is ndarray and is_bad(array):
                info.birth = born(info, op, args, tensors, known, array)
        if op.name in self.readings.wanted:
            self.readings.look(op.name, info, args, known, outs[0])
        for out in outs:
            if not out._needs and outs[0]._needs and out._array.dtype.kind in "biu":
                self.indices(op, info, tensors, out)
                continue
            node = out._node
            if node is not None and node.notes is None:
                node.notes = {KEY: info}
            else:
                self.origins.keep(out, info)

    def indices(self, op, info: Info, tensors, out) -> None:
        """Integers beside a result that is recorded: topk's, sort's."""
        beside = Info(info.site, op.name, info.step)
        lost = [t for t in tensors if t.requires_grad]
        beside.cuts = merged(info.cuts, (self.cut(info.site, "integer", f"{op.name}()", lost),))
        self.origins.keep(out, beside)

    def known(self, tensor, info: Info) -> Info | None:
        """What is known of an operand. Of data that comes from nowhere since values left the graph: that they did."""
        found = self.origins.of(tensor)
        if found is None and not tensor._needs and tensor._node is None:
            found = Info(info.site, "data", info.step)
            array = tensor._array
            if type(array) is ndarray and array.dtype.kind in "fc":
                if self.left:
                    found.cuts = self.left
                if is_bad(array):
                    found.birth = Birth(info.site, "data", "nan" if np.isnan(array).any() else "inf")
            self.origins.keep(tensor, found)
        return found

    def count_alive(self) -> None:
        """Looks which lines have results of one element, losses say, of several steps that are still there."""
        for site, held in self.numbers.items():
            clocks = {clock for result, clock in held if (t := result()) is not None and t._node is not None}
            if len(clocks) > len(self.alive.get(site, ())):
                self.alive[site] = clocks

    def unrecorded(self, op, info: Info, tensors, known, outs) -> None:
        """A result that does not require grad: whether it would have to, and which leaves it comes from."""
        lost = [t for t in tensors if t.requires_grad]
        if lost:
            kind = outs[0]._array.dtype.kind
            mode = not CURRENT.get().grad
            how = "mode" if mode else "integer" if kind in "biu" else "constant"
            cut = self.cut(info.site, how, f"{op.name}()", lost, self.mode_site() if mode else None)
            info.cuts = merged(info.cuts, (cut,))
            return
        plain: tuple = ()
        for t, one in zip(tensors, known, strict=True):
            if one is not None and one.name != "data":
                plain = merged(plain, one.plain, 6)
            elif one is not None:
                plain = merged(plain, (self.origins.table[id(t)],), 6)
        info.plain = plain

    # values that leave the graph

    def cut(self, site: Site, how: str, name: str, tensors, where: Site | None = None) -> Cut:
        """The cut at a place, made when it is first met."""
        key = (site, how)
        found = self.cuts.get(key)
        if found is None:
            found = self.cuts[key] = Cut(site, how, name, where)
        for tensor in tensors:
            found.take(tensor)
        return found

    def mode_site(self) -> Site | None:
        """The line that switched recording off."""
        return self.here.modes[-1][1] if self.here.modes else None

    def left_graph(self, tensor, how: str, result=None, name: str = "") -> None:
        """A tensor's values go on without their history: in another tensor, or as numbers."""
        known = self.origins.of(tensor)
        cuts = () if known is None else known.cuts
        site = self.sites.here(3)
        if tensor.requires_grad:
            if result is None and tensor._node is not None and tensor._node.sequence in self.ledger.roots:
                return
            cuts = merged(cuts, (self.cut(site, how, name or how, (tensor,)),))
        elif result is None and cuts and cuts[-1].how == "detach" and cuts[-1].site.line == site.line:
            whole = self.cut(site, how, how, ())  # detach() is only the first half of it
            whole.leaves.update(cuts[-1].leaves)
            cuts = (*cuts[:-1], whole)
        if result is None:
            self.left = merged(self.left, cuts)
            return
        info = Info(site, how, self.ledger.clock)
        info.cuts = cuts
        if known is not None:
            info.birth, info.plain = known.birth, known.plain
        self.origins.keep(result, info)

    # changes in place

    def changing(self, function, tensor, args):
        """A change in place is about to be made: what is noted of it is `changer`."""
        info = self.origins.of(tensor)
        if info is not None and info.source is not None and info.source() is not None:
            self.ledger.unseen.append((info.source, self.sites.here(2), last_number()))
        return QUIET

    def changer(self) -> Change:
        """Who changes a tensor just now."""
        by = self.ledger.stepping
        return Change(self.sites.here(3), by and type(by).__name__, self.ledger.steps)

    # backward passes

    def begin_pass(self, run, roots) -> None:
        """A backward pass begins."""
        self.ledger.begin(run, roots, self.sites.here(2))

    def end_pass(self, run) -> None:
        """It is over."""
        self.left = ()
        self.ledger.end(run, sys.exc_info()[0] is not None)

    def evaluating(self, vertex):
        """A vertex has its turn: nothing to note."""
        return QUIET

    def applying(self, node, grad):
        """A node's derivative is computed."""
        return self.ledger.applying(node)

    def accumulating(self, leaf):
        """A gradient is added to a leaf's."""
        return self.ledger.arriving(leaf)

    def region(self, name, scope=0, sequence=-1, args=()):
        """A part of the program that profilers show by its name."""
        return QUIET
