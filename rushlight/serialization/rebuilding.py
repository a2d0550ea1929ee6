"""The objects that names in a file stand for, and functions that rebuild them: all arguments are checked first."""

import codecs
import math
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from rushlight import dtypes, layouts
from rushlight.copying import OWN, set_state, slot_names
from rushlight.core.above import ABOVE
from rushlight.core.graph import new_tensor
from rushlight.core.turned import turn
from rushlight.devices import device
from rushlight.nn.parameter import Parameter
from rushlight.ops.making.creation import empty_strided
from rushlight.serialization.errors import LoadError, check_claim
from rushlight.size import Size
from rushlight.storage import TypedStorage
from rushlight.tensors import Tensor, rebuild

KEY = 100  # the most objects inside one key of a dictionary
MANY = 2**58  # more elements than any memory can hold


def is_number(value: Any) -> bool:
    """Whether a value is a nonnegative integer."""
    return type(value) is int and value >= 0


def rebuild_tensor(
    storage: Any,
    offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool = False,
    hooks: Any = None,
    metadata: Any = None,
) -> Tensor:
    """A tensor in a piece of memory, checked to be within it."""
    check_claim(isinstance(storage, TypedStorage), "a tensor lies in what is no memory")
    check_sizes(offset, size, stride)
    bits = metadata or {}
    check_claim(isinstance(bits, dict), "what is noted beside a tensor is no dictionary")
    memory = storage.array
    start = 0 if 0 in size else offset
    last = -1 if 0 in size else start + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    check_claim(last < memory.size, "a tensor reaches out of its memory")
    steps = tuple(s * memory.itemsize for s in stride)
    array = np.ndarray(size, memory.dtype, memory, start * memory.itemsize, steps)
    tensor = new_tensor(turn(array, bits.get("conj") is True, bits.get("neg") is True))
    if array.size < memory.size:
        tensor._memory = memory
    tensor.requires_grad = bool(requires_grad)
    return tensor


def check_sizes(offset: Any, size: Any, stride: Any) -> None:
    """Checks where a tensor lies."""
    check_claim(
        isinstance(size, (tuple, list)) and isinstance(stride, (tuple, list)), "a tensor has no sizes or strides"
    )
    check_claim(len(size) == len(stride) <= 64, f"a tensor has {len(size)} sizes and {len(stride)} strides")
    check_claim(all(map(is_number, (offset, *size, *stride))), "an offset, size or stride is no number, or negative")
    check_claim(math.prod(size) < MANY > max((*size, *stride), default=0), "a tensor is too large")


def rebuild_meta_tensor(dtype: Any, size: Any, stride: Any, requires_grad: bool) -> Tensor:
    """A tensor without values."""
    check_claim(isinstance(dtype, dtypes.dtype), "a tensor has no dtype")
    check_sizes(0, size, stride)
    return empty_strided(size, stride, dtype=dtype, device="meta").requires_grad_(bool(requires_grad))


def rebuild_untyped_tensor(
    storage: Any,
    offset: int,
    size: Sequence[int],
    stride: Sequence[int],
    requires_grad: Any,
    hooks: Any,
    dtype: Any,
    metadata: Any = None,
) -> Tensor:
    """A tensor in a piece of memory that the file stores as bytes."""
    known = isinstance(storage, TypedStorage) and storage.array.dtype == np.uint8
    check_claim(known, "a tensor lies in what are no bytes")
    check_claim(isinstance(dtype, dtypes.dtype), "a tensor has no dtype")
    check_claim(storage.array.size % dtype.itemsize == 0, "a tensor lies in a part of an element")
    typed = TypedStorage._over(storage.array.view(dtype._numpy))
    return rebuild_tensor(typed, offset, size, stride, requires_grad, hooks, metadata)


def rebuild_wrapper(
    kind: type,
    dtype: Any,
    size: Any,
    stride: Any,
    offset: int,
    layout: Any,
    place: Any,
    requires_grad: bool,
) -> Tensor:
    """An object of a subclass of Tensor that has no memory of its own (`Tensor._make_wrapper_subclass`)."""
    check_claim(isinstance(kind, type) and issubclass(kind, Tensor), "a tensor is of a class that is none of a tensor")
    check_claim(isinstance(dtype, dtypes.dtype), "a tensor has no dtype")
    check_claim(layout is layouts.strided, "a tensor without memory has a layout")
    check_sizes(offset, size, stride)
    made: Tensor = ABOVE.make_wrapper_subclass(kind, size, stride, offset, dtype=dtype, requires_grad=requires_grad)
    return made


