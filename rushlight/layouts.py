"""Memory layouts: strided and sparse layouts, memory formats, and questions about strides."""

from collections.abc import Sequence
from functools import lru_cache
from types import ModuleType
from typing import Any

import numpy as np

from rushlight.core.above import ABOVE
from rushlight.kernels.codes import MOST_DIMS
from rushlight.kernels.compiled import load
from rushlight.kernels.parts import LARGE, assign

__all__ = [
    "channels_last",
    "channels_last_3d",
    "contiguous_format",
    "layout",
    "legacy_contiguous_format",
    "memory_format",
    "preserve_format",
    "sparse_bsc",
    "sparse_bsr",
    "sparse_coo",
    "sparse_csc",
    "sparse_csr",
    "strided",
]

fast: ModuleType | None = load("windows")


class Name:
    """An object that is identified by its name, such as `torch.strided`."""

    __slots__ = ("name",)

    def __init__(self, name: str):
        self.name: str = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


class layout(Name):
    """The layout of a tensor: `torch.strided`, or the storage format of a sparse tensor.

    >>> import rushlight as torch
    >>> torch.ones(1).layout, torch.ones(1).to_sparse().layout
    (torch.strided, torch.sparse_coo)
    """


class memory_format(Name):
    """An order of the dimensions in memory, such as `torch.channels_last`.

    >>> import rushlight as torch
    >>> x = torch.zeros(1, 2, 3, 4).to(memory_format=torch.channels_last)
    >>> x.stride(), isinstance(torch.channels_last, torch.memory_format)
    ((24, 1, 8, 2), True)
    """


strided: layout = layout("strided")
sparse_coo: layout = layout("sparse_coo")
sparse_csr: layout = layout("sparse_csr")
sparse_csc: layout = layout("sparse_csc")
sparse_bsr: layout = layout("sparse_bsr")
sparse_bsc: layout = layout("sparse_bsc")
contiguous_format: memory_format = memory_format("contiguous_format")
legacy_contiguous_format: memory_format = contiguous_format
preserve_format: memory_format = memory_format("preserve_format")
channels_last: memory_format = memory_format("channels_last")
channels_last_3d: memory_format = memory_format("channels_last_3d")

RANKS = {channels_last: 4, channels_last_3d: 5}


def check_layout(given: layout | None) -> None:
    """Raises NotImplementedError for any layout but the strided one."""
    if given is not None and given is not strided:
        raise NotImplementedError(
            f"rushlight makes no layout={given} here: leave it out, or use torch.sparse_coo_tensor or to_sparse()."
        )


def empty_array(array: np.ndarray, dtype: np.dtype, format: memory_format | None) -> np.ndarray:
    """An uninitialized array of an array's shape, with its strides or in a memory format.

    RuntimeError if the format is for another number of dimensions.
    """
    if format is None or format is preserve_format:
        made = np.empty_like(array, dtype)
        if type(array) is not np.ndarray or (made.strides == array.strides and made.itemsize == array.itemsize):
            return made
        if array.flags.forc:
            return alike(array, made) if 1 in array.shape or not array.size else made
        sorted_: np.ndarray = ABOVE.sorted_alike(array, dtype)
        return sorted_
    if format is contiguous_format:
        return np.empty(array.shape, dtype, like=array)
    if array.ndim != RANKS[format]:
        raise RuntimeError(f"required rank {RANKS[format]} tensor to use {format.name} format")
    batch, channels, *space = array.shape
    return np.moveaxis(np.empty((batch, *space, channels), dtype, like=array), -1, 1)


