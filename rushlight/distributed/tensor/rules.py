"""Labels of functions' dimensions, by function name. Functions without labels are computed on whole tensors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from rushlight.distributed.tensor.labels import Labels, aligned
from rushlight.ops.shapes.broadcasting import expand
from rushlight.ops.shapes.shape import reshape
from rushlight.ops.table import TABLE

__all__ = ["RULES", "Call"]

RULES: dict[str, Callable[["Call"], Labels | None]] = {}


@dataclass
class Call:
    """A function's arguments, and the shapes of the DTensors among them, in order."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    shapes: list[tuple[int, ...]]

    def argument(self, place: int, name: str, default: Any = None) -> Any:
        """An argument by position or name."""
        return self.args[place] if len(self.args) > place else self.kwargs.get(name, default)

    def rest(self, place: int, name: str) -> tuple[Any, ...]:
        """Numbers given as separate arguments, or as a sequence."""
        first = self.argument(place, name)
        return tuple(first) if isinstance(first, (tuple, list)) else tuple(self.args[place:]) or (first,)

    def dims(self, place: int = 1, name: str = "dim") -> set[int]:
        """The dimensions in an argument, as nonnegative numbers; all of them for None."""
        ndim = len(self.shapes[0])
        given = self.argument(place, name)
        if given is None or given == ():
            return set(range(ndim))
        return {dim % max(ndim, 1) for dim in (given if isinstance(given, (tuple, list)) else [given])}


def rule(names: str) -> Callable[..., Any]:
    """Registers the rule for the labels of some functions."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        RULES.update(dict.fromkeys(names.split(), function))
        return function

    return enter


ALIKE = """
    absolute negative positive multiply divide true_divide subtract greater greater_equal less less_equal not_equal
    __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __pow__ __rpow__ __mod__ __neg__
    __and__ __or__ __xor__ __invert__ clamp clip clamp_min clamp_max relu6 selu elu gelu silu mish logsigmoid
    softsign tanhshrink hardtanh masked_fill type_as zeros_like ones_like empty_like full_like isclose nan_to_num
    float_power lerp pow round where expand_as fill fix arctan arcsin arccos arcsinh arccosh arctanh arctan2