def rebuild_early_tensor(storage: Any, offset: int, size: Any, stride: Any) -> Tensor:
    """`rebuild_tensor` as early files call it."""
    return rebuild_tensor(storage, offset, size, stride)


def rebuild_parameter(data: Tensor, requires_grad: bool, hooks: Any = None) -> Parameter:
    """A parameter with a tensor's memory."""
    check_claim(isinstance(data, Tensor), "a parameter is made of what is no tensor")
    return Parameter(data, bool(requires_grad))


def rebuild_parameter_with_state(data: Tensor, requires_grad: bool, hooks: Any, state: Any) -> Parameter:
    """A parameter with a tensor's memory, and the attributes that users gave it."""
    return with_state(rebuild_parameter(data, requires_grad), state)


def rebuild_from_type(function: Callable[..., Any], kind: type, arguments: tuple[Any, ...], state: Any) -> Tensor:
    """A tensor of a class, with the attributes that users gave it."""
    check_claim(any(function is known for known in TENSORS), "a tensor is made by an unknown function")
    check_claim(isinstance(kind, type) and issubclass(kind, Tensor), "a tensor is of a class that is none of a tensor")
    tensor = function(*arguments)
    if type(tensor) is not kind:
        tensor = rebuild(kind, tensor._settled(), tensor.requires_grad)
    return with_state(tensor, state)


def with_state(tensor: Any, state: Any) -> Any:
    """A tensor with attributes that users gave it; they may come with those in slots, or be for `__setstate__`."""
    kind, plain = type(tensor), cast("Any", Tensor)
    if kind.__setstate__ is not plain.__setstate__:
        tensor.__setstate__(state)
        return tensor
    parts = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    check_claim(all(name in slot_names(type(tensor)) for name in parts[1] or ()), "a tensor has no such slots")
    for part in parts:
        check_claim(part is None or isinstance(part, dict), "the attributes of a tensor are no dictionary")
        check_claim(
            all(isinstance(name, str) and name not in OWN for name in part or ()), "a tensor has a forbidden attribute"
        )
    attributes, slots = parts
    tensor.__dict__.update(attributes or {})
    set_state(tensor, slots)
    return tensor


def get_device(kind: str, index: int | None = None) -> device:
    """A device by its name."""
    check_claim(isinstance(kind, str) and (index is None or is_number(index)), "a device has no name")
    return device(kind, index)


def get_layout(name: str) -> layouts.layout:
    """A layout by its name."""
    known = {repr(one): one for one in (layouts.strided, *SPARSE)}
    check_claim(isinstance(name, str) and name in known, "a layout is none that rushlight has")
    return known[name]


SPARSE = (layouts.sparse_coo, layouts.sparse_csr, layouts.sparse_csc)


def rebuild_sparse_tensor(layout: layouts.layout, data: tuple[Any, ...]) -> Tensor:
    """A sparse tensor from its indices, values, size, and whether it is coalesced."""
    coordinates = layout is layouts.sparse_coo
    check_claim(coordinates or layout in SPARSE, "a sparse tensor has no layout")
    known = isinstance(data, tuple) and len(data) in ((3, 4) if coordinates else (4,))
    check_claim(
        known and all(type(part) is Tensor for part in data[: 2 if coordinates else 3]), "a sparse tensor lacks parts"
    )
    check_claim(isinstance(data[2 if coordinates else 3], tuple), "a sparse tensor has no size")
    try:
        made: Tensor = ABOVE.rebuilt_sparse(layout, data)
    except (RuntimeError, TypeError, ValueError, NotImplementedError) as error:
        raise LoadError(f"the parts of a sparse tensor do not fit: {error}") from None
    return made


TENSORS = (
    rebuild_early_tensor,
    rebuild_tensor,
    rebuild_untyped_tensor,
    rebuild_meta_tensor,
    rebuild_wrapper,
    rebuild_parameter,
    rebuild_parameter_with_state,
)


def key(value: Any) -> Any:
    """A key of a dictionary or element of a set; the size of nested tuples is limited, as hash() visits it all."""
    pending, left = [value], KEY
    while pending:
        item = pending.pop()
        if isinstance(item, (tuple, frozenset)):
            left -= len(item)
            check_claim(left >= 0, "a key is too large")
            pending.extend(item)
    return value


