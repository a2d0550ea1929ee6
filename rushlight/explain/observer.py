"""The observer of a program that is explained: the core shows it calls, in-place changes and backward passes."""

import sys
from contextlib import contextmanager
from threading import local
from weakref import ref

from rushlight.core.context import last_number
from rushlight.core.graph import TensorBase
from rushlight.core.interpreters import Onlooker
from rushlight.core.kinds import kind_of
from rushlight.core.lines import user_frames
from rushlight.core.modes import CURRENT
from rushlight.explain.bad_values import TAME, birth_in, born
from rushlight.explain.finite import is_bad
from rushlight.explain.holders import holder_of
from rushlight.explain.origins import Cut, info_at, info_of, merged, tell
from rushlight.explain.sites import Site, Sites

MANY = 8  # the number of results from which on `Readings.of_many` looks at a call
THROUGH = frozenset(
    ["log", "add", "add_scaled", "clamp", "clamp_min", "clamp_max", "dropout", "masked_fill", "mul", "neg", "exp"]
)  # a softmax keeps its recorded dimension through these
LASTING = 5  # if results of so many steps are alive at one time, something keeps them
OLD = 16  # so do three results, the oldest of which is so many steps and passes old
KEPT = 16  # the number of results remembered for a line, each of another step


class Here(local):
    """The present state of a thread: where recording was switched off."""

    still = False  # whether conversions to numbers are only a part of something else

    def __init__(self):
        self.modes = []

    def is_off(self):
        """Whether the program itself has switched recording off."""
        return any(chosen for _, _, chosen in self.modes)

    @contextmanager
    def quiet(self):
        """A context in which conversions to numbers are not recorded."""
        outside, self.still = self.still, True
        try:
            yield
        finally:
            self.still = outside


class Quiet:
    """A context in which nothing is recorded."""

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None

    def made(self, results, sources=()):
        """Ignores the results."""


QUIET = Quiet()


class Change:
    """What changed a tensor in place: the line, or the optimizer with the number of its step."""

    def __init__(self, site, by, step):
        self.site = site
        self.by = by
        self.step = step

    def __str__(self):
        where = f'  File "{self.site.file}", line {self.site.line}\n    {self.site.source}\n'
        return where if self.by is None else f"{where}  (step {self.step} of the {self.by} optimizer)\n"


