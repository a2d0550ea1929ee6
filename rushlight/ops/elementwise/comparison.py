"""Comparisons: elementwise, of whole tensors, and tests of each element."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.arrays import is_array
from rushlight.core.batched import Batched, aligned, spread
from rushlight.core.batching import elementwise
from rushlight.core.graph import TensorBase
from rushlight.core.inplace import is_batched, needs
from rushlight.core.interpreters import answered
from rushlight.core.kinds import kind_of
from rushlight.core.operators import binary as call_binary
from rushlight.core.recording import recording
from rushlight.dtypes import FROM_NUMPY, TYPE_NAMES, arithmetic, result_dtype
from rushlight.kernels.ranking import among
from rushlight.kernels.steps import zeros_like
from rushlight.ops.arguments.promotion import only, real
from rushlight.ops.out import takes_out
from rushlight.ops.table import (
    TABLE,
    Binary,
    Unary,
    alias,
    binary,
    binary_in_place,
    enter,
    method,
    operator,
    refuse,
    unary,
    with_one_gradient,
    with_public_name,
)
from rushlight.tensors import Tensor

__all__ = [
    "allclose",
    "eq",
    "equal",
    "ge",
    "greater",
    "greater_equal",
    "gt",
    "isclose",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "le",
    "less",
    "less_equal",
    "lt",
    "ne",
    "not_equal",
    "signbit",
]


def ordered(kernel: str) -> Callable[..., Any]:
    """Type promotion of `<`, `<=`, `>` and `>=`, which complex numbers do not have."""
    return only("biuf", kernel)


eq: Binary = binary(
    "eq",
    np.equal,
    doc="""Whether elements of two tensors, or of a tensor and a number, are equal.

    >>> import rushlight as torch
    >>> torch.eq(torch.tensor([1, 2, 3]), torch.tensor([1, 0, 3]))
    tensor([ True, False,  True])
    """,
    one_byte=True,
)
ne: Binary = binary(
    "ne",
    np.not_equal,
    doc="""Whether elements of two tensors, or of a tensor and a number, differ.

    >>> import rushlight as torch
    >>> torch.ne(torch.tensor([1, 2, 3]), torch.tensor([1, 0, 3]))
    tensor([False,  True, False])
    """,
    one_byte=True,
)
lt: Binary = binary(
    "lt",
    np.less,
    doc="""Whether each element is less than the other.

    >>> import rushlight as torch
    >>> torch.lt(torch.tensor([1, 2, 3]), 2)
    tensor([ True, False, False])
    """,
    promote=ordered("lt_cpu"),
)
le: Binary = binary(
    "le",
    np.less_equal,
    doc="""Whether each element is at most the other.

    >>> import rushlight as torch
    >>> torch.le(torch.tensor([1, 2, 3]), 2)
    tensor([ True,  True, False])
    """,
    promote=ordered("le_cpu"),
)
gt: Binary = binary(
    "gt",
    np.greater,
    doc="""Whether each element is greater than the other.

    >>> import rushlight as torch
    >>> torch.gt(torch.tensor([1, 2, 3]), 2)
    tensor([False, False,  True])
    """,
    promote=ordered("gt_cpu"),
)
ge: Binary = binary(
    "ge",
    np.greater_equal,
    doc="""Whether each element is at least the other.

    >>> import rushlight as torch
    >>> torch.ge(torch.tensor([1, 2, 3]), 2)
    tensor([False,  True,  True])
    """,
    promote=ordered("ge_cpu"),
)


def comparing(entry: Any, otherwise: Any = NotImplemented) -> Callable[..., Any]:
    """Python's comparison operator for an entry; returns `otherwise` for operands that cannot be compared."""

    def compare(self: Tensor, other: Any) -> Any:
        result = call_binary(entry, self, other)
        return otherwise if result is NotImplemented else result

    return compare


for name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Tensor, f"__{name}__", comparing(TABLE[name]))