def alike(array: np.ndarray, made: np.ndarray) -> np.ndarray:
    """A new array of an array's shape, with all of its strides if it is dense: NumPy sets those of size 1 anew."""
    if array.strides == made.strides and array.itemsize == made.itemsize:
        return made
    if type(made) is not np.ndarray or not is_dense(array):
        return made
    return laid_over(made, made.shape, tuple([s // array.itemsize * made.itemsize for s in array.strides]))


def is_repeated(array: np.ndarray) -> bool:
    """Whether a dimension was expanded: all its indices share memory. False for an empty array."""
    if 0 not in array.strides or array.size == 0:
        return False
    return any(s == 0 and n > 1 for s, n in zip(array.strides, array.shape, strict=True))


def owned(array: np.ndarray) -> np.ndarray:
    """A copy with the array's strides; contiguous if dimensions were expanded."""
    order: Any = "C" if is_repeated(array) else "K"
    if type(array) is not np.ndarray or array.nbytes < LARGE:
        return array.copy(order)
    out = np.empty_like(array, order=order)
    assign(out, array)
    return out


def compact(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    """The strides of a contiguous array."""
    if fast is not None:
        return fast.compact(shape, itemsize)
    strides = []
    for n in reversed(shape):
        strides.append(itemsize)
        itemsize *= n
    return tuple(reversed(strides))


def extent(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> int:
    """The number of bytes from an array's first element to the end of its last."""
    if 0 in shape:
        return 0
    return itemsize + sum([(n - 1) * s for n, s in zip(shape, strides, strict=True)])


def overlaps(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> bool:
    """Whether some elements may share memory: a dimension's stride is within the extent of the smaller ones."""
    reach = itemsize
    for stride, n in sorted((s, n) for n, s in zip(shape, strides, strict=True) if n > 1):
        if stride < reach:
            return True
        reach += stride * (n - 1)
    return False


def fills(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> bool:
    """Whether elements fill their memory without gaps or overlaps, as none do; dimensions of size 1 do not matter."""
    if 0 in shape:
        return True
    for stride, n in sorted([(s, n) for n, s in zip(shape, strides, strict=True) if n > 1]):
        if stride != itemsize:
            return False
        itemsize *= n
    return True


def is_dense(array: np.ndarray) -> bool:
    """Whether an array's elements fill their memory without gaps or overlaps."""
    return array.flags.c_contiguous or fills(array.shape, array.strides, array.itemsize)


def shown(array: np.ndarray) -> tuple[int, ...]:
    """An array's strides in bytes, as PyTorch shows them; in NumPy those of a new array without elements are 0."""
    if array.size or any(array.strides):
        return array.strides
    return compact([max(n, 1) for n in array.shape], array.itemsize)


@lru_cache(maxsize=1024)
def strides_of_view(
    shape: tuple[int, ...], strides: tuple[int, ...], new: tuple[int, ...], itemsize: int
) -> tuple[int, ...] | None:
    """The strides of a view in another shape, None if there is no such view.

    Dimensions that are adjacent in memory are one block, which is divided anew. NumPy gives dimensions of size 1 other
    strides.
    """
    if 0 in shape:
        return strides if new == shape else compact([max(n, 1) for n in new], itemsize)
    found: list[int] = []
    left, step, block, given = len(new), strides[-1] if shape else itemsize, 1, 1
    for dim in reversed(range(len(shape))):
        block *= shape[dim]
        if dim and (shape[dim - 1] == 1 or strides[dim - 1] == block * step):
            continue
        while left and (given < block or new[left - 1] == 1):
            left -= 1
            found.append(given * step)
            given *= new[left]
        if given != block:
            return None
        step, block, given = strides[dim - 1], 1, 1
    return tuple(reversed(found)) if shape else (itemsize,) * len(new)


def has_format(array: np.ndarray, format: memory_format) -> bool:
    """Whether an array has a memory format; strides of dimensions of size 1 do not matter."""
    if format in RANKS:
        return array.ndim == RANKS[format] and np.moveaxis(array, 1, -1).flags.c_contiguous
    return format is preserve_format or array.flags.c_contiguous


def expanded_strides(array: np.ndarray, shape: Sequence[int]) -> tuple[int, ...]:
    """The strides of an expanded array: 0 where it is repeated; a new dimension of size 1 steps over what follows."""
    extra = len(shape) - array.ndim
    strides = [s if n == m else 0 for s, n, m in zip(shown(array), array.shape, shape[extra:], strict=True)]
    if not strides or 1 not in shape[:extra]:
        return (0,) * extra + tuple(strides)
    for i in reversed(range(extra)):
        strides.insert(0, shape[i + 1] * strides[0] if shape[i] == 1 else 0)
    return tuple(strides)


def widened(array: np.ndarray, shape: tuple[int, ...], dims: Sequence[int]) -> np.ndarray:
    """An array with new dimensions of size 1, which step over what follows; `shape` is that of the result."""
    if type(array) is not np.ndarray or array.ndim == len(shape):
        return array.reshape(shape)
    sizes, strides = list(array.shape), list(shown(array))
    for dim in sorted(dims):
        strides.insert(dim, sizes[dim] * strides[dim] if dim < len(sizes) else array.itemsize)
        sizes.insert(dim, 1)
    return laid_over(array, shape, tuple(strides))


def expands(shape: tuple[int, ...], larger: tuple[int, ...]) -> bool:
    """Whether a shape can be expanded to another."""
    extra = len(larger) - len(shape)
    return extra >= 0 and all(n in (1, m) for n, m in zip(shape, larger[extra:], strict=True))


def joint_shape(*shapes: Any) -> tuple[int, ...]:
    """The shape that shapes broadcast to; ValueError if they do not. Faster than NumPy's for equal or empty ones."""
    first = shapes[0] or shapes[-1]
    for shape in shapes:
        if shape and shape != first:
            return np.broadcast_shapes(*shapes)
    return first


def laid_over(array: np.ndarray, shape: Sequence[int], strides: Sequence[int], offset: int = 0) -> np.ndarray:
    """An array of any shape and strides in the memory of another, starting `offset` bytes after its first element."""
    if len(shape) > MOST_DIMS:
        raise RuntimeError(f"only tensors with up to {MOST_DIMS} dims are supported")
    if fast is not None and type(array) is np.ndarray:
        return fast.laid_over(array, shape, strides, offset)
    place = array.__array_interface__["data"][0] + offset, not array.flags.writeable
    bytes_alone = f"|V{array.itemsize}"  # NumPy has no name for some dtypes
    interface = {"version": 3, "shape": shape, "strides": strides, "typestr": bytes_alone, "data": place}
    return np.asarray(Memory(interface, array)).view(array.dtype)


def diagonal_of(array: np.ndarray, offset: int, first: int, second: int) -> np.ndarray:
    """A view of a diagonal of two dimensions, as the last dimension."""
    if fast is not None and type(array) is np.ndarray:
        return fast.diagonal(array, offset, first, second)
    out = array.diagonal(offset, first, second)
    out.flags.writeable = array.flags.writeable
    return out


def reread(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The memory of an array as elements of another dtype: NumPy loses the strides of arrays without elements."""
    if array.size or not array.shape or type(array) is not np.ndarray:
        return array.view(dtype)
    size = array.itemsize
    strides = array.strides if any(array.strides) else compact([max(n, 1) for n in array.shape], size)
    last = dtype.itemsize if dtype.itemsize != size else strides[-1]
    shape = (*array.shape[:-1], array.shape[-1] * size // dtype.itemsize)
    return laid_over(laid_over(array, (0,), (size,)).view(dtype), shape, (*strides[:-1], last))


class Memory:
    """An object with NumPy's array interface: address, shape and strides, and the array that owns the memory."""

    def __init__(self, interface: dict[str, Any], owner: np.ndarray):
        self.__array_interface__ = interface
        self.base = owner
