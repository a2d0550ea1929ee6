"""Arrays that record a graph: a function that is called with them leaves nodes behind.

Each NumPy function applied to them is recorded; what has no node (a condition on values, a write, an unsupported
function) raises Unsuitable, and the step remains a call.
"""

from collections.abc import Callable
from math import prod
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from rushlight.compiler.graph import Graph, Node, contiguous, is_contiguous
from rushlight.core.arrays import admit
from rushlight.core.tracing import power

TRUTH = np.dtype(bool)
FLOATS: set[Any] = {np.dtype(np.float32), np.dtype(np.float64)}
REDUCED: set[np.ufunc] = {np.add, np.maximum, np.minimum}


class Unsuitable(Exception):
    """Raised for what cannot be recorded as nodes."""


class Drawn(NDArrayOperatorsMixin):
    """A placeholder for the array that a node gives."""

    def __init__(self, graph: Graph, node: Node):
        self.graph = graph
        self.node = node
        self.is_given = True

    # attributes

    shape = property(lambda self: self.node.shape)
    dtype = property(lambda self: self.node.dtype)
    ndim = property(lambda self: len(self.node.shape))
    size = property(lambda self: self.node.size)
    itemsize = property(lambda self: self.node.dtype.itemsize)
    T = property(lambda self: self.transpose())
    real = property(lambda self: self)

    @property
    def strides(self) -> tuple[int, ...]:
        """The strides in bytes."""
        return self.node.detail[1] if self.node.kind == "window" else contiguous(self.shape, self.dtype)

    @property
    def flags(self) -> SimpleNamespace:
        """The flags about memory layout."""
        return SimpleNamespace(c_contiguous=is_contiguous(self.node), writeable=False)

    def __len__(self) -> int:
        return self.shape[0]

    # views

    def seen(self, look: Callable[[np.ndarray], np.ndarray]) -> "Drawn":
        """The result of a function that returns a view, or a copy in another shape."""
        return Drawn(self.graph, self.graph.view(self.node, look))

    def reshape(self, *shape: Any, order: str = "C", copy: bool | None = None) -> "Drawn":
        """The same elements in another shape."""
        if order != "C":
            raise Unsuitable
        sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        return Drawn(self.graph, self.graph.reshape(self.node, known_sizes(tuple(sizes), self.size)))

    def transpose(self, *axes: Any) -> "Drawn":
        """Its dimensions permuted."""
        return self.seen(lambda array: array.transpose(*axes))

    def swapaxes(self, first: int, second: int) -> "Drawn":
        """Its dimensions with two swapped."""
        return self.seen(lambda array: array.swapaxes(first, second))

    def __getitem__(self, key: Any) -> "Drawn":
        if any(not isinstance(item, (int, slice, type(None), type(Ellipsis))) for item in as_tuple(key)):
            raise Unsuitable
        return self.seen(lambda array: array[key if isinstance(key, tuple) else (key, ...)])

    # copies and functions

    def copy(self, order: str = "C") -> "Drawn":
        """The same values, in an array that may be written to."""
        found = Drawn(self.graph, self.node)
        found.is_given = False
        return found

    def astype(self, dtype: Any, order: str = "K", copy: bool = True) -> "Drawn":
        """The same values in a dtype: its own, or booleans as numbers."""
        dtype = np.dtype(dtype)
        if dtype == self.dtype:
            return self.copy()
        if self.dtype != TRUTH or dtype not in FLOATS:
            raise Unsuitable
        return Drawn(self.graph, numbers_of(self.graph, self.node, dtype))

    def sum(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> "Drawn":
        """A sum."""
        return self.reduced(np.add, axis, dtype, keepdims)

    def max(self, axis: Any = None, keepdims: bool = False) -> "Drawn":
        """The largest elements."""
        return self.reduced(np.maximum, axis, None, keepdims)

    def min(self, axis: Any = None, keepdims: bool = False) -> "Drawn":
        """The smallest elements."""
        return self.reduced(np.minimum, axis, None, keepdims)

    def reduced(self, ufunc: np.ufunc, axis: Any, dtype: Any, keepdims: bool) -> "Drawn":
        """A ufunc reduction along dimensions."""
        other = dtype is not None and dtype != self.dtype
        if other or self.dtype not in FLOATS or ufunc not in REDUCED or self.size == 0:
            raise Unsuitable
        given = range(self.ndim) if axis is None else as_tuple(axis)
        axes = tuple(sorted({d % self.ndim for d in given}))
        node = self.graph.reduce(ufunc, self.node, axes)
        if keepdims:
            node = self.graph.reshape(node, tuple([1 if d in axes else n for d, n in enumerate(self.shape)]))
        return Drawn(self.graph, node)

    def dot(self, other: Any) -> "Drawn":
        """The matrix product."""
        if not isinstance(other, Drawn) or other.ndim != 2 or self.ndim < 2:
            raise Unsuitable
        return product(self.graph, self, other)

    def __pow__(self, exponent: Any) -> Any:
        if isinstance(exponent, Drawn) or self.dtype not in FLOATS:
            return np.power(self, exponent)
        return power(self, exponent)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        if method == "reduce" and not set(options) - {"axis", "dtype", "keepdims"} and out in (None, (None,)):
            return self.reduced(ufunc, options.get("axis", 0), options.get("dtype"), options.get("keepdims", False))
        if method != "__call__" or options:
            raise Unsuitable
        made = product(self.graph, *inputs) if ufunc is np.matmul else applied(self.graph, ufunc, inputs)
        return made if out is None else self.written(out[0], made)

    @staticmethod
    def written(target: Any, made: "Drawn") -> "Drawn":
        """A result written in place of `target`."""
        if not isinstance(target, Drawn) or target.is_given or (target.shape, target.dtype) != (made.shape, made.dtype):
            raise Unsuitable
        target.node = made.node
        return target

    def __array_function__(
        self, function: Callable[..., Any], types: Any, args: tuple[Any, ...], kwargs: dict[Any, Any]
    ) -> Any:
        if function in VIEWS and isinstance(args[0], Drawn):
            return args[0].seen(lambda array: function(array, *args[1:], **kwargs))
        if function in FUNCTIONS:
            return FUNCTIONS[function](*args, **kwargs)
        raise Unsuitable

    def refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raises Unsuitable: there are no values."""
        raise Unsuitable

    __bool__ = __float__ = __int__ = __index__ = __complex__ = __array__ = __setitem__ = item = tolist = refuse
    any = all = refuse


admit(Drawn)


def as_tuple(value: Any) -> tuple[Any, ...]:
    """A tuple of the value, or the tuple that it is."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def known_sizes(sizes: tuple[Any, ...], size: int) -> tuple[int, ...]:
    """A shape with -1 replaced by the actual size."""
    rest = prod([n for n in sizes if n != -1])
    return tuple([size // rest if n == -1 else int(n) for n in sizes])


def node_of(graph: Graph, value: Any, dtype: Any) -> Node:
    """The node for an operand of a function that computes in a dtype."""
    if isinstance(value, Drawn):
        if value.dtype == dtype:
            return value.node
        if value.dtype == TRUTH and dtype in FLOATS:
            return numbers_of(graph, value.node, dtype)
    elif type(value) in (int, float, bool) and dtype in FLOATS:
        return graph.constant(np.array(value, dtype))
    elif isinstance(value, (np.ndarray, np.generic)) and value.dtype == dtype:
        return graph.constant(value)
    raise Unsuitable


def numbers_of(graph: Graph, node: Node, dtype: Any) -> Node:
    """Booleans as numbers."""
    char = np.dtype(dtype).char
    one, zero = [graph.constant(np.array(value, dtype)) for value in (1, 0)]
    return graph.apply(np.where, f"?{char}{char}->{char}", node, one, zero)


def fresh(graph: Graph, node: Node) -> Drawn:
    """A new array."""
    found = Drawn(graph, node)
    found.is_given = False
    return found


def applied(graph: Graph, ufunc: np.ufunc, inputs: tuple[Any, ...]) -> Drawn:
    """An elementwise function of arrays of one float dtype, or of booleans."""
    kinds = {x.dtype for x in inputs if isinstance(x, (Drawn, np.ndarray, np.generic))}
    dtype: Any = TRUTH if kinds == {TRUTH} else next(iter(kinds - {TRUTH}), None)
    if dtype != TRUTH and (dtype not in FLOATS or len(kinds - {TRUTH}) > 1):
        raise Unsuitable
    given = dtype.char * len(inputs)
    types = next((t for t in (f"{given}->{dtype.char}", f"{given}->?") if t in ufunc.types), None)
    if types is None or ufunc.signature is not None or ufunc.nout != 1:
        raise Unsuitable
    return fresh(graph, graph.apply(ufunc, types, *[node_of(graph, x, dtype) for x in inputs]))


def product(graph: Graph, a: Any, b: Any) -> Drawn:
    """A product of matrices, or of equally many in batches."""
    if not all(isinstance(x, Drawn) and x.ndim >= 2 and x.size and x.dtype in FLOATS for x in (a, b)):
        raise Unsuitable
    if a.dtype != b.dtype or a.shape[-1] != b.shape[-2]:
        raise Unsuitable
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    if prod(lead) > 1 and prod(b.shape[:-2]) == 1 and is_contiguous(a.node):
        rows = a.reshape(-1, a.shape[-1])
        made = fresh(graph, graph.product(rows.node, b.reshape(b.shape[-2:]).node))
        return made.reshape(*lead, a.shape[-2], b.shape[-1])
    wide: Any = [np.broadcast_to(x, (*lead, *x.shape[-2:])) for x in (a, b)]
    return fresh(graph, graph.product(wide[0].node, wide[1].node))


def chosen(condition: Any, x: Any, y: Any) -> Drawn:
    """`np.where`."""
    graph = next(one.graph for one in (condition, x, y) if isinstance(one, Drawn))
    kinds = {one.dtype for one in (x, y) if isinstance(one, (Drawn, np.ndarray, np.generic))}
    dtype = next(iter(kinds), None)
    if len(kinds) != 1 or dtype not in FLOATS or not isinstance(condition, Drawn) or condition.dtype != TRUTH:
        raise Unsuitable
    char = dtype.char  # type: ignore[union-attr]
    nodes = [node_of(graph, one, dtype) for one in (x, y)]
    return fresh(graph, graph.apply(np.where, f"?{char}{char}->{char}", condition.node, *nodes))


def filler_like(number: float) -> Callable[[Drawn], Drawn]:
    """A function that makes an array like another, filled with a number."""

    def made(like: Drawn, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None) -> Drawn:
        node = like.graph.constant(np.array(number, like.dtype if dtype is None else dtype))
        sizes = like.shape if shape is None else as_tuple(shape)
        return Drawn(like.graph, like.graph.view(node, lambda array: np.broadcast_to(array, sizes)))

    return made


def averaged(array: Drawn, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False) -> Drawn:
    """A mean."""
    total = array.sum(axis, dtype, keepdims)
    return total / (array.size // max(total.size, 1))


VIEWS: set[Callable[..., Any]] = {
    np.transpose,
    np.swapaxes,
    np.moveaxis,
    np.broadcast_to,
    np.expand_dims,
    np.squeeze,
    np.flip,
    np.rollaxis,
}
FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.where: chosen,
    np.zeros_like: filler_like(0),
    np.ones_like: filler_like(1),
    np.mean: averaged,
    np.sum: lambda array, axis=None, dtype=None, out=None, keepdims=False: array.sum(axis, dtype, keepdims),
    np.max: lambda array, axis=None, out=None, keepdims=False: array.max(axis, keepdims),
    np.min: lambda array, axis=None, out=None, keepdims=False: array.min(axis, keepdims),
    np.reshape: lambda array, shape, order="C": array.reshape(shape, order=order),
    np.copy: lambda array, order="K", subok=False: array.copy(),
    np.real: lambda array: array,
    np.clip: lambda array, low, high: np.minimum(np.maximum(array, low), high),
}
