"""PyTorch's errors for vectors and matrices that cannot be multiplied, looked for only after a product has failed."""

import math
from collections.abc import Callable, Sequence
from inspect import Parameter, signature
from itertools import takewhile
from numbers import Number
from typing import Any

import numpy as np

from rushlight.core.above import ABOVE
from rushlight.core.advice import advised
from rushlight.core.aliases import Array
from rushlight.core.graph import TensorBase
from rushlight.core.interpreters import casting
from rushlight.dtypes import TYPE_NAMES, from_numpy_dtype
from rushlight.layouts import joint_shape
from rushlight.ops.arguments.dims import size_of
from rushlight.refusals.signatures import NUMPY_NAMES, is_a, misfit
from rushlight.tensors import foreign

ABSENT: Any = object()  # stands for an operand that is not given under its own name or place
BOOL = np.dtype(bool)
C_NAMES = {
    "bool": "bool",
    "uint8": "unsigned char",
    "int8": "signed char",
    "int16": "short int",
    "int32": "int",
    "int64": "long int",
    "bfloat16": "c10::BFloat16",
    "float16": "c10::Half",
    "float32": "float",
    "float64": "double",
    "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>",
}


def mismatched(words: str) -> RuntimeError:
    """The error for operands whose shapes or dtypes do not match, with advice on what to do."""
    return RuntimeError(advised(words))


def check_tensors(function: str, **arguments: Any) -> None:
    """Raises TypeError for the first argument that is not a tensor."""
    for position, (name, value) in enumerate(arguments.items(), 1):
        if not isinstance(value, TensorBase):
            kind = type(value).__name__
            raise TypeError(
                advised(f"{function}(): argument '{name}' (position {position}) must be Tensor, not {kind}")
            )


