"""Readings: calls whose use suggests that something else was meant, each recorded with its site and evidence."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.graph import TensorBase
from rushlight.core.modes import CURRENT
from rushlight.explain.calls import Calls
from rushlight.explain.nodes import edges_of, operator_of
from rushlight.explain.origins import info_of, leaves_of
from rushlight.tensors import Tensor

VIEWS = ("view", "reshape_alias", "squeezed", "squeeze0", "squeeze1", "squeeze2", "to_copy", "unsqueeze")
PARTS = ("transpose", "permute", "t", "select", "slice", "index", "index_select", "reshape_copy", "clone")
VALUES = VIEWS + PARTS  # their results have the values of the operand, or some of them
PICKING = ("index", "index_select")
PRODUCTS = ("bmm", "broadcast", "mm")
BETWEEN = ("mul", "div", "add", "add_scaled", "masked_fill", "masked_fill_tensor", "where", "tanh", *VALUES)
CHOICES = ("argmin", "argmax", "min", "max", "topk", "sort", "argsort")
CURVES = ("tanh", "sigmoid")
LARGEST = 1 << 20  # the most elements of arguments with which a custom function is tested again
LOSSES = ("mse_loss", "smooth_l1_loss", "huber_loss", "sub")


class Readings(Calls):
    """Looks at single calls, and (`Calls`) at the calls of modules."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[tuple[Any, ...], dict[Any, Any]] = {}
        self.ways: Any = None
        self.picked: dict[int, Any] = {}  # by cut: where the cut values chose an index
        self.placing: set[int] = set()  # cuts by casts whose results were used as indices
        self.functions: dict[type, tuple[Any, ...]] = {}
        self.looks: dict[str, Callable[..., None]] = {
            "cross_entropy": self.of_cross_entropy,
            "log_softmax": self.of_softmax,
            "softmax": self.of_softmax,
            "binary_cross_entropy_with_logits": self.of_logits,
            "log_sigmoid": self.of_logits,
            "nll_sum": self.of_nll,
            "nll_loss": self.of_nll,
            "nll_loss2d": self.of_nll,
            "argmax": self.of_choice,
            "embedding": self.of_picking,
            "gather": self.of_choice,
            "einsum": self.of_contraction,
            "expand": self.of_expanding,
            "sum_dims": self.of_sum,
        }
        # by line: how many calls of a saturating function were looked at, and in how many it was saturated
        self.curves: dict[Any, tuple[int, int]] = {}
        self.looks |= dict.fromkeys(CURVES, self.of_curve) | dict.fromkeys(PRODUCTS, self.of_product)
        self.looks["div"] = self.of_quotient
        self.looks |= dict.fromkeys(PICKING, self.of_picking)
        self.looks |= dict.fromkeys(LOSSES, self.of_difference) | dict.fromkeys((*VIEWS, *PARTS), self.of_view)
        self.wanted: frozenset[str] = frozenset(self.looks)
        self.of_many: frozenset[str] = frozenset(CURVES)  # operators that are looked at if they have many results

    def look(self, name: str, info: Any, args: Any, known: Any, out: Tensor) -> None:
        """Looks at a call of an operator."""
        self.looks[name](name, info, args, known, out)

    def see(self, kind: str, site: Any, **facts: Any) -> None:
        """Records a reading at a site."""
        held = self.seen.setdefault((kind, site), facts)
        held["times"] = held.get("times", 0) + 1

    def see_dimension(self, source: Any, used: Any, batch: bool = False, rows: bool = False) -> None:
        """Records that a softmax is over another dimension than its use requires."""
        dim, _, site, function, *_ = source.dim
        self.see("softmax-dimension", site, dim=dim, function=function, used=used, batch=batch, rows=rows)

    # where operands come from

    def of_view(self, name: str, info: Any, args: Any, known: Any, out: Tensor) -> None:
        """A view: records what it is of, and which dimension sums to one."""
        info.parents = (known[0],)
        if name == "unsqueeze" and known[0] is not None and known[0].dim is not None:
            over, ndim, *others, shape = known[0].dim
            place = args[1] % (ndim + 1)
            shape = (*shape[:place], 1, *shape[place:])
            info.dim = (over % ndim + (over % ndim >= place), ndim + 1, *others, shape)

    def of_expanding(self, name: str, info: Any, args: Any, known: Any, out: Tensor) -> None:
        """An expanded tensor: records the shape before."""
        info.parents = (known[0],)
        info.shape = tuple(args[0]._array.shape)

    def of_softmax(self, name: str, info: Any, args: Any, known: Any, out: Tensor) -> None:
        """softmax: records its dimension; finds softmax of probabilities, and of a single element."""
        array, dim = args[0]._array, args[1]
        scores = array.ndim > 1 and dim % array.ndim == array.ndim - 2 and out._needs and is_product(args[0])
        info.dim = (dim, array.ndim, info.site, name, scores, array.shape)
        self.of_cross_entropy(name, info, args, known, out)
        if array.ndim and array.shape[dim] == 1 and array.size > 1 and out._needs:
            self.see("softmax-of-one", info.site, shape=array.shape, dim=dim)

    def of_cross_entropy(self, name: str, info: Any, args: Sequence[Any], known: Any, out: Tensor) -> None:
        """log_softmax in cross entropy: finds one of probabilities."""
        source = behind(known[0], VALUES)
        if source is not None and source.name == "softmax" and name != "softmax" and out._needs:
            self.see("softmax-twice", source.site, loss=info.site)

    def of_logits(self, name: str, info: Any, args: Sequence[Any], known: Any, out: Tensor) -> None:
        """A loss on logits: finds one of probabilities."""
        source = behind(known[0], VALUES)
        if source is not None and source.name in ("sigmoid", "softmax") and out._needs:
            self.see("sigmoid-twice", source.site, loss=info.site, function=source.name)

    def of_nll(self, name: str, info: Any, args: Sequence[Any], known: Any, out: Tensor) -> None:
        """nll_loss: finds one of values that are not log probabilities, or over another dimension than theirs."""
        source, array = behind(known[0]), args[0]._array
        values = behind(known[0], VALUES)
        if values is not None and values.name == "softmax":
            source = values
            self.see("not-log-probabilities", info.site, source=source.site, softmax=True)
        elif array.size and array.max() > 1e-3 and out._needs:
            self.see("not-log-probabilities", info.site, source=source and source.site, softmax=False)
        elif source is not None and source.dim is not None and wrong_dim(source, 1 if array.ndim > 1 else 0):
            self.see_dimension(source, info.site)

    def of_divergence(self, input: Any, site: Any) -> None:
        """kl_div: finds one of values that are not log probabilities."""
        source = behind(info_of(input), VALUES)
        softmax = source is not None and source.name == "softmax"
        if isinstance(input, TensorBase) and input._needs and (softmax or input._array.max(initial=0) > 1e-3):
            made = source and source.site
            self.see("not-log-probabilities", site, source=made, softmax=softmax, function="kl_div")
        elif (inner := behind(info_of(input))) is not None and inner.dim and input._needs and wrong_dim(inner, 1):
            self.see_dimension(inner, site)

    def of_product(self, name: str, info: Any, args: Any, known: Any, out: Any) -> None:
        """Products: finds a softmax over the samples of a batch, or over the rows of a matrix of scores."""
        source = known[0]
        if source is not None and source.dim is not None and out._needs and args[0]._array.ndim == source.dim[1]:
            over, ndim, _, _, scores, _ = source.dim
            rows = scores and over % ndim == ndim - 2
            if over % ndim < ndim - 2 or rows:
                self.see_dimension(source, info.site, batch=True, rows=rows)

    def of_contraction(self, name: str, info: Any, args: Any, known: Any, out: Any) -> None:
        """einsum: finds the same as `of_product`."""
        source, (labels, *_), result = known[0], args[1], args[2]
        if source is not None and source.dim is not None and source.dim[4] and out._needs:
            over, ndim = source.dim[:2]
            if len(labels) == ndim and labels[over] in result and labels[-1] not in result:
                self.see_dimension(source, info.site, batch=True, rows=True)

    def of_curve(self, name: str, info: Any, args: Any, known: Any, out: Any) -> None:
        """Saturating functions: counts early calls in which nearly all results are saturated."""
        looked, flat = self.curves.get(info.site, (0, 0))
        if looked < 8 and out._needs:
            ends = np.abs(out._array - (0.5 if name == "sigmoid" else 0)) == (0.5 if name == "sigmoid" else 1)
            self.curves[info.site] = looked + 1, flat + (np.mean(ends) > 0.9)
            if (looked, flat) == (3, 3):
                self.see("saturated", info.site, function=name)

    def of_choice(self, name: str, info: Any, args: Any, known: Any, out: Tensor) -> None:
        """argmax and the like: finds one over another dimension than that in which probabilities sum to one."""
        source = behind(known[0])
        dim = args[1]
        if source is not None and source.name in ("softmax", "log_softmax") and isinstance(dim, int):
            dim %= max(args[0]._array.ndim, 1)
            if wrong_dim(source, dim):
                self.see_dimension(source, info.site)

    def of_picking(self, name: str, info: Any, args: Any, known: Any, out: Tensor) -> None:
        """Indexing: records the cuts behind the index."""
        if name in PICKING:
            self.of_view(name, info, args, known, out)
        self.places(known[1:])
        for index in known if out._needs else ():
            if index is not None and index.cuts and index.name in CHOICES:
                self.picked |= dict.fromkeys(map(id, index.cuts), index.site)

    def places(self, indices: Sequence[Any]) -> None:
        """Records the casts behind indices."""
        self.placing.update(id(cut) for index in indices if index is not None for cut in index.cuts if cut.is_cast())

    def of_sum(self, name: str, info: Any, args: Any, known: Any, out: Tensor) -> None:
        """A sum over classes of a softmax times a one-hot target: finds a softmax over the samples."""
        source = behind(known[0])
        if source is not None and source.name == "mul" and source.dim is not None and out._needs:
            over, ndim = source.dim[:2]
            dims = tuple(d % ndim for d in args[1])
            if ndim == 2 and over % 2 == 0 and dims == (1,):
                self.see_dimension(source, info.site)
            elif ndim == 3 and over % 3 == 0 and dims == (1,) and weighs(args[0], source.dim[5]):
                self.see_dimension(source, info.site, batch=True)

    def of_difference(self, name: str, info: Any, args: Sequence[Any], known: Any, out: Tensor) -> None:
        """Differences: finds (N, 1) against (N,), which compares every prediction with every target."""
        if len(known) < 2 or not out._needs:
            return
        if name == "sub":
            self.ways.adapts(info.site, args, known)
        self.of_target(name, info, args, known)
        self.of_equals(name, info, args)
        shapes = [before(one, t) for one, t in zip(known, args, strict=False)]
        column = next((s for s in shapes if len(s) == 2 and s[1] == 1), None)
        row = next((s for s in shapes if len(s) == 1), None)
        if column is None or row is None or column[0] != row[0] or row[0] < 2:
            return
        sides = dict(zip(shapes, known, strict=False))
        if any(side is not None and side.name in ("unsqueeze", "look") for side in sides.values()):
            return
        if all(t._needs for t in args[:2] if isinstance(t, TensorBase)):
            return
        self.see("column-against-row", info.site, n=row[0], shapes=shapes[:2])

    def of_quotient(self, name: str, info: Any, args: Any, known: Any, out: Tensor) -> None:
        """Quotients: finds equal operands."""
        if out._needs:
            self.of_equals(name, info, args)

    def of_equals(self, name: str, info: Any, args: Any) -> None:
        """Finds operands of several equal elements, each with a history: their gradients cancel."""
        a, b = args[:2]
        if isinstance(a, TensorBase) and isinstance(b, TensorBase) and a._needs and b._needs:
            first, second = a._array, b._array
            equal = a is b or (first.shape == second.shape and np.array_equal(first, second))
            if equal and first.size > 1 and first.any() and same_leaves(a, b):
                self.see("equal-operands", info.site, function=name, one=a is b)

    def of_target(self, name: str, info: Any, args: Any, known: Any) -> None:
        """Finds a target of the form data + factor * value that requires grad, as the prediction does."""
        if not all(isinstance(a, TensorBase) and a._needs for a in args[:2]):
            return
        for i in (1, 0):
            if is_bootstrapped(args[i]) and not is_bootstrapped(args[1 - i]):
                if (i == 1 and name != "sub") or "Max" in names_behind(args[i]):
                    one = known[i]
                    self.see("target-trained-along", one.site if one is not None else info.site, loss=info.site)
                break

    # custom functions

    def custom(self, cls: Any, args: Any) -> None:
        """A call of a custom function: keeps its arguments for a check at the end."""
        if cls in self.functions or len(self.functions) > 20:
            return
        tensors = [a for a in args if isinstance(a, TensorBase)]
        if (
            CURRENT.get().grad
            and tensors
            and all(type(t._array) is np.ndarray for t in tensors)
            and sum(t._array.size for t in tensors) <= LARGEST
        ):
            self.functions[cls] = tuple(copy_of_reading(a) if isinstance(a, TensorBase) else a for a in args)


