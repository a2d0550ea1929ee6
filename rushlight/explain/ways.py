"""Paths from a parameter to a loss that are cut while others stay open: part of the parameter's gradient is missing.

A cut alone proves nothing: targets, baselines and samples are detached on purpose. The evidence is that the optimizer
which takes the next step holds the parameters behind the cut, and that this part of the loss could have no other use.
"""

from collections.abc import Container, Iterator, Sequence
from typing import Any, NamedTuple
from weakref import ref

from rushlight.core.graph import Node, TensorBase
from rushlight.explain.nodes import edges_of, nodes_behind, operator_of
from rushlight.explain.origins import Cut, info_of, leaves_behind, leaves_of
from rushlight.explain.sites import Site

SUMS = frozenset(["add", "add_scaled", "sub", "sub_scaled"])
ALONG = frozenset("mul div neg mean sum sum_dims mean_dims view squeezed squeeze0 squeeze1 unsqueeze clone".split())
LINEAR = ALONG | {"add", "sub", "rsub"}
JOINING = ("pile", "cat")
BENT = frozenset("pow square abs mse_loss smooth_l1_loss huber_loss".split())  # terms may be inside these
NUMBERS = ("item", "tolist", "numpy", "torch.tensor")  # conversions that leave no trace in the numbers
LARGE = 2000  # the most nodes of a graph that are examined
MANY = 20  # the number of passes whose whole graph is examined


class Way(NamedTuple):
    """A cut path: `what` it is of (a term, a sample, a gradient, a state), the cut, and where the values are used."""

    what: str
    cut: Cut | None
    site: Site


class Ways:
    """The cut paths of the last pass, and those whose parameters a step then changed."""

    def __init__(self) -> None:
        self.adapted: dict[
            Site, tuple[Cut, list[int]]
        ] = {}  # by line: parameters updated by a gradient without a graph
        self.drawn: dict[int, Cut] = {}  # results of sample() where rsample() exists
        self.moving: dict[int, Any] = {}  # results of rsample(), by their info
        self.followed: tuple[Site, Site] | None = None  # where one was made and scored
        self.scored: set[int] = set()  # cuts of values that went into log_prob(), or left the program as numbers
        self.carried: dict[int, tuple[Cut, dict[int, Site]]] = {}  # by cut: its states' node numbers
        self.carried_at = -1  # the clock at that time
        self.targets: dict[Site, Cut] = {}
        self.attracted: dict[int, Cut] = {}  # by node: similarities, as cuts missing at the target
        self.likely: set[int] = set()  # the numbers of nodes whose results are log probabilities
        self.weights: dict[Site, Cut] = {}  # weights of log probabilities, as cuts that are missing
        self.last: list[Way] = []
        self.looked = 0
        self.found: dict[Way, int] = {}  # how many steps used them

    def look(self, root: Any, info: Any) -> None:
        """Examines the graph of a loss at which a pass begins."""
        self.last = []
        if info is None or not isinstance(root, Node):
            return
        self.last += [way for way in terms(root) if way.site not in self.adapted]
        for cut in info.cuts:
            if id(cut) in self.drawn and not any(id(cut) in other.behind for other in info.cuts):
                self.last.append(Way("sample", cut, cut.site))
        if self.looked < MANY and (self.adapted or self.carried or self.likely):
            self.looked += 1
            met = list(nodes_behind([root], LARGE))
            lines = {node.told.site for node in met if node.told is not None}
            self.last += [Way("gradient", self.adapted[site][0], site) for site in self.adapted if site in lines]
            self.last += [Way("weight", cut, cut.site) for cut in self.trained_weights(met)]
            numbers = {node.sequence for node in met}
            for cut, states in self.carried.values():
                alone = len(met) < LARGE and numbers.isdisjoint(states) and lines.issuperset(states.values())
                if alone and any(cut is one for one in info.cuts):
                    self.last.append(Way("state", cut, cut.site))
        self.carried, self.likely = {}, set()
        if self.attracted:
            cuts = {self.attracted[number] for number in wanted(root, self.attracted)}
            self.last += [Way("target", cut, cut.site) for cut in cuts]
            self.attracted = {}

    def stepped(self, params: Sequence[Any]) -> None:
        """Called when an optimizer takes a step: the cut paths of the last pass to its parameters count."""
        for way in self.last:
            cut = way.cut
            if cut is None or any(cut.comes_from(p) for p in params):
                own = self.adapted.get(way.site, (None, []))[1]
                if way.what != "gradient" or any(id(p) in own for p in params):
                    self.found[way] = self.found.get(way, 0) + 1
        self.last = []

    def carries(self, cut: Cut, tensor: Any, cuts: Sequence[Cut], clock: int) -> None:
        """Called for a cut in the same step as earlier ones of the same line: a recurrent state that is detached."""
        node = tensor._node
        if self.carried_at != clock:
            self.carried, self.carried_at = {}, clock
        if node is not None and node.told is not None and node.told.step == clock and any(cut is one for one in cuts):
            self.carried.setdefault(id(cut), (cut, {}))[1][node.sequence] = node.told.site

    def gives_likelihood(self, result: Any) -> None:
        """Called when a distribution returns log probabilities."""
        if isinstance(result, TensorBase) and result._node is not None and len(self.likely) < 10_000:
            self.likely.add(result._node.sequence)

    def trained_weights(self, met: Sequence[Node]) -> Iterator[Cut]:
        """Weights of log_prob() of the form data minus value, where the value has its own term in the loss."""
        if not self.likely:
            return
        fitted = {id(edge) for node in met if operator_of(node) in BENT for edge in edges_of(node)}
        for node in met:
            edges = edges_of(node) if operator_of(node) == "mul" else []
            for one, other in (edges, edges[::-1]) if len(edges) == 2 else ():
                values = edges_of(other) if operator_of(other) == "sub" else []
                if len(values) == 1 and self.is_likely(one) and {id(other), id(values[0])} & fitted and other.told:
                    site = other.told.site
                    cut = self.weights.setdefault(site, Cut(site, "weight", "weight"))
                    cut.leaves.update((id(leaf), ref(leaf)) for leaf in leaves_behind(values[0]))
                    yield cut

    def is_likely(self, node: Any) -> bool:
        """Whether a node gives log probabilities, perhaps summed or concatenated."""
        for _ in range(6):
            if not isinstance(node, Node) or node.sequence in self.likely:
                break
            if operator_of(node) not in ALONG and operator_of(node) not in JOINING:
                return False
            node = edges_of(node)[0]
        return isinstance(node, Node) and node.sequence in self.likely

    def attracts(self, one: Any, other: Any, likeness: Any, site: Site) -> None:
        """Called when two results are made similar, one of which is a prediction of the other."""
        if likeness._node is not None and one.requires_grad and other.requires_grad and len(self.attracted) < 1000:
            leaves = [{id(leaf) for leaf in leaves_of(tensor)} for tensor in (one, other)]
            if leaves[0] != leaves[1] and (leaves[0] < leaves[1] or leaves[1] < leaves[0]):
                target = one if leaves[0] < leaves[1] else other
                cut = self.targets.setdefault(site, Cut(site, "target", "target"))
                cut.take(target)
                self.attracted[likeness._node.sequence] = cut

    def adapts(self, site: Site, args: Any, known: Any) -> None:
        """Called for a subtraction: perhaps of a gradient without history from a parameter."""
        one = known[1]
        if one is not None and isinstance(args[1], TensorBase) and not args[1]._needs and args[0]._needs:
            cut = next((cut for cut in one.cuts if cut.how == "grad"), None)
            if cut is not None and site not in self.adapted and self.is_parameter(args[0]):
                self.adapted[site] = cut, [id(leaf) for leaf in leaves_of(args[0])]

    def is_parameter(self, tensor: Any) -> bool:
        """Whether a tensor is a leaf, a copy of one, or was updated in this way before."""
        node = tensor._node
        while operator_of(node) == "clone":
            node = node.edge_at(0)[0]
        return not isinstance(node, Node) or (node.told is not None and node.told.site in self.adapted)

    def draws(self, result: Any) -> None:
        """Called when a distribution that has rsample() gives a sample without history."""
        info = info_of(result)
        for cut in () if info is None else info.cuts[-1:]:
            if cut.how == "mode":
                self.drawn[id(cut)] = cut

    def moves(self, result: Any) -> None:
        """Called when a distribution gives a reparameterized sample."""
        info = info_of(result)
        if info is not None and result._needs and len(self.moving) < 1000:
            self.moving[id(info)] = info

    def follows(self, value: Any, site: Site) -> None:
        """Called when a value's log probability is computed: perhaps of a reparameterized sample."""
        info = info_of(value)
        if info is not None and id(info) in self.moving:
            self.followed = info.site, site

    def scores(self, value: Any) -> None:
        """Called when a value's log probability is computed, or it leaves as a number."""
        info = info_of(value)
        if info is not None:
            self.scored.update(id(cut) for cut in info.cuts)


