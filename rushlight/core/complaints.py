"""The only file that turns the errors of NumPy and Python about failed computations into PyTorch's types and words."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.core.above import above
from rushlight.core.advice import with_advice
from rushlight.core.aliases import Array
from rushlight.core.errors import sizes_differ


@above
def translated(error: Exception, arrays: Sequence[Array] | Array = ()) -> Exception:
    """PyTorch's error for an error of NumPy's, with advice; the same error where it needs no other words.

    `arrays` are the operands, whose shapes the message may need.
    """
    return with_advice(in_torchs_words(error, arrays))


def in_torchs_words(error: Exception, arrays: Sequence[Array] | Array) -> Exception:
    """PyTorch's error for an error of NumPy's."""
    kind = type(error).__name__
    text = str(error)
    if kind == "AxisError":
        return out_of_range(text)
    if isinstance(error, MemoryError):
        return too_large(text)
    for pattern, make in RULES:
        found = re.search(pattern, text)
        if found and isinstance(error, (ValueError, TypeError, IndexError, OverflowError)):
            return make(found, arrays) or error
    return error


def out_of_range(text: str) -> IndexError:
    """The error for a dimension out of range."""
    dim, ndim = (int(n) for n in re.findall(r"-?\d+", text)[:2])
    limit = max(ndim, 1)
    return IndexError(f"Dimension out of range (expected to be in range of [{-limit}, {limit - 1}], but got {dim})")


def too_large(text: str) -> RuntimeError:
    """The error for a result that does not fit in memory."""
    shape = re.search(r"shape \(([^)]*)\)", text)
    what = text if shape is None else f"a tensor of size [{shape[1].rstrip(',')}]"
    return RuntimeError(f"[enforce fail at allocation] DefaultCPUAllocator: can't allocate memory: {what}")


def sizes_must_match(found: Any, arrays: Sequence[Array] | Array) -> Exception:
    """The error for shapes that do not broadcast: those of the operands, else those in NumPy's message."""
    shapes = [array.shape for array in arrays if hasattr(array, "shape")]
    named = re.findall(r"\(([\d, ]*)\)", found.string)
    error = sizes_differ(None, shapes)
    if error is None:
        error = sizes_differ(None, [tuple(int(n) for n in s.split(",") if n) for s in named])
    return error


def saying(kind: type[Exception], words: str) -> Callable[..., Any]:
    """Makes an error with the given message, in which `{1}` is the first group of the pattern."""
    return lambda found, arrays: kind(words.format(*[found[0], *found.groups()]))


RULES = (
    (
        r"array is too big|Maximum allowed dimension|array is too large",
        saying(RuntimeError, "Storage size calculation overflowed: the sizes are larger than any memory"),
    ),
    (r"could not be broadcast together|shape mismatch: objects cannot be broadcast", sizes_must_match),
    (
        r"int too (?:large|big) to convert|Python int(?:eger)? too large to convert",
        saying(ValueError, "Overflow when unpacking long long: the number does not fit into 64 bits"),
    ),
    (
        r"Python integer (-?\d+) out of bounds for (\w+)",
        saying(RuntimeError, "value cannot be converted to type {2} without overflow"),
    ),
    (
        r"cannot convert float (NaN|infinity) to integer",
        saying(RuntimeError, "value cannot be converted to type int64_t without overflow: it is {1}"),
    ),
    (
        r"arrays used as indices must be of integer",
        saying(IndexError, "tensors used as indices must be long, int, byte or bool tensors"),
    ),
    (
        r"index (-?\d+) is out of bounds for axis (\d+) with size (\d+)",
        saying(IndexError, "index {1} is out of bounds for dimension {2} with size {3}"),
    ),
    (
        r"[Uu]func '(\w+)' (?:not supported|did not contain a loop)",
        saying(RuntimeError, '"{1}" not implemented for operands of these types'),
    ),
    (
        r"too many indices for array: array is (\d+)-dimensional",
        saying(IndexError, "too many indices for tensor of dimension {1}"),
    ),
    (
        r"zero-size array to reduction operation",
        saying(
            RuntimeError,
            "Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
            "the 'dim' argument.",
        ),
    ),
    (
        r"'[<>]=?' not supported between instances of '(\w+)' and '(\w+)'",
        saying(TypeError, "arguments must be Numbers, but got {1} and {2}"),
    ),
    (
        r"number of dimensions must be within|maximum supported dimension",
        saying(RuntimeError, "only tensors with up to 64 dims are supported"),
    ),
    (r"negative dimensions are not allowed", saying(RuntimeError, "Trying to create tensor with negative dimension")),
    (
        r"cannot reshape array of size (\d+) into shape \(([\d,-]*)\)",
        saying(RuntimeError, "shape '[{2}]' is invalid for input of size {1}"),
    ),
)
