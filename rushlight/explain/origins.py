"""Where each tensor was made, by what, and which values were cut off or went bad on the way to it.

The info is stored as `told` of the node that made a tensor, or else of the tensor itself.
"""

from itertools import count
from weakref import ref

from rushlight.core.graph import Node, TensorBase


class Cut:
    """A place where values left the graph: `how` they did, and the leaves that they came from."""

    def __init__(self, site, how, name, where=None):
        self.site = site
        self.how = how  # "detach", "data", "item", ..., "mode", "integer", "step"
        self.name = name  # what the user wrote, as far as known
        self.where = where  # for a mode: the line that set it
        self.leaves = {}
        self.count = 0
        self.behind = set()  # the ids of earlier cuts that the values went through
        self.of_number = False  # whether the cut value is a single number

    def comes_from(self, leaf):
        """Whether a leaf's values left the graph here."""
        found = self.leaves.get(id(leaf))
        return found is not None and found() is leaf

    def is_cast(self):
        """Whether it is a cast to an integer dtype."""
        return self.how == "integer" and self.name.startswith("a cast")

    def take(self, tensor):
        """Records the leaves behind a tensor; those of a graph only the first few times, then more and more rarely."""
        self.count += 1
        if tensor._node is None or self.count <= 3 or not self.count & (self.count - 1):
            for leaf in leaves_of(tensor):
                self.leaves[id(leaf)] = ref(leaf)


class Birth:
    """The first bad value: an operation on finite values whose result, or gradient, is not finite."""

    numbers = count()

    def __init__(self, site, name, value, detail="", backward=False, hidden=False):
        self.number = next(self.numbers)  # the oldest has the least
        self.site = site
        self.name = name
        self.value = value  # "nan" or "inf"
        self.detail = detail  # what was found in the inputs
        self.backward = backward
        self.hidden = hidden  # the operation's result was already bad, and something hid it


class Info:
    """What is known of a result; made by `info_at`.

    `step` is the observer's clock when it was made, `depth` the number of steps that its graph spans; `plain` are the
    leaves that do not require grad, for results that do not either. The other fields are rarely used: `source`, for a
    result of .data: the tensor whose memory it is; `parents`, for views and the like: the info of their operands;
    `dim`, for a softmax: its dimension, the number of dimensions, the site, its name, whether it is over the rows of a
    product, and the shape; `shape`, for an expanded tensor: the shape before.
    """


def info_at(site, name, step):
    """A new info for a result."""
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
    """The info of a tensor, or of a node's result; None if there is none."""
    if isinstance(tensor, TensorBase) and tensor._node is not None:
        return tensor._node.told
    return tensor.told if isinstance(tensor, (TensorBase, Node)) else None


def tell(tensor, info):
    """Stores the info of a tensor."""
    node = tensor._node
    if node is None:
        tensor.told = info
    elif node.told is None:
        node.told = info


def leaves_of(tensor):
    """The leaves behind a tensor, or the tensor itself if it is a leaf."""
    return leaves_behind(tensor if tensor._node is None else tensor._node) if tensor.requires_grad else []


def leaves_behind(vertex, limit=2000):
    """The leaves that a graph reaches; only some of them if it is large."""
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
    """Two tuples of causes merged without duplicates; the last ones if there are too many."""
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
    """Whether a cause is among others, by identity: references to tensors would compare the tensors."""
    for one in causes:
        if one is cause:
            return True
    return False