def copy_of_reading(tensor: Any) -> "Kept":
    """A copy of a tensor's values, with its requires_grad."""
    return Kept(tensor._array.copy(), tensor.requires_grad)


class Kept:
    """A copy of an argument."""

    def __init__(self, array: Array, needs: bool):
        self.array = array
        self.needs = needs


def behind(info: Any, through: Sequence[str] = VIEWS) -> Any:
    """The info behind views; with `through=VALUES` also behind permutations, parts and copies."""
    for _ in range(6):
        if info is None or info.name not in through or not info.parents:
            break
        info = info.parents[0]
    return info


def is_product(tensor: TensorBase) -> bool:
    """Whether a result is a product of two results, perhaps scaled or masked: attention scores."""
    nodes: list[Any] = [tensor._node]
    for _ in range(8):
        node: Any = nodes.pop() if nodes else None
        name = operator_of(node)
        if name in PRODUCTS or name == "einsum":
            return not any(isinstance(edge, TensorBase) for edge in edges_of(node))
        if name in BETWEEN:
            nodes += [node.edge_at(i)[0] for i in range(node.arity)]
    return False


def weighs(tensor: TensorBase, shape: Sequence[int]) -> bool:
    """Whether a product is one of weights with shape (N, M, 1) and values with shape (N, M, K)."""
    node: Any = tensor._node
    whole = tensor._array.shape
    saved = (node.saved0, node.saved1, *(node.saved or ()))
    return shape[:2] == whole[:2] and shape[2] == 1 < whole[2] and any(getattr(v, "shape", ()) == whole for v in saved)