def add_recorded_change(name: str, node: str) -> None:
    """Has the in-place variant of a comparison leave a node, with gradients of zero, where an operand requires grad."""
    unrecorded, entry = getattr(Tensor, f"{name}_"), TABLE[name]

    def forward(input: Array, other: Any) -> Array:
        return entry.forward(input, other).astype(input.dtype)

    def zeros(grad: Array) -> Array:
        return zeros_like(grad)

    options: dict[str, Any] = {"promote": entry.promote, "broadcasts": True, "holomorphic": False}
    recorded = enter(
        f"{name}_", forward, ("input", "other"), {"input": zeros, "other": zeros}, node=f"{node}1", **options
    )
    with_number = with_one_gradient(recorded, forward, "input", f"{node}0", options)
    change_recorded = binary_in_place(f"{name}_", recorded, with_number)

    def variant(self: Tensor, other: Any) -> Tensor:
        kept = recording() and (self._needs or needs(other)) and (self.is_floating_point() or self.is_complex())
        return change_recorded(self, other) if kept else unrecorded(self, other)

    setattr(Tensor, f"{name}_", with_public_name(variant, f"{name}_", str(unrecorded.__doc__)))


for name in ("eq", "ne", "lt", "le", "gt", "ge"):
    add_recorded_change(name, f"{name.capitalize()}Backward")
not_equal: Binary = alias("not_equal", ne)
less: Binary = alias("less", lt)
less_equal: Binary = alias("less_equal", le)
greater: Binary = alias("greater", gt)
greater_equal: Binary = alias("greater_equal", ge)

isnan: Unary = unary(
    "isnan",
    np.isnan,
    doc="""Whether each element is NaN.

    >>> import rushlight as torch
    >>> torch.isnan(torch.tensor([1.0, torch.inf, torch.nan]))
    tensor([False, False,  True])
    """,
    promote=arithmetic,
    one_byte=True,
    inplace=False,
)
isinf: Unary = unary(
    "isinf",
    np.isinf,
    doc="""Whether each element is infinite.

    >>> import rushlight as torch
    >>> torch.isinf(torch.tensor([1.0, torch.inf, torch.nan]))
    tensor([False,  True, False])
    """,
    promote=arithmetic,
    inplace=False,
)
isfinite: Unary = unary(
    "isfinite",
    np.isfinite,
    doc="""Whether each element is neither infinite nor NaN.

    >>> import rushlight as torch
    >>> torch.isfinite(torch.tensor([1.0, torch.inf, torch.nan]))
    tensor([ True, False, False])
    """,
    promote=arithmetic,
    inplace=False,
)
isposinf: Unary = unary(
    "isposinf",
    lambda x: x == np.inf,
    doc="""Whether each element is +inf.

    >>> import rushlight as torch
    >>> torch.isposinf(torch.tensor([1.0, -torch.inf, torch.inf]))
    tensor([False, False,  True])
    """,
    inplace=False,
    promote=real("isposinf does not support complex inputs."),
)
isneginf: Unary = unary(
    "isneginf",
    lambda x: x == -np.inf,
    doc="""Whether each element is -inf.

    >>> import rushlight as torch
    >>> torch.isneginf(torch.tensor([1.0, -torch.inf, torch.inf]))
    tensor([False,  True, False])
    """,
    inplace=False,
    promote=real("isneginf does not support complex inputs."),
)
isreal: Unary = unary(
    "isreal",
    lambda x: x.imag == 0 if x.dtype.kind == "c" else np.ones_like(x, dtype=bool),
    doc="""Whether the imaginary part of each element is 0.

    >>> import rushlight as torch
    >>> torch.isreal(torch.tensor([1.0, 1j]))
    tensor([ True, False])
    """,
    promote=arithmetic,
    inplace=False,
)
signbit: Unary = unary(
    "signbit",
    lambda x: np.signbit(x) if kind_of(x.dtype) == "f" else x < 0,
    doc="""Whether the sign bit of each element is set, as it also is for -0.

    >>> import rushlight as torch
    >>> torch.signbit(torch.tensor([-2.0, 0.0, -0.0]))
    tensor([ True, False,  True])
    """,
    inplace=False,
    promote=real("signbit is not implemented for complex tensors.", error=NotImplementedError),
)