def mapping(charge: Callable[..., Any], items: Any = ()) -> dict[Any, Any]:
    """A dictionary from another one, or from pairs."""
    charge(items)
    return {key(k): v for k, v in (items.items() if isinstance(items, dict) else items)}


def byte_array(charge: Callable[..., Any], content: Any = b"", encoding: str = "latin-1") -> bytearray:
    """A bytearray of bytes, or of text in Latin-1."""
    return bytearray(encode(charge, content, encoding) if isinstance(content, str) else bytes(charge(content)))


def encode(charge: Callable[..., Any], text: str, encoding: str = "latin1") -> bytes:
    """Bytes from a text in Latin-1, as files store them."""
    check_claim(isinstance(text, str) and encoding in ("latin1", "latin-1"), "bytes are no text in Latin-1")
    return charge(text).encode("latin-1")


def number(charge: Callable[..., Any], *parts: float) -> complex:
    """A complex number."""
    check_claim(all(type(part) in (int, float) for part in parts), "a complex number has parts that are no numbers")
    return complex(*parts)


def shape(charge: Callable[..., Any], sizes: Any = ()) -> Size:
    """A `Size`."""
    check_claim(all(type(size) is int for size in charge(sizes)), "a shape has sizes that are no integers")
    return Size(sizes)


def steps(charge: Callable[..., Any], *bounds: int) -> range:
    """A range."""
    check_claim(all(type(bound) is int for bound in bounds), "a range has bounds that are no integers")
    return range(*bounds)


def uncharged(function: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a function that copies none of its arguments."""
    return lambda charge, *arguments: function(*arguments)


# The functions that may be called, and how. `charge` counts what is copied, and returns it: a malicious file can copy
# the same list or text over and over, which no honestly written file does.
MAKERS: dict[Any, Callable[..., Any]] = {
    **{
        function: uncharged(function)
        for function in (*TENSORS, rebuild_sparse_tensor, rebuild_from_type, get_layout, slice)
    },
    device: uncharged(get_device),
    Size: shape,
    set: lambda charge, items=(): set(map(key, charge(items))),
    frozenset: lambda charge, items=(): frozenset(map(key, charge(items))),
    OrderedDict: lambda charge, items=(): OrderedDict(mapping(charge, items)),
    Counter: lambda charge, counts=(): Counter(mapping(charge, counts)),
    bytearray: byte_array,
    codecs.encode: encode,
    complex: number,
    range: steps,
}

NAMES: dict[tuple[str, str], Any] = {
    ("torch._utils", "_rebuild_tensor"): rebuild_early_tensor,
    ("torch._utils", "_rebuild_tensor_v2"): rebuild_tensor,
    ("torch._utils", "_rebuild_tensor_v3"): rebuild_untyped_tensor,
    ("torch._utils", "_rebuild_meta_tensor_no_storage"): rebuild_meta_tensor,
    ("torch._utils", "_rebuild_wrapper_subclass"): rebuild_wrapper,
    ("torch._utils", "_rebuild_sparse_tensor"): rebuild_sparse_tensor,
    ("torch._utils", "_rebuild_parameter"): rebuild_parameter,
    ("torch._utils", "_rebuild_parameter_with_state"): rebuild_parameter_with_state,
    ("torch._tensor", "_rebuild_from_type_v2"): rebuild_from_type,
    ("torch.serialization", "_get_layout"): get_layout,
    ("torch.nn.parameter", "Parameter"): Parameter,
    **{("torch", kind.__name__): kind for kind in (Tensor, Size, device)},
    ("torch", "UntypedStorage"): dtypes.uint8,
    ("torch.storage", "UntypedStorage"): dtypes.uint8,
    **{("torch", f"{name}Storage"): d for d, name in dtypes.TYPE_NAMES.items()},
    **{("torch", d._name): d for d in dtypes.DTYPES},
    ("collections", "OrderedDict"): OrderedDict,
    ("collections", "Counter"): Counter,
    **{("builtins", kind.__name__): kind for kind in (set, frozenset, bytearray, complex, slice, range)},
    ("_codecs", "encode"): codecs.encode,
}
for (module, name), function in NAMES.items():  # pickles of these functions themselves have PyTorch's names, too
    if getattr(function, "__module__", "") == __name__:
        function.__module__, function.__name__, function.__qualname__ = module.replace("torch", "rushlight"), name, name