def same_leaves(a: TensorBase, b: TensorBase) -> bool:
    """Whether two results have the same leaves."""
    return a is b or {id(leaf) for leaf in leaves_of(a)} == {id(leaf) for leaf in leaves_of(b)}


def wrong_dim(source: Any, dim: int) -> bool:
    """Whether a softmax is over the first of two dimensions where the second is expected."""
    over, ndim = source.dim[:2]
    return ndim == 2 and over % 2 != dim


def before(info: Any, tensor: Any) -> tuple[Any, ...]:
    """A tensor's shape before it was expanded for the loss."""
    if info is not None and info.name == "expand" and info.shape is not None:
        return info.shape
    return tuple(tensor._array.shape) if isinstance(tensor, TensorBase) else ()


def is_bootstrapped(tensor: Any) -> bool:
    """Whether a result is data plus a number times a value, as a temporal difference target."""
    node = tensor._node
    edges = edges_of(node) if operator_of(node) in ("add", "add_scaled") else []
    return len(edges) == 1 and operator_of(edges[0]) == "mul"


def names_behind(tensor: Any) -> str:
    """The names of the nodes behind a result, for a few steps."""
    nodes: list[Any] = [tensor._node]
    found: list[str] = []
    while nodes and len(found) < 12:
        node = nodes.pop()
        if node is not None and not isinstance(node, TensorBase):
            found.append(node.name())
            nodes.extend(node.edge_at(i)[0] for i in range(node.arity))
    return " ".join(found)
