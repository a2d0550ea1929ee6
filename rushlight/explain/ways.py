"""Ways from a parameter to a loss that are cut while others stay open: the parameter has a gradient, a part is missing.

A cut alone tells nothing: targets, baselines and what is drawn are cut off on purpose. What tells is that the optimizer
that takes the next step holds the parameters behind the cut, and that the part of the loss could have no other use.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from rushlight.core.graph import Node, TensorBase
from rushlight.explain.origins import Cut, info_of, leaves_of
from rushlight.explain.sites import Site

SUMS = frozenset(["add", "add_scaled", "sub", "sub_scaled"])
ALONG = frozenset("mul div neg mean sum sum_dims mean_dims view squeezed squeeze0 squeeze1 unsqueeze clone".split())
BENT = frozenset("pow square abs mse_loss smooth_l1_loss huber_loss".split())  # terms of what is bent still are terms
NUMBERS = ("item", "tolist", "numpy", "torch.tensor")  # ways that leave no trace in the numbers themselves
MANY = 20  # passes whose whole graph is looked through


class Way(NamedTuple):
    """A way that is cut: `what` it is of (a term, a sample, a gradient), where values left, and where they come in."""

    what: str
    cut: Cut | None
    site: Site


class Ways:
    """What is known of such ways: those of the last pass, and those of parameters that a step then changed."""

    def __init__(self):
        self.adapted: dict[
            Site, tuple[Cut, list[int]]
        ] = {}  # by line: parameters changed by a gradient without a graph
        self.drawn: dict[int, Cut] = {}  # what sample() gives where rsample() could give it
        self.moving: dict[int, Any] = {}  # what rsample() gives, by what is known of it
        self.followed: tuple[Site, Site] | None = None  # where such a one was made, and its probability was asked for
        self.scored: set[int] = set()  # cuts of what went into log_prob(), or out of the program as numbers
        self.last: list[Way] = []
        self.looked = 0
        self.found: dict[Way, int] = {}  # how many steps followed

    def look(self, root: Any, info: Any) -> None:
        """Looks at the graph of a loss that a pass begins from."""
        self.last = []
        if info is None or not isinstance(root, Node):
            return
        self.last += [way for way in terms(root) if way.site not in self.adapted]
        for cut in info.cuts:
            if id(cut) in self.drawn and not any(id(cut) in other.behind for other in info.cuts):
                self.last.append(Way("sample", cut, cut.site))
        if self.adapted and self.looked < MANY:
            self.looked += 1
            self.last += [Way("gradient", self.adapted[site][0], site) for site in self.adapted if site in sites(root)]

    def stepped(self, params: Sequence[Any]) -> None:
        """An optimizer takes a step: the ways of the last pass whose parameters it holds are to be told."""
        for way in self.last:
            cut = way.cut
            if cut is None or any(cut.comes_from(p) for p in params):
                own = self.adapted.get(way.site, (None, []))[1]
                if way.what != "gradient" or any(id(p) in own for p in params):
                    self.found[way] = self.found.get(way, 0) + 1
        self.last = []

    def adapts(self, site: Site, args: Any, known: Any) -> None:
        """What is subtracted from something with a history: perhaps a gradient without one from a parameter."""
        one = known[1]
        if one is not None and isinstance(args[1], TensorBase) and not args[1]._needs and args[0]._needs:
            cut = next((cut for cut in one.cuts if cut.how == "grad"), None)
            if cut is not None and site not in self.adapted and self.is_parameter(args[0]):
                self.adapted[site] = cut, [id(leaf) for leaf in leaves_of(args[0])]

    def is_parameter(self, tensor: Any) -> bool:
        """Whether a tensor is a leaf, a copy of one, or was adapted before."""
        node = tensor._node
        while node is not None and node.op is not None and node.op.name == "clone":
            node = node.edge_at(0)[0]
        return not isinstance(node, Node) or (node.told is not None and node.told.site in self.adapted)

    def draws(self, result: Any) -> None:
        """A distribution that has rsample() gives a sample without history."""
        info = info_of(result)
        for cut in () if info is None else info.cuts[-1:]:
            if cut.how == "mode":
                self.drawn[id(cut)] = cut

    def moves(self, result: Any) -> None:
        """A distribution gives a sample that moves with its parameters."""
        info = info_of(result)
        if info is not None and result._needs and len(self.moving) < 1000:
            self.moving[id(info)] = info

    def follows(self, value: Any, site: Site) -> None:
        """The probability of a value is asked for, of a sample that moves with it perhaps."""
        info = info_of(value)
        if info is not None and id(info) in self.moving:
            self.followed = info.site, site

    def scores(self, value: Any) -> None:
        """The probability of a value is asked for, or it leaves as a number."""
        info = info_of(value)
        if info is not None:
            self.scored.update(id(cut) for cut in info.cuts)


def terms(root: Node) -> Iterator[Way]:
    """The terms of a loss that have no history though they come from parameters; numbers that are added up in it."""
    nodes: list[tuple[Node, bool]] = [(root, False)]
    for _ in range(40):
        if not nodes:
            return
        node, bent = nodes.pop()
        name = "" if node.op is None else node.op.name
        if name not in SUMS and name not in ALONG and name not in BENT:
            continue
        edges = [node.edge_at(i)[0] for i in range(node.arity)]
        ends = [edge for edge in edges if edge is not None]
        bent = bent or name in BENT
        if len(ends) < len(edges) and node.told is not None and (name in SUMS or name in BENT):
            yield from brought(node.told, ends[0], bent, name)
        nodes += [(end, bent) for end in ends if isinstance(end, Node)]


def brought(told: Any, end: Any, bent: bool, name: str) -> Iterator[Way]:
    """What an operand without history brings into a sum: cuts that the other one does not know of, or a number."""
    before = end.told.cuts if end.told is not None else ()
    new = [cut for cut in told.cuts if all(cut is not one for one in before)]
    meant = [cut for cut in new if cut.how == "detach" and cut.of_number]
    if not meant:
        for cut in new:
            if cut.how == "grad" or (not bent and cut.how in ("mode", "data", "detach", "integer")):
                yield Way("term", cut, told.site)
    if not bent and name in SUMS and all(cut.how in NUMBERS for cut in new):
        yield Way("number", None, told.site)


def sites(root: Node, limit: int = 2000) -> set[Site]:
    """The lines that have recorded a graph, or a part of it where it is large."""
    nodes: list[Any] = [root]
    seen: set[int] = set()
    found: set[Site] = set()
    while nodes and len(seen) < limit:
        node = nodes.pop()
        if isinstance(node, Node) and id(node) not in seen:
            seen.add(id(node))
            if node.told is not None:
                found.add(node.told.site)
            nodes += [node.edge_at(i)[0] for i in range(node.arity)]
    return found
