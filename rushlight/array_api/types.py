"""The standard's dtypes, and what it asks of them."""

from functools import reduce

import rushlight as torch
from rushlight import dtypes
from rushlight.tensors import Tensor

NAMES = {
    "bool": ["bool"],
    "signed integer": ["int8", "int16", "int32", "int64"],
    "unsigned integer": ["uint8", "uint16", "uint32", "uint64"],
    "real floating": ["float32", "float64"],
    "complex floating": ["complex64", "complex128"],
}
KINDS = {
    kind: {name: getattr(dtypes, name) for name in names if hasattr(dtypes, name)} for kind, names in NAMES.items()
}
KINDS["integral"] = KINDS["signed integer"] | KINDS["unsigned integer"]
KINDS["numeric"] = KINDS["integral"] | KINDS["real floating"] | KINDS["complex floating"]
DTYPES = KINDS["bool"] | KINDS["numeric"]
finfo, iinfo = torch.finfo, torch.iinfo


def isdtype(dtype, kind) -> bool:
    """Whether a dtype is another, or of a kind, or of one of several. ValueError for a kind that there is not."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one) for one in kind)
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"unrecognized data type kind: {kind!r}")
        return dtype in KINDS[kind].values()
    return dtype is kind


def can_cast(from_, to, /) -> bool:
    """Whether an array or a dtype can be cast by the rules of promotion: whether both promote to `to`."""
    return torch.promote_types(from_.dtype if isinstance(from_, Tensor) else from_, to) is to


def result_type(*arrays_and_dtypes):
    """The dtype that arrays, dtypes and Python's numbers promote to. ValueError for none of the first two."""
    own = [x.dtype if isinstance(x, Tensor) else x for x in arrays_and_dtypes if isinstance(x, (Tensor, torch.dtype))]
    if not own:
        raise ValueError("result_type needs at least one array or dtype")
    numbers = [x for x in arrays_and_dtypes if not isinstance(x, (Tensor, torch.dtype))]
    dtype = reduce(torch.promote_types, own)
    for number in numbers:
        dtype = torch.result_type(torch.empty(1, dtype=dtype), number)
    return dtype