def wanted(root: Node, known: Container[int]) -> set[int]:
    """The log probability nodes whose negative sum or mean is the loss; none if the loss has other terms."""
    nodes: list[tuple[Any, bool]] = [(root, False)]
    found: set[int] = set()
    for _ in range(200):
        if not nodes:
            return found
        node, negative = nodes.pop()
        if isinstance(node, Node) and node.sequence in known and negative:
            found.add(node.sequence)
            continue
        name = operator_of(node)
        edges = [node.edge_at(i)[0] for i in range(node.arity)] if name else []
        if name not in LINEAR or (name in ("mul", "div") and not isinstance(node.saved0, (int, float))):
            break
        turned = name in ("neg", "rsub") or (name in ("mul", "div") and node.saved0 < 0)
        nodes += [(e, negative ^ turned ^ (name == "sub" and i == 1)) for i, e in enumerate(edges) if e is not None]
    return set()


def terms(root: Node) -> Iterator[Way]:
    """The terms of a loss without history that come from parameters, and numbers that are added to it."""
    nodes: list[tuple[Node, bool]] = [(root, False)]
    for _ in range(40):
        if not nodes:
            return
        node, bent = nodes.pop()
        name = operator_of(node)
        if name not in SUMS and name not in ALONG and name not in BENT:
            continue
        ends = edges_of(node)
        bent = bent or name in BENT
        if len(ends) < node.arity and node.told is not None and (name in SUMS or name in BENT):
            yield from brought(node.told, ends[0], bent, name)
        nodes += [(end, bent) for end in ends if isinstance(end, Node)]


def brought(told: Any, end: Any, bent: bool, name: str) -> Iterator[Way]:
    """What an operand without history adds to a sum: cuts that the other operand does not have, or a number."""
    before = end.told.cuts if end.told is not None else ()
    new = [cut for cut in told.cuts if all(cut is not one for one in before)]
    meant = [cut for cut in new if cut.how == "detach" and cut.of_number]
    if not meant:
        for cut in new:
            if cut.how == "grad" or (not bent and cut.how in ("mode", "data", "detach", "integer")):
                yield Way("term", cut, told.site)
    if not bent and name in SUMS and all(cut.how in NUMBERS for cut in new):
        yield Way("number", None, told.site)
