"""What is known of tensors: where each was made, by what, and what was lost or went wrong on the way to it."""

from weakref import ref

from rushlight.core.anomaly import ORIGIN as KEY
from rushlight.core.graph import TensorBase
from rushlight.explain.sites import Site


class Cut:
    """A place where values left the graph: `how` they did, and which leaves they came from."""

    __slots__ = ("count", "how", "leaves", "name", "site", "where")

    def __init__(self, site: Site, how: str, name: str, where: Site | None = None):
        self.site = site
        self.how = how  # "detach", "data", "item", ..., "mode", "integer", "step"
        self.name = name  # what the user wrote, as far as it is known
        self.where = where  # for a mode: the line that set it
        self.leaves: dict[int, ref] = {}
        self.count = 0

    def comes_from(self, leaf) -> bool:
        """Whether a leaf is among those whose values left here."""
        found = self.leaves.get(id(leaf))
        return found is not None and found() is leaf

    def take(self, tensor) -> None:
        """Notes the leaves that a tensor comes from, the first few times: later they are the same."""
        self.count += 1
        if self.count <= 3:
            for leaf in leaves_of(tensor):
                self.leaves[id(leaf)] = ref(leaf)


class Birth:
    """The first bad value: an operation on finite values whose result, or derivative, is not finite."""

    __slots__ = ("backward", "detail", "hidden", "name", "site", "value")

    def __init__(self, site: Site | None, name: str, value: str, detail: str = "", backward=False, hidden=False):
        self.site = site
        self.name = name
        self.value = value  # "nan" or "inf"
        self.detail = detail  # what was found among the inputs
        self.backward = backward
        self.hidden = hidden  # the result of the operation was bad already, and something hid it


class Info:
    """What is known of a result."""

    cuts: tuple[Cut, ...] = ()  # most results have nothing to tell but their site, their name and their time
    birth: Birth | None = None
    plain: tuple[ref, ...] = ()  # leaves that do not require grad, for results that do not either
    depth = 0  # how many steps the graph behind it spans
    source: ref | None = None  # of what .data gave: the tensor whose memory it is
    parents: tuple = ()  # of views and the like: what is known of what they are of
    dim: tuple = (0, 0)  # of a softmax: over which of how many dimensions
    shape: tuple | None = None  # of what was expanded: its shape before

    def __init__(self, site: Site, name: str, step: int = 0):
        self.site = site
        self.name = name
        self.step = step  # when it was made, on the ledger's clock


class Record(ref):
    """What is known of a tensor that no node speaks for."""

    __slots__ = ("info", "key")
    info: Info
    key: int


class Origins:
    """Finds what is known of a tensor: with its node, or in a table."""

    def __init__(self) -> None:
        self.table: dict[int, Record] = {}

    def of(self, tensor) -> Info | None:
        """What is known of a tensor, if anything."""
        node = tensor._node
        if node is not None:
            return None if node.notes is None else node.notes.get(KEY)
        found = self.table.get(id(tensor))
        return None if found is None else found.info

    def keep(self, tensor, info: Info) -> None:
        """Notes what is known of a tensor."""
        node = tensor._node
        if node is not None:
            if node.notes is None:
                node.notes = {KEY: info}
            else:
                node.notes.setdefault(KEY, info)
            return
        record = Record(tensor, self.forget)
        record.key, record.info = id(tensor), info
        self.table[id(tensor)] = record

    def forget(self, record: Record) -> None:
        """A tensor is no more."""
        if self.table.get(record.key) is record:
            del self.table[record.key]


def info_of(vertex) -> Info | None:
    """What is known of a node's result."""
    return vertex.notes.get(KEY) if getattr(vertex, "notes", None) else None


def leaves_of(tensor, limit: int = 2000) -> list:
    """The leaves that a tensor's graph reaches; those of a part of it, where it is large."""
    if not tensor.requires_grad:
        return []
    stack = [tensor if tensor._node is None else tensor._node]
    seen: set[int] = set()
    leaves: list = []
    while stack and len(seen) < limit:
        vertex = stack.pop()
        if vertex is None or id(vertex) in seen:
            continue
        seen.add(id(vertex))
        if isinstance(vertex, TensorBase):
            leaves.append(vertex)
        else:
            stack.extend(vertex.edge_at(i)[0] for i in range(vertex.arity))
    return leaves


def merged(first: tuple, second: tuple, limit: int = 12) -> tuple:
    """Two tuples of causes as one, each cause once."""
    if not second or first is second:
        return first
    if not first:
        return second
    held = set(map(id, first))  # references to tensors compare as these do
    return (*first, *(c for c in second if id(c) not in held))[-limit:]