class Watch(Onlooker):
    """Watches a program, and records where results come from.

    `ledger` records what passes and steps do; `readings` looks at calls that hint at a mistake.
    """

    def __init__(self, ledger, readings):
        self.sites = Sites()
        self.here = Here()
        self.cuts = {}  # by site and kind
        self.spans = {}  # by line: the info of the last result whose graph spans several steps, and its node
        self.alive = {}  # by line: the node numbers of results of several steps that were alive at one time
        self.lasting = set()  # lines whose results of several steps are kept alive
        self.holders = {}  # by line: the name of the list that holds its results of several steps
        self.outputs = {}  # by module: a separate site for its results
        self.inference = None  # the line that entered inference mode last
        self.left = ()  # values that were converted to numbers since the last pass
        self.troubles = []  # errors that occurred while recording
        self.clock = self.began = last_number()  # advances with each step and each pass that reaches leaves
        self.ledger = ledger
        self.readings = readings
        self.wanted = readings.wanted
        self.of_many = readings.of_many

    # calls of operators

    def saw(self, op, args, result):
        """Records where the results of a call come from; errors in doing so are kept for the explanation."""
        try:
            self.note(op, args, result)
        except Exception as error:
            self.troubles.append(error)

    def note(self, op, args, result):
        """Records where the results of a call come from."""
        first = result[0] if type(result) is tuple else result
        if not isinstance(first, TensorBase):
            return  # a formula on bare arrays
        out = first
        info = info_at(self.sites.here(), op.name, self.clock)
        found = 0
        for a in args:
            if isinstance(a, TensorBase):
                found |= self.consider(info, a)
            elif type(a) is tuple or type(a) is list:
                for item in a:
                    if isinstance(item, TensorBase):
                        found |= self.consider(info, item)
        if not found:
            return  # computed from no tensors
        if not out._needs:
            info.depth = 0
            self.unrecorded(op, info, args, out, found)
        else:
            if info.depth:
                self.spans[info.site] = info, ref(out._node)
            self.keep(info.site, out)
        if not op.view and (info.birth is not None or op.name not in TAME):
            info.birth = born(info, op, args, *operands(args), out._array) if is_bad(out._array) else None
        if op.name in self.wanted and (op.name not in self.of_many or out._array.size >= MANY):
            self.readings.look(op.name, info, args, operands(args)[1], out)
        if type(result) is tuple:
            for one in result:
                self.note_result(op, info, args, one, one is not out and out._needs)
        else:
            self.note_result(op, info, args, out, False)

    def consider(self, info, tensor):
        """Merges what is known of an operand; returns 1, or 2 if it requires grad."""
        node = tensor._node
        if node is not None:
            known = node.told
            if known is not None:
                if known.step < info.step and known.depth >= info.depth:
                    info.depth = known.depth + 1
                elif known.depth > info.depth:
                    info.depth = known.depth
        else:
            known = tensor.told
            if not tensor._needs and (known is None or known.name == "made" or known.name == "blank"):
                known = self.data(tensor, info, info.site if known is None else known.site, known)
        if known is not None:
            if known.cuts:
                info.cuts = merged(info.cuts, known.cuts)
            if known.birth is not None:
                info.birth = known.birth
            if known.dim is not None and info.name in THROUGH:
                info.dim = known.dim
        return 2 if tensor._needs or (tensor._view is not None and tensor.requires_grad) else 1

    def data(self, tensor, info, site, told):
        """The info of data that no operation made: earlier cuts of its values, and bad values."""
        known = info_at(site, "data", info.step)
        known.plain = (ref(tensor),)
        if kind_of(tensor._array.dtype) in "fc":
            known.cuts = self.left if told is None or told.name == "made" else ()
            known.birth = birth_in(tensor._array, site, "data")
        tensor.told = known
        return known

    def unrecorded(self, op, info, args, out, found):
        """Handles a result that does not require grad: whether recording would have changed that, and its leaves."""
        if found & 2:
            if self.ledger.under_way:
                return  # a formula of the backward pass
            mode = not CURRENT.get().grad
            how = "mode" if mode else "integer" if kind_of(out._array.dtype) in "biu" else "constant"
            lost = [t for t in operands(args)[0] if t.requires_grad]
            cut = self.cut(info.site, how, f"{op.name}()", lost, self.mode_site() if mode else None)
            info.cuts = merged(info.cuts, (cut,))
            return
        for a in args:
            if isinstance(a, TensorBase):
                self.descend(info, a)
            elif type(a) is tuple or type(a) is list:
                for item in a:
                    if isinstance(item, TensorBase):
                        self.descend(info, item)

    def descend(self, info, tensor):
        """Adds the leaves behind an operand to those of a result; in loops they are the same again and again."""
        known = tensor.told
        if known is None or known.plain is info.plain:
            return
        if not info.plain:
            info.plain = known.plain
            return
        site = info.site
        if site.first is not info.plain or site.second is not known.plain:
            site.first, site.second, site.both = info.plain, known.plain, merged(info.plain, known.plain, 6)
        info.plain = site.both

    def note_result(self, op, info, args, out, beside):
        """Stores the info of a result; an integer result `beside` a differentiable one is an index, as of topk."""
        if beside and not out._needs and kind_of(out._array.dtype) in "biu":
            cuts = info.cuts
            info = info_at(info.site, op.name, info.step)
            lost = [t for t in operands(args)[0] if t.requires_grad]
            info.cuts = merged(cuts, (self.cut(info.site, "integer", f"{op.name}()", lost),))
        node = out._node
        if node is not None:
            if node.told is None:
                node.told = info
        elif not out._needs:
            out.told = info

    def made(self, tensor, name):
        """Records where data is made: from numbers that may have left the graph, or without numbers (`blank`)."""
        if isinstance(tensor, TensorBase) and tensor._node is None and tensor.told is None:
            tensor.told = info = info_at(self.sites.here(), name, self.clock)
            info.plain = (ref(tensor),)
            info.cuts = self.left if name == "made" else ()

    # results that are kept alive

    def keep(self, site, out):
        """Remembers a line's last result in each step; in long runs only of every eighth step."""
        if site.clock == self.clock:
            site.results[-1] = ref(out)
        elif self.clock - self.began <= 2 * KEPT or self.clock - site.clock >= 8:
            site.clock = self.clock
            if site.results is None:
                site.results = []
            site.results.append(ref(out))
            if len(site.results) > KEPT:
                del site.results[0]

    def keep_output(self, module, out):
        """Remembers a module's output, which hooks may keep, as if it had a line of its own."""
        if isinstance(out, TensorBase) and out._node is not None and out._node.told is not None:
            site = self.outputs.get(id(module))
            if site is None:
                line = out._node.told.site
                site = self.outputs[id(module)] = Site(line.code, line.lasti)
            self.keep(site, out)

    def count_alive(self):
        """Finds the lines whose results of several steps are still alive."""
        for site in [*self.sites.every(), *self.outputs.values()]:
            if site.results is not None:
                held = [t._node for result in site.results if (t := result()) is not None and t._node is not None]
                if len(held) > len(self.alive.get(site, ())):
                    self.alive[site] = [(node.sequence, node.freed > 0) for node in held]
                    lasts = self.lasts(len(held), held[0])
                    if lasts:
                        self.lasting.add(site)
                    self.ledger.unused.update([node.sequence for node in held if not node.freed])
                    if lasts and site not in self.holders and len(self.holders) < 5:
                        frames = list(user_frames(sys._getframe()))
                        self.holders[site] = holder_of(first_alive(site), frames)

    def lasts(self, many, oldest):
        """Whether results that are alive must be held by something, given their number and the oldest."""
        return many >= LASTING or (many >= 3 and oldest.told is not None and self.clock - oldest.told.step >= OLD)

    # values that leave the graph

    def cut(self, site, how, name, tensors, where=None):
        """The cut at a site; made at its first use."""
        key = (site, how)
        found = self.cuts.get(key)
        if found is None:
            found = self.cuts[key] = Cut(site, how, name, where)
        for tensor in tensors:
            found.take(tensor)
        return found

    def mode_site(self):
        """The line that switched recording off."""
        return self.here.modes[-1][1] if self.here.modes else None

    def left_graph(self, tensor, how, result=None, name=""):
        """Called when a tensor's values go on without history: in another tensor, or as numbers."""
        known = info_of(tensor)
        cuts = () if known is None else known.cuts
        site = self.sites.here()
        if tensor.requires_grad:
            if result is None and tensor._node is not None and tensor._node.sequence in self.ledger.roots:
                return
            cut = self.cut(site, how, name or how, (tensor,))
            if how == "detach":
                cut.of_number = tensor._array.size == 1
                self.ledger.ways.carries(cut, tensor, cuts, self.clock)
                cut.behind.update(map(id, cuts))
            cuts = merged(cuts, (cut,))
        elif result is None and cuts and cuts[-1].how == "detach" and cuts[-1].site.line == site.line:
            whole = self.cut(site, how, how, ())  # detach() was only the first half of it
            whole.leaves.update(cuts[-1].leaves)
            cuts = (*cuts[:-1], whole)
        if result is None:
            if cuts and id(cuts[-1]) in self.ledger.ways.drawn:
                self.ledger.ways.scores(tensor)
            self.left = merged(self.left, cuts)
            return
        info = info_at(site, how, self.clock)
        info.cuts = cuts
        if known is not None:
            info.birth = known.birth
            info.plain = known.plain
        tell(result, info)

    # changes in place

    def changing(self, function, tensor, args):
        """Called before an in-place change; `changer` tells who makes it."""
        info = info_of(tensor)
        source = None if info is None or info.source is None else info.source()
        if source is not None:
            self.ledger.unseen.append((info.source, self.sites.here(), last_number()))
        written = tensor if source is None and tensor.is_leaf and not CURRENT.get().grad else source
        for value in args if written is not None and self.ledger.stepping is None else ():
            if isinstance(value, TensorBase) and value.requires_grad:
                self.left_graph(value, "set", written)
        return QUIET

    def changer(self):
        """Who is changing a tensor now."""
        by = self.ledger.stepping
        return Change(self.sites.here(), by and type(by).__name__, self.ledger.steps)

    # backward passes

    def begin_pass(self, run, roots):
        """Called when a backward pass begins."""
        self.ledger.begin(run, roots, self.sites.here())

    def end_pass(self, run):
        """Called when a backward pass has ended."""
        self.left = ()
        self.ledger.end(run, sys.exc_info()[0] is not None)

    def evaluating(self, vertex):
        """Does nothing for a vertex."""
        return QUIET

    def applying(self, node, grad):
        """A context around a node's formula."""
        return self.ledger.under_way[-1].at(node)

    def accumulating(self, leaf):
        """A context around adding a gradient to a leaf's."""
        return self.ledger.arriving(leaf)

    def region(self, name, scope=0, sequence=-1, args=()):
        """Does nothing for a named region, as profilers show them."""
        return QUIET


def first_alive(site):
    """The oldest result of a line that is still alive."""
    return next((t for result in site.results if (t := result()) is not None), None)


def operands(args):
    """The tensors among arguments, and the info of each."""
    tensors = []
    for a in args:
        if isinstance(a, TensorBase):
            tensors.append(a)
        elif type(a) is tuple or type(a) is list:
            tensors += [item for item in a if isinstance(item, TensorBase)]
    return tensors, [info_of(t) for t in tensors]