"""
NOT_ALIKE = "fill_ zero_ copy_ uniform_ normal_ prelu rrelu dist cdist glu clamp_tensors".split()


@rule(ALIKE + " ".join(name for name, op in TABLE.items() if op.broadcasts and name not in NOT_ALIKE))
def elementwise(call: Call) -> Labels:
    """Operands are broadcast."""
    return Labels(*aligned(*call.shapes))


@rule("sum nansum")
def sums(call: Call) -> Labels | None:
    """A sum over some dimensions."""
    if len(call.shapes) != 1:
        return None
    return Labels([own(call)], without(call, call.dims(), call.argument(2, "keepdim", False)), sums=True)


@rule("amax amin logsumexp prod var std all any argmax argmin count_nonzero")
def reductions(call: Call) -> Labels | None:
    """A reduction over some dimensions, which must be whole."""
    if len(call.shapes) != 1 or (call.name in ("var", "std") and len(call.args) > 2):
        return None
    gone = call.dims()
    return Labels([without_labels_of(own(call), gone)], without(call, gone, call.argument(2, "keepdim", False)))


@rule(
    "softmax log_softmax softmin cumsum cumprod logcumsumexp flip sort argsort topk split chunk unbind tensor_split "
    "normalize gather index_select roll"
)
def along(call: Call) -> Labels | None:
    """One dimension must be whole, and may be split; all others are unchanged."""
    place = {"topk": 2, "split": 2, "chunk": 2, "tensor_split": 2, "normalize": 2, "roll": 2}.get(call.name, 1)
    usual = {"topk": -1, "sort": -1, "argsort": -1, "split": 0, "chunk": 0, "unbind": 0, "tensor_split": 0}
    dim = call.argument(place, "dim", usual.get(call.name, 1 if call.name == "normalize" else None))
    if len(call.shapes) != 1 or dim is None or not call.shapes[0]:
        return None
    gone = {d % len(call.shapes[0]) for d in (dim if isinstance(dim, (tuple, list)) else [dim])}
    labels = without_labels_of(own(call), gone)
    left = tuple(label for i, label in enumerate(labels) if i not in gone) if call.name == "unbind" else labels
    return Labels([labels], left)


@rule("layer_norm rms_norm")
def normalization(call: Call) -> Labels:
    """The last dimensions, which are normalized, must be whole, also in weights and biases."""
    shape = call.argument(1, "normalized_shape")
    ndim, last = len(call.shapes[0]), len(shape) if isinstance(shape, (tuple, list)) else 1
    labels = without_labels_of(own(call), set(range(ndim - last, ndim)))
    return Labels([labels, *[(None,) * len(other) for other in call.shapes[1:]]], labels)


@rule("linear")
def linear(call: Call) -> Labels | None:
    """The weight's rows are the result's last dimension; its columns are summed over."""
    if len(call.shapes) < 2 or len(call.shapes[1]) != 2:
        return None
    batch = tuple(range(len(call.shapes[0]) - 1))
    operands = [(*batch, "in"), ("out", "in"), *[("out",)] * (len(call.shapes) - 2)]
    return Labels(operands, (*batch, "out"), sums=True, addends=frozenset([2]), first=1)


@rule("matmul mm bmm mv dot __matmul__")
def matmul(call: Call) -> Labels | None:
    """The last dimension of one and the second-to-last of the other are summed over; those before are broadcast."""
    if len(call.shapes) != 2 or not all(call.shapes):
        return None
    a, b = call.shapes
    (first, second), batch = aligned(a[:-2], b[:-2])
    rows, columns = ("row",) if len(a) > 1 else (), ("column",) if len(b) > 1 else ()
    return Labels([(*first, *rows, "sum"), (*second, "sum", *columns)], (*batch, *rows, *columns), sums=True, first=1)


@rule("addmm baddbmm")
def added_product(call: Call) -> Labels | None:
    """A matrix product plus a tensor that is broadcast."""
    if len(call.shapes) != 3:
        return None
    batch = ("batch",) * (call.name == "baddbmm")
    result = (*batch, "row", "column")
    shape = (*call.shapes[1][:-1], call.shapes[2][-1])
    added = call.shapes[0]
    own = tuple(
        label if size == full else None
        for size, full, label in zip(added[::-1], shape[::-1], result[::-1], strict=False)
    )
    return Labels([own[::-1], (*batch, "row", "sum"), (*batch, "sum", "column")], result, True, frozenset([0]), 2)


@rule("scaled_dot_product_attention")
def attention(call: Call) -> Labels | None:
    """Batch and heads are independent; sequences and features must be whole, and with dropout everything."""
    if call.argument(4, "dropout_p", 0.0) or len(call.shapes) != 3 or len({shape[:-2] for shape in call.shapes}) != 1:
        return None
    labels = (*range(len(call.shapes[0]) - 2), None, None)
    return Labels([labels] * 3, labels)


@rule("transpose swapaxes swapdims t permute T mT adjoint mH H")
def turned(call: Call) -> Labels | None:
    """The dimensions are permuted."""
    labels = list(own(call))
    if call.name == "permute":
        order = call.rest(1, "dims")
        return Labels([own(call)], tuple(labels[dim] for dim in order))
    if call.name in ("transpose", "swapaxes", "swapdims"):
        i, j = call.argument(1, "dim0"), call.argument(2, "dim1")
        if i is None or j is None:
            return None
        labels[i], labels[j] = labels[j], labels[i]
    elif len(labels) >= 2:
        labels[-2], labels[-1] = labels[-1], labels[-2]
    return Labels([own(call)], tuple(labels))


@rule("unsqueeze")
def unsqueezed(call: Call) -> Labels:
    """A dimension is inserted."""
    labels: list[Any] = list(own(call))
    labels.insert(call.argument(1, "dim") % (len(labels) + 1), None)
    return Labels([own(call)], tuple(labels))


@rule("cat concat concatenate")
def joined(call: Call) -> Labels:
    """All dimensions but one are the same in all tensors."""
    gone = call.argument(1, "dim", 0) % len(call.shapes[0])
    labels = [without_labels_of(tuple(range(len(shape))), {gone}) for shape in call.shapes]
    return Labels(labels, labels[0])


@rule("stack")
def stacked(call: Call) -> Labels:
    """All dimensions are the same in all tensors; a new one is inserted."""
    labels: list[Any] = list(own(call))
    labels.insert(call.argument(1, "dim", 0) % (len(labels) + 1), None)
    return Labels([own(call)] * len(call.shapes), tuple(labels))


@rule("expand broadcast_to")
def expanded(call: Call) -> Labels:
    """Dimensions of size 1 are expanded, and new ones are added in front."""
    before, sizes = call.shapes[0], call.rest(1, "size")
    offset = len(sizes) - len(before)
    labels = tuple(
        dim if size in (-1, before[dim]) and before[dim] != 1 else None for dim, size in enumerate(sizes[offset:])
    )
    shape = tuple(before[dim - offset] if size == -1 else size for dim, size in enumerate(sizes))
    return Labels([labels], (*[None] * offset, *labels), shape=shape, resized=expand)


@rule("reshape view flatten unflatten")
def reshaped(call: Call) -> Labels | None:
    """Merged or split dimensions: the first dimension on each side is sharded in the same way."""
    before = call.shapes[0]
    after = shape_after(call, before)
    if after is None or 0 in before:
        return None
    labels: list[Any] = [None] * len(before)
    result: list[Any] = [None] * len(after)
    i = j = 0
    while i < len(before) and j < len(after):
        start, at, a, b = i, j, before[i], after[j]
        i, j = i + 1, j + 1
        while a != b:
            if a < b and i < len(before):
                a, i = a * before[i], i + 1
            elif b < a and j < len(after):
                b, j = b * after[j], j + 1
            else:
                return None
        if before[start] != 1 and after[at] != 1:
            labels[start] = result[at] = start
    return Labels([tuple(labels)], tuple(result), shape=after, resized=reshape)


def shape_after(call: Call, before: Sequence[int]) -> tuple[int, ...] | None:
    """The shape that a function gives a tensor; None if it is not given as numbers."""
    ndim = max(len(before), 1)
    if call.name == "flatten":
        first, last = call.argument(1, "start_dim", 0) % ndim, call.argument(2, "end_dim", -1) % ndim
        sizes: tuple[Any, ...] = (*before[:first], prod(before[first : last + 1]), *before[last + 1 :])
    elif call.name == "unflatten":
        dim = call.argument(1, "dim") % ndim
        sizes = (*before[:dim], *complete(call.argument(2, "sizes"), before[dim]), *before[dim + 1 :])
    else:
        sizes = complete(call.rest(1, "shape"), prod(before))
    return sizes if all(isinstance(size, int) for size in sizes) and prod(sizes) == prod(before) else None


def complete(sizes: Sequence[Any], count: int) -> tuple[Any, ...]:
    """Sizes with -1 replaced by the size that fits the number of elements."""
    known = prod(size for size in sizes if size != -1)
    return tuple(count // max(known, 1) if size == -1 else size for size in sizes)


def own(call: Call) -> tuple[int, ...]:
    """A label for each dimension of the first operand: its number."""
    return tuple(range(len(call.shapes[0])))


def without_labels_of(labels: tuple[Any, ...], dims: set[int]) -> tuple[Any, ...]:
    """Labels with those of dimensions that must be whole set to None."""
    return tuple(None if dim in dims else label for dim, label in enumerate(labels))


def without(call: Call, dims: set[int], kept: bool) -> tuple[Any, ...]:
    """The labels of the first operand without some dimensions; with `kept` these have size 1."""
    if kept:
        return without_labels_of(own(call), dims)
    return tuple(label for dim, label in enumerate(own(call)) if dim not in dims)
