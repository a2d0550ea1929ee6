"""The standard's dtypes, and functions about them."""

from functools import reduce
from typing import Any

import numpy as np

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


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether a dtype equals another, or is of a kind, or of one of several. ValueError for an unknown kind.

    >>> from rushlight import array_api as xp
    >>> xp.isdtype(xp.float32, "real floating"), xp.isdtype(xp.int64, ("bool", "unsigned integer"))
    (True, False)
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one) for one in kind)
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"unrecognized data type kind: {kind!r}")
        return dtype in KINDS[kind].values()
    return dtype is kind


def can_cast(from_: Any, to: Any, /) -> bool:
    """Whether an array or dtype can be cast to another by promotion: whether the two promote to `to`.

    Unsigned integers of more than a byte, which PyTorch does not promote, are cast where the values fit.

    >>> from rushlight import array_api as xp
    >>> xp.can_cast(xp.int32, xp.int64), xp.can_cast(xp.float64, xp.float32)
    (True, False)
    """
    own = from_.dtype if isinstance(from_, Tensor) else from_
    if isdtype(own, "integral") and isdtype(to, "integral"):
        return bool(np.can_cast(own._numpy, to._numpy))
    wide = own if own.itemsize == 1 or not isdtype(own, "unsigned integer") else torch.int64
    return torch.promote_types(wide, to) is to


def result_type(*arrays_and_dtypes: Any) -> Any:
    """The dtype that arrays, dtypes and Python numbers promote to. ValueError without an array or dtype.

    >>> from rushlight import array_api as xp
    >>> xp.result_type(xp.ones(2), xp.float64)
    torch.float64
    """
    own = [x.dtype if isinstance(x, Tensor) else x for x in arrays_and_dtypes if isinstance(x, (Tensor, torch.dtype))]
    if not own:
        raise ValueError("result_type needs at least one array or dtype")
    numbers = [x for x in arrays_and_dtypes if not isinstance(x, (Tensor, torch.dtype))]
    dtype = reduce(torch.promote_types, own)
    for number in numbers:
        dtype = torch.result_type(torch.empty(1, dtype=dtype), number)
    return dtype
