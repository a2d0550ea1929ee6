"""What is known of tensors: where each was made, by what, and what was lost or went wrong on the way to it.

It goes with them: `told` of the node that made a tensor, else that of the tensor itself.
"""

from itertools import count
from weakref import ref

from rushlight.core.graph import Node, TensorBase


class Cut:
    """A place where values left the graph: `how` they did, and which leaves they came from."""

    def __init__(self, site, how, name, where=None):
        self.site = site
        self.how = how  # "detach", "data", "item", ..., "mode", "integer", "step"
        self.name = name  # what the user wrote, as far as it is known
        self.where = where  # for a mode: the line that set it
        self.leaves = {}
        self.count = 0
        self.behind = set()  # the ids of the cuts that values had gone through before
        self.of_number = False  # whether what was cut off is a single number

    def comes_from(self, leaf):
        """Whether a leaf is among those whose values left here."""
        found = self.leaves.get(id(leaf))
        return found is not None and found() is leaf

    def is_cast(self):
        """Whether it is a cast to integers."""
        return self.how == "integer" and self.name.startswith("a cast")

    def take(self, tensor):
        """Notes the leaves that a tensor comes from; those behind a graph the first few times, and ever more seldom."""
        self.count += 1
        if tensor._node is None or self.count <= 3 or not self.count & (self.count - 1):
            for leaf in leaves_of(tensor):
                self.leaves[id(leaf)] = ref(leaf)


class Birth:
    """The first bad value: an operation on finite values whose result, or derivative, is not finite."""

    numbers = count()

    def __init__(self, site, name, value, detail="", backward=False, hidden=False):
        self.number = next(self.numbers)  # the oldest has the least
        self.site = site
        self.name = name
        self.value = value  # "nan" or "inf"
        self.detail = detail  # what was found among the inputs
        self.backward = backward
        self.hidden = hidden  # the result of the operation was bad already, and something hid it


class Info:
    """What is known of a result: made by `info_at`.

    `step` is the watch's clock when it was made, `depth` how many steps the graph behind it spans; `plain` are the
    leaves that do not require grad, for results that do not either. Few results have what the other fields are for:
    `source`, of what .data gave: the tensor whose memory it is; `parents`, of views and the like: what is known of
    what they are of; `dim`, of a softmax: over which of how many dimensions, where, its name, whether over the rows of
    a product, and the shape; `shape`, of what was expanded: that before.
    """


def info_at(site, name, step):
    """What is known of a result at first."""
    info = Info.__new__(Info)
    info.site = site
    info.name = name
    info.step = step
    info.depth = 0
    info.cuts = ()
    info.plain = ()
    info.parents = ()
    info.birth = None
    info.source = None
    info.shape = None
    info.dim = None
    return info


def info_of(tensor):
    """What is known of a tensor, or of a node's result, if anything."""
    if isinstance(tensor, TensorBase) and tensor._node is not None:
        return tensor._node.told
    return tensor.told if isinstance(tensor, (TensorBase, Node)) else None


def tell(tensor, info):
    """Notes what is known of a tensor."""
    node = tensor._node
    if node is None:
        tensor.told = info
    elif node.told is None:
        node.told = info


def leaves_of(tensor):
    """The leaves that a tensor comes from, or is."""
    return leaves_behind(tensor if tensor._node is None else tensor._node) if tensor.requires_grad else []


def leaves_behind(vertex, limit=2000):
    """The leaves that a graph reaches; those of a part of it, where it is large."""
    stack = [vertex]
    seen = set()
    leaves = []
    while stack and len(seen) < limit:
        vertex = stack.pop()
        if vertex is None or id(vertex) in seen:
            continue
        seen.add(id(vertex))
        if isinstance(vertex, TensorBase):
            leaves.append(vertex)
        else:
            stack.extend([vertex.edge_at(i)[0] for i in range(vertex.arity)])
    return leaves


def merged(first, second, limit=12):
    """Two tuples of causes as one, each cause once: the last ones, where there are too many."""
    if not second or first is second:
        return first
    if not first:
        return second
    more = [cause for cause in second if not holds(first, cause)]
    if not more:
        return first
    both = first + tuple(more)
    return both if len(both) <= limit else both[-limit:]


def holds(causes, cause):
    """Whether a cause is among others; references to tensors would compare as these do."""
    for one in causes:
        if one is cause:
            return True
    return False
