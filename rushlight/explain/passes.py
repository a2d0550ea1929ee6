"""Watches one backward pass: which node made gradients zero, and which made them bad."""

import numpy as np

from rushlight.core.graph import TensorBase
from rushlight.explain.bad_values import born_backward
from rushlight.explain.finite import sum_of_squares

ndarray = np.ndarray
PRODUCTS = frozenset(["linear", "mm", "mm_turned", "addmm", "bmm", "convolution", "mv", "folded", "broadcast", "dot"])

SMALL = 4096  # gradients up to this size are kept until the end of the pass, larger ones are examined at once


class Pass:
    """One backward pass; its `with` is around the formula of the node that runs.

    Gradients are examined only if those of the leaves turn out bad or zero: then node by node, in their order.
    """

    def __init__(self, site, run, number, unseen, unused):
        self.site = site
        self.number = number
        self.keep = run.keep_graph and not run.recorded
        self.recorded = run.recorded
        self.whole = run.whole
        self.births = []
        self.bad_leaves = []
        self.zero_leaves = []
        self.zeros = {}  # by vertex: the node that made all gradients arriving there zero, else None
        self.reached = []
        self.root_info = None
        self.nodes = 0
        self.node = None
        self.given = []
        self.failed = False
        self.unseen = unseen  # changes through .data
        self.spoilt = []  # those that changed saved values
        self.unused = unused  # the numbers of nodes that no pass has reached yet

    def at(self, node):
        """The context around the formula of a node."""
        self.node = node
        self.nodes += 1
        if self.unused:
            self.unused.discard(node.sequence)
        return self

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None

    def made(self, grads):
        """Keeps what a node's formula returned, for the end of the pass."""
        if self.unseen:
            self.look_for_changes(self.node)
        arrays = []
        for g in grads:
            array = g._array if isinstance(g, TensorBase) else g
            if type(array) is ndarray:
                if array.size > SMALL:
                    array = state_of(array)
            elif array is not None:
                array = np.asarray(array) if isinstance(array, np.generic) else GOOD
            arrays.append(array)
        self.given.append((self.node, arrays))

    def look_back(self):
        """Goes through all that nodes returned: finds which made gradients zero, and which made them bad."""
        bad = set()
        zeros = self.zeros
        for node, arrays in self.given:
            by = zeros.get(id(node))
            for i, array in enumerate(arrays):
                target = None if array is None else node.edge_at(i)[0]
                if target is None:
                    continue
                state = array if isinstance(array, str) else state_of(array)
                if state == ZERO:
                    zeros.setdefault(id(target), source_of_zeros(node, i) if by is None else by)
                    continue
                zeros[id(target)] = None
                if state == BAD:
                    bad.add(id(target))
                    if id(node) not in bad and not self.births:
                        self.births.append(born_backward(node, [a for a in arrays if not isinstance(a, str)]))

    def cancels(self, vertex):
        """Whether nonzero parts of a gradient cancel at a node, as far as they were kept."""
        parts = [
            array
            for node, arrays in self.given
            for i, array in enumerate(arrays)
            if type(array) is ndarray and node.edge_at(i)[0] is vertex
        ]
        return len(parts) > 1 and any(part.any() for part in parts) and not sum(parts).any()

    def look_for_changes(self, node):
        """Checks whether a node's saved values were changed through .data."""
        for source, site, number in self.unseen:
            tensor = source()
            if tensor is not None and node.sequence <= number:
                for value in (node.saved0, node.saved1, *(node.saved or ())):
                    if value is tensor or (value is not None and value is tensor._array):
                        self.spoilt.append((tensor, site))


GOOD, ZERO, BAD = "good", "zero", "bad"


def state_of(array):
    """Whether a gradient is all zero, or contains a NaN or infinity."""
    if type(array) is not ndarray or not array.size:
        return GOOD
    size = sum_of_squares(array)
    if size == 0:
        return ZERO if not array.any() else GOOD
    return GOOD if size - size == 0 or np.isfinite(array).all() else BAD


AT_ZERO = ("pow", "abs", "square")  # their derivative is zero at zero


def is_zero(array):
    """Whether all elements are zero; mostly the first one decides."""
    return type(array) is ndarray and not (array.size and array.flat[0]) and not array.any()


RECTIFIERS = frozenset(["relu", "clamp_min", "threshold"])


def source_of_zeros(node, i):
    """The node to blame for a zero gradient of input `i`: this one, or the one that made the operand zero.

    None if the zeros came in as data, or are normal for a first step from zero.
    """
    name = "" if node.op is None else node.op.name
    if name in AT_ZERO:
        made = node.edge_at(0)[0]
        return node if made is None or isinstance(made, TensorBase) else made
    if name in PRODUCTS and node.op.inputs[i]:  # the gradient of a weight
        made = node.edge_at(node.op.inputs.index(0))[0]
        op = getattr(made, "op", None)
        return made if op is not None and op.name in RECTIFIERS else None
    return node