@method
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and the same elements; NaN differs from everything.

    >>> import rushlight as torch
    >>> torch.equal(torch.tensor([1, 2]), torch.tensor([1, 2]))
    True
    """
    if not isinstance(input, TensorBase):
        return refuse("equal", "input", 1, input)
    if not isinstance(other, TensorBase):
        return refuse("equal", "other", 2, other)
    if is_batched(input) or is_batched(other):
        raise RuntimeError(
            "vmap: It looks like you're calling torch.equal, which gives one answer for all examples. Compare with "
            "(input == other).all(), which gives one for each."
        )
    return answered(np.array_equal, input._array, other._array)


@operator(layout="elementwise", batch=elementwise)
def _isclose(input: Array, other: Array, rtol: float, atol: float, equal_nan: bool) -> Array:
    """Elementwise closeness of arrays: equal infinities are close; NaN is close to NaN only if `equal_nan`."""
    close = input == other
    if input.dtype.kind == "b":
        return close
    if equal_nan:
        close |= np.isnan(input) & np.isnan(other)
    allowed = atol + np.abs(rtol * other)
    return close | (np.isfinite(allowed) & (np.abs(input - other) <= allowed))


@method
def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Whether `|input - other| <= atol + rtol * |other|`, element by element; equal infinities are close.

    RuntimeError for tensors of different dtypes, and for negative tolerances.

    >>> import rushlight as torch
    >>> torch.isclose(torch.tensor([1.0, 2.0]), torch.tensor([1.0 + 1e-6, 2.1]))
    tensor([ True, False])
    """
    if not isinstance(input, TensorBase):
        return refuse("isclose", "input", 1, input)
    if not isinstance(other, TensorBase):
        return refuse("isclose", "other", 2, other)
    x, y = input._array, other._array
    if x.dtype != y.dtype:
        names = [TYPE_NAMES[FROM_NUMPY[array.dtype]] for array in (x, y)]
        raise RuntimeError("{} did not match {}".format(*names))
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if tolerance < 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {tolerance}")
    if rtol == 0 == atol:  # float8, too, can be compared
        same = input == other
        return same | ((input != input) & (other != other)) if equal_nan else same
    return _isclose(input, other, rtol, atol, equal_nan)


@method
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether `isclose` holds for all elements of two tensors.

    >>> import rushlight as torch
    >>> torch.allclose(torch.tensor([1.0, 2.0]), torch.tensor([1.0 + 1e-6, 2.0]))
    True
    """
    close = isclose(input, other, rtol, atol, equal_nan)
    if is_batched(close):
        raise RuntimeError(
            "vmap over torch.allclose isn't supported yet: it gives one answer for all examples. Take "
            "torch.isclose(input, other).all(), which gives one for each."
        )
    return answered(np.all, close._array)


@takes_out
def isin(
    elements: Tensor | float, test_elements: Tensor | float, *, assume_unique: bool = False, invert: bool = False
) -> Tensor:
    """Whether each element is among `test_elements`, or with `invert` is not. One of the two may be a number.

    RuntimeError for bools and complex numbers.

    >>> import rushlight as torch
    >>> torch.isin(torch.tensor([[1, 2], [3, 4]]), torch.tensor([2, 3]))
    tensor([[False,  True],
            [ True, False]])
    """
    for values in (elements, test_elements):
        dtype = values._array.dtype if isinstance(values, TensorBase) else result_dtype(values)
        if dtype.kind in "bc":
            raise RuntimeError(f"Unsupported input type encountered for isin(): {TYPE_NAMES[FROM_NUMPY[dtype]]}")
    return _isin(elements, test_elements, assume_unique, invert)


FEW = 1 << 14  # up to this many, comparing all pairs is faster than sorting


def among_own(op: Any, args: Sequence[Any], levels: Any) -> Array:
    """The batch rule of `isin`: values are replaced by numbers that are different for each example."""
    elements, tests, *how = args
    if type(tests) is not Batched:
        return op.forward(aligned(elements, levels), tests, *how)
    n = len(levels)
    both = [spread(np.asarray(x) if not is_array(x) else x, levels) for x in (elements, tests)]
    rows = [x.reshape(math.prod(x.shape[:n]), math.prod(x.shape[n:])) for x in both]
    values, numbers = np.unique(np.concatenate(rows, 1), return_inverse=True, equal_nan=False)
    numbers = numbers.reshape(len(rows[0]), -1) + values.size * np.arange(len(rows[0]))[:, None]
    first, second = np.split(numbers, [rows[0].shape[1]], 1)
    return op.forward(first, second, *how).reshape(both[0].shape)


@operator(batch=among_own)
def _isin(elements: Array, test_elements: Array, assume_unique: bool, invert: bool) -> Array:
    tests = np.reshape(test_elements, -1)
    if tests.size * np.size(elements) > FEW:
        return np.isin(elements, tests, assume_unique=assume_unique, invert=invert)
    found = among(elements, tests)
    if found is None:
        found = np.logical_or.reduce(np.equal.outer(tests, elements), 0)
    return np.logical_not(found) if invert else found