def quick(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a function without a guard, whose operands are `ABSENT` by default, and which ends in `**named`.

    Its signature shows neither, nor `*more` operands: such calls go to `not_tensors`.
    """
    shown = signature(function)
    parameters = [p for p in shown.parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    parameters = [
        p.replace(default=p.empty, kind=Parameter.POSITIONAL_OR_KEYWORD) if p.default is ABSENT else p
        for p in parameters
    ]
    vars(function)["__signature__"] = shown.replace(parameters=parameters)
    return function


def not_tensors(function: Callable[..., Any], options: dict[str, Any], *more: Any, **operands: Any) -> Any:
    """Calls a function again whose operands are given by NumPy's names, or override it (`__torch_function__`).

    Or in an order of PyTorch's first years, with numbers before what they multiply, and so `more` operands. TypeError,
    in PyTorch's words, for all others.
    """
    if foreign(operands.values()):
        return function(*operands.values())
    name, values = function.__name__, tuple(takewhile(lambda value: value is not ABSENT, operands.values()))
    given = {name: value for name, value in operands.items() if value is not ABSENT}
    renamed = {NUMPY_NAMES.get(name, name): value for name, value in options.items()}
    by_name = {name: value for name, value in renamed.items() if name in operands}
    others = {name: value for name, value in renamed.items() if name not in operands}
    if any(isinstance(value, Number) or (more and is_a("Number", value)) for value in (*values, *more)):
        for home in ("", "Tensor"):
            again = ABOVE.other_form(f"{home}.{name}", (*values, *more), by_name, TypeError())
            if again is not None:
                return function(*again[0], **others | again[1])
    if by_name and not given.keys() & by_name.keys():
        merged = given | by_name
        names = [*operands][: len(merged)]
        if merged.keys() == set(names):
            return function(*[merged[name] for name in names], **others)
    options = {name: value for name, value in options.items() if value is not None}
    positional, others = (*values, *more), dict([*given.items()][len(values) :]) | options
    said = next(filter(None, (misfit(f"{home}.{name}", positional, others) for home in ("", "nn.functional"))), None)
    if said is not None and (options or more or len(given) < len(operands)):
        raise TypeError(advised(said))
    return check_tensors(name, **operands)


def type_name(array: Array) -> str:
    """The name of an array's dtype as error messages give it, such as `Float`."""
    return TYPE_NAMES[from_numpy_dtype(array.dtype)]


def differ(first: Array, second: Array) -> bool:
    """Whether two arrays differ in dtype while autocast is off."""
    return first.dtype != second.dtype and not casting()


def by(array: Array) -> str:
    """The shape of a matrix as error messages give it, such as `2x3`."""
    return "x".join(str(n) for n in array.shape)


def refuse_bool(kernel: str, array: Array, other: Array | None = None) -> None:
    """Raises NotImplementedError for bool, which PyTorch does not multiply, unless it has nothing to multiply."""
    if array.dtype == BOOL and (other is None or (array.size and other.size)):
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'. Convert to an integer type first.")


def refuse_dims(function: str, input: Array, other: Array) -> None:
    """Raises RuntimeError for operands without dimensions."""
    if input.ndim == 0 or other.ndim == 0:
        raise mismatched(
            f"both arguments to {function} need to be at least 1D, but they are {input.ndim}D and {other.ndim}D"
        )


def matrices(mat1: Array, mat2: Array) -> None:
    """Raises the errors of `mm`, a product of two matrices."""
    if mat1.shape[1] != mat2.shape[0]:
        raise mismatched(f"mat1 and mat2 shapes cannot be multiplied ({by(mat1)} and {by(mat2)})")
    if differ(mat1, mat2):
        names = " != ".join(C_NAMES[x.dtype.name] for x in (mat1, mat2))
        raise mismatched(f"expected m1 and m2 to have the same dtype, but got: {names}")
    refuse_bool("addmm_impl_cpu_", mat1, mat2)


def added_matrices(input: Array, mat1: Array, mat2: Array) -> None:
    """Raises the errors of `addmm`: `input` plus a product of two matrices."""
    for name, mat in (("mat1", mat1), ("mat2", mat2)):
        if mat.ndim != 2:
            raise mismatched(f"{name} must be a matrix, got {mat.ndim}-D tensor")
    if mat1.shape[1] == mat2.shape[0]:
        same_as_second(input, mat1, mat2)
    matrices(mat1, mat2)
    check_expandable(input, (mat1.shape[0], mat2.shape[1]))


def matrix_and_vector(mat: Any, vec: Any, input: Array = None) -> None:
    """Raises the errors of `mv`, a product of a matrix and a vector, to which `input` may be added."""
    if input is None or mat.ndim == 2:
        size_of(mat.shape, 0)
    if mat.ndim != 2 or vec.ndim != 1:
        added = 1 if input is None else input.ndim
        raise mismatched(f"vector + matrix @ vector expected, got {added}, {mat.ndim}, {vec.ndim}")
    size = mat.shape[0] if input is None else input.size
    if mat.shape[1] != vec.shape[0] or (size != mat.shape[0] and size != 1):
        raise mismatched(f"size mismatch, got input ({size}), mat ({by(mat)}), vec ({vec.shape[0]})")
    types = [type_name(x) for x in (vec if input is None else input, mat, vec)]
    if len(set(types)) > 1 and not casting():
        raise mismatched("addmv input tensors must have the same dtype, but got {}, {}, and {}".format(*types))
    refuse_bool("addmv_impl_cpu", mat, vec)


def added_vector(input: Array, mat: Any, vec: Any) -> None:
    """Raises the errors of `addmv`: `input` plus a product of a matrix and a vector."""
    matrix_and_vector(mat, vec, input)


def vectors(input: Array, tensor: Array) -> None:
    """Raises the errors of `dot`, a product of two vectors."""
    if input.ndim != 1 or tensor.ndim != 1:
        raise mismatched(f"1D tensors expected, but got {input.ndim}D and {tensor.ndim}D tensors")
    if differ(input, tensor):
        found = f"{type_name(input)} and {type_name(tensor)}"
        raise mismatched(f"dot : expected both vectors to have same dtype, but found {found}")
    n, m = input.size, tensor.size
    if n != m:
        raise mismatched(
            f"inconsistent tensor size, expected tensor [{n}] and src [{m}] to have the same number of "
            f"elements, but got {n} and {m} elements respectively"
        )
    refuse_bool("dot", input)


def suit(input: Array, batch1: Array, batch2: Array) -> bool:
    """Whether two batches can be multiplied, and have one type and as many columns as what they are added to."""
    one = input.dtype
    return (
        batch1.ndim == batch2.ndim == 3
        and batch1.shape[::2] == batch2.shape[:2]
        and batch2.shape[2:] == input.shape[-1:]
        and batch1.dtype is one
        and batch2.dtype is one
        and one is not BOOL
    )


def batches(batch1: Array, batch2: Array, input: Array = None) -> None:
    """Raises the errors of `bmm`, a product of two batches of matrices, to which `input` may be added."""
    if input is not None and input.ndim == 3 and input.shape[:2] == batch1.shape[:2] and suit(input, batch1, batch2):
        return
    if input is not None:
        check_expandable(input, (size_of(batch1.shape, 0), size_of(batch1.shape, 1), size_of(batch2.shape, 2)))
    for name, batch in (("batch1", batch1), ("batch2", batch2)):
        if batch.ndim != 3:
            raise mismatched(f"{name} must be a 3D tensor")
    wanted = [batch1.shape[0], batch1.shape[2]]
    found = list(batch2.shape[:2])
    if found != wanted:
        raise mismatched(f"Expected size for first two dimensions of batch2 tensor to be: {wanted} but got: {found}.")
    if input is not None and differ(input, batch1):
        types = [C_NAMES[x.dtype.name] for x in (input, batch1, batch2)]
        raise mismatched("Input dtypes must be the same, got: input {}, batch1: {}, batch2: {}".format(*types))
    refuse_bool("bmm" if input is None else "baddbmm", batch1, batch2)
    same_scalars(batch1, batch2)


def summed_batches(batch1: Array, batch2: Array, input: Array) -> None:
    """Raises the errors of `addbmm`: `input` plus the sum of a batch of products."""
    if input.ndim == 2 and input.shape[:1] == batch1.shape[1:2] and suit(input, batch1, batch2):
        return
    check_expandable(input, (size_of(batch1.shape, 1), size_of(batch2.shape, 2)))
    for name, batch in (("batch1", batch1), ("batch2", batch2)):
        if batch.ndim != 3:
            raise mismatched(f"{name} must be a 3D tensor")
    if len(batch1) != len(batch2):
        raise mismatched(f"batch1 and batch2 must have same number of batches, got {len(batch1)} and {len(batch2)}")
    if batch1.shape[2] != batch2.shape[1]:
        raise mismatched(f"Incompatible matrix sizes for bmm ({by(batch1[0])} and {by(batch2[0])})")
    same_as_second(input, batch1, batch2)
    refuse_bool("addmm_impl_cpu_", batch1, batch2)


def broadcast_matrices(input: Array, other: Array) -> None:
    """Raises the errors of `matmul` with broadcast batch dimensions."""
    if input.shape[-1] == other.shape[-2]:
        for i in range(3, min(input.ndim, other.ndim) + 1):
            n, m = input.shape[-i], other.shape[-i]
            if n != m and 1 not in (n, m):
                raise mismatched(
                    f"The size of tensor a ({n}) must match the size of tensor b ({m}) at non-singleton "
                    f"dimension {max(input.ndim, other.ndim) - i}"
                )
    if other.ndim == 2:
        return matrices(np.reshape(input, (math.prod(input.shape[:-1]), input.shape[-1])), other)
    shape = joint_shape(input.shape[:-2], other.shape[:-2])
    return batches(
        *[np.broadcast_to(x, shape + x.shape[-2:]).reshape(math.prod(shape), *x.shape[-2:]) for x in (input, other)]
    )


def same_as_second(input: Array, mat1: Array, mat2: Array) -> None:
    """Raises RuntimeError if the second factor of an added product differs in dtype from `input` or the first."""
    for name, other in (("self", input), ("mat1", mat1)):
        if differ(other, mat2):
            both = f"{type_name(other)} and {type_name(mat2)}"
            raise mismatched(f"{name} and mat2 must have the same dtype, but got {both}")


def same_contracted(first: Array, second: Array) -> None:
    """Raises the error of `inner` and `tensordot` for two arrays that differ in dtype."""
    if differ(first, second):
        raise mismatched("both inputs should have same dtype")


def same_scalars(first: Array, second: Array) -> None:
    """Raises RuntimeError if two arrays differ in dtype."""
    if differ(first, second):
        raise mismatched(f"expected scalar type {type_name(first)} but found {type_name(second)}")


def check_expandable(input: Array, sizes: Sequence[int]) -> None:
    """Raises RuntimeError if `input` cannot be broadcast to a shape."""
    if input.shape == sizes:
        return
    for i, (n, size) in enumerate(zip(reversed(input.shape), reversed(sizes), strict=False), 1):
        if n not in (1, size):
            raise mismatched(
                f"The expanded size of the tensor ({size}) must match the existing size ({n}) at "
                f"non-singleton dimension {len(sizes) - i}.  Target sizes: {list(sizes)}.  Tensor sizes: "
                f"{list(input.shape)}"
            )
    if input.ndim > len(sizes):
        raise mismatched(
            f"expand(torch.{type_name(input)}Tensor{{{list(input.shape)}}}, size={list(sizes)}): the "
            "number of "
            f"sizes provided ({len(sizes)}) must be greater or equal to the number of dimensions in the "
            f"tensor ({input.ndim})"
        )
