"""`torch._foreach_*`: an operator applied to each tensor of a list, as optimizers written for PyTorch call it.

The other operands are one for all tensors or a list with one for each. What is derived, refused or changed in place is
that of the operator itself. Functions that change tensors return the list; the others return a tuple.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import rushlight
from rushlight.core.graph import TensorBase
from rushlight.tensors import Tensor

Tensors = Sequence[Tensor]

UNARY = """
    abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal round
    rsqrt sigmoid sign sin sinh sqrt tan tanh trunc
"""
# The names of the other operand: as one number, as a list of numbers, as one tensor or a list of them.
OTHER = ("scalar", "scalars", "other")
BINARY = dict.fromkeys("add sub mul div clamp_max clamp_min maximum minimum".split(), OTHER) | {"pow": ("exponent",)}
SCALED = ("add", "sub")  # those that take `alpha`


def check_list(name: str, tensors: Any) -> None:
    """TypeError for what is not a list of tensors, RuntimeError for an empty one."""
    if not isinstance(tensors, (list, tuple)) or not all(isinstance(tensor, TensorBase) for tensor in tensors):
        kind = type(tensors).__name__
        raise TypeError(f"{name}(): argument 'self' (position 1) must be tuple of Tensors, not {kind}")
    if not tensors:
        raise RuntimeError("Tensor list must have at least one tensor.")


def spread(tensors: Tensors, operand: Any) -> Iterator[Any]:
    """An operand for each tensor of a list: the items of a list, or the same one. RuntimeError for another length."""
    if not isinstance(operand, (list, tuple)):
        return iter([operand] * len(tensors))
    if len(operand) != len(tensors):
        if isinstance(operand[0] if operand else None, TensorBase):
            lengths = f"got {len(tensors)} and {len(operand)}"
            raise RuntimeError(f"Tensor lists must have the same number of tensors, {lengths}")
        raise RuntimeError("Tensor list must have same number of elements as scalar list.")
    return iter(operand)


def check_single(operand: Any) -> None:
    """RuntimeError for one tensor as the operand of all that is not a single number."""
    if isinstance(operand, TensorBase) and operand.ndim:
        what = f"{operand.ndim} dimensions and {operand.numel()} elements"
        raise RuntimeError(f"scalar tensor expected to be 0 dim but it has {what}.")


def operation(name: str, in_place: bool) -> Callable[..., Any]:
    """The operator for one tensor: a method, or `maximum` and `minimum` with numbers made tensors."""
    if name not in ("maximum", "minimum"):
        return getattr(Tensor, f"{name}_" if in_place else name)
    function = getattr(rushlight, name)

    def apply(tensor: Tensor, other: Any) -> Tensor:
        result = function(tensor, rushlight.as_tensor(other))
        return tensor.copy_(result) if in_place else result

    return apply


def finished(tensors: Tensors, results: list[Tensor], in_place: bool) -> Any:
    """What a function returns: the list that it changed, or a tuple of results."""
    return tensors if in_place else tuple(results)


def unary(name: str, in_place: bool) -> Callable[..., Any]:
    """The function for an operator without other operands."""
    apply = operation(name, in_place)

    def foreach(self: Tensors) -> Any:
        check_list(foreach.__name__, self)
        return finished(self, [apply(tensor) for tensor in self], in_place)

    return foreach


def binary(name: str, in_place: bool) -> Callable[..., Any]:
    """The function for an operator with one other operand, and `alpha` where the operator takes it."""
    apply, names = operation(name, in_place), BINARY[name]

    def foreach(self: Any, *other: Any, **named: Any) -> Any:
        options = {"alpha": named.pop("alpha")} if name in SCALED and "alpha" in named else {}
        given = [*other, *[named.pop(key) for key in names if key in named]]
        if len(given) != 1 or named:
            wanted = " or ".join(names)
            raise TypeError(f"{foreach.__name__}() takes a list of tensors and one more argument: {wanted}")
        if name == "pow" and not in_place and not isinstance(self, (list, tuple)):
            check_list(foreach.__name__, given[0])
            return tuple([rushlight.pow(self, exponent) for exponent in given[0]])
        check_list(foreach.__name__, self)
        check_single(given[0])
        pairs = zip(self, spread(self, given[0]), strict=True)
        return finished(self, [apply(tensor, operand, **options) for tensor, operand in pairs], in_place)

    return foreach


def pointwise(name: str, in_place: bool) -> Callable[..., Any]:
    """`addcmul` and `addcdiv`: the factor is one number, a list of numbers, or a tensor with one for each."""
    apply = operation(name, in_place)

    def foreach(self: Tensors, tensor1: Tensors, tensor2: Tensors, value: Any = 1, *, scalars: Any = None) -> Any:
        check_list(foreach.__name__, self)
        factors = value if scalars is None else scalars
        if isinstance(factors, TensorBase):
            if factors.shape != (len(self),):
                found = f"{len(self)} but got {factors.numel()} instead"
                raise RuntimeError(f"Expected length of scalars to match input of length {found}.")
            factors = factors.tolist()
        operands = zip(self, spread(self, tensor1), spread(self, tensor2), spread(self, factors), strict=True)
        return finished(
            self, [apply(x, first, second, value=factor) for x, first, second, factor in operands], in_place
        )

    return foreach


def lerp(name: str, in_place: bool) -> Callable[..., Any]:
    """`lerp`, with one weight, a list of numbers or a list of tensors."""
    apply = operation(name, in_place)

    def foreach(self: Tensors, tensors1: Tensors, weight: Any = None, *, weights: Any = None) -> Any:
        check_list(foreach.__name__, self)
        operands = zip(self, spread(self, tensors1), spread(self, weight if weights is None else weights), strict=True)
        return finished(self, [apply(x, end, part) for x, end, part in operands], in_place)

    return foreach


def _foreach_clone(self: Tensors, *, memory_format: Any = rushlight.preserve_format) -> tuple[Tensor, ...]:
    check_list("_foreach_clone", self)
    return tuple([tensor.clone(memory_format=memory_format) for tensor in self])


def _foreach_copy_(self: Tensors, src: Tensors, non_blocking: bool = False) -> Tensors:
    check_list("_foreach_copy_", self)
    for tensor, source in zip(self, spread(self, src), strict=True):
        tensor.copy_(source, non_blocking)
    return self


def _foreach_zero_(self: Tensors) -> Tensors:
    check_list("_foreach_zero_", self)
    for tensor in self:
        tensor.zero_()
    return self


def _foreach_norm(self: Tensors, ord: float = 2, dtype: rushlight.dtype | None = None) -> tuple[Tensor, ...]:
    check_list("_foreach_norm", self)
    return tuple([rushlight.linalg.vector_norm(tensor, ord, dtype=dtype) for tensor in self])


def _foreach_powsum(self: Tensors, ord: float = 2, dtype: rushlight.dtype | None = None) -> tuple[Tensor, ...]:
    check_list("_foreach_powsum", self)
    return tuple([tensor.abs().pow(ord).sum(dtype=dtype) for tensor in self])


def _foreach_max(self: Tensors) -> tuple[Tensor, ...]:
    check_list("_foreach_max", self)
    if not all(tensor.numel() for tensor in self):
        message = "_foreach_max cannot compute the maximum of an empty tensor; max over zero elements is undefined."
        raise RuntimeError(message)
    return tuple([tensor.max() for tensor in self])


def _foreach_mm(self: Tensors, mat2: Tensors) -> tuple[Tensor, ...]:
    check_list("_foreach_mm", self)
    return tuple([tensor.mm(other) for tensor, other in zip(self, spread(self, mat2), strict=True)])


def functions() -> Iterator[Callable[..., Any]]:
    """The functions made from the tables, each in both forms."""
    kinds = {unary: UNARY.split(), binary: BINARY, pointwise: ("addcmul", "addcdiv"), lerp: ("lerp",)}
    for kind, names in kinds.items():
        for name in names:
            for in_place in (False, True):
                function = kind(name, in_place)
                function.__name__ = function.__qualname__ = f"_foreach_{name}{'_' * in_place}"
                function.__doc__ = f"`torch.{name}` for each tensor of a list{', in place' * in_place}."
                yield function


globals().update({function.__name__: function for function in functions()})
