"""Printing sparse tensors."""

from typing import Any

from rushlight import dtypes
from rushlight.core.above import above
from rushlight.core.graph import new_tensor
from rushlight.layouts import sparse_coo
from rushlight.printing import _add_suffixes, tensor_str
from rushlight.sparse.parts import sparse_parts
from rushlight.tensors import Tensor


@above
def sparse_text(tensor: Any) -> str:
    """The `repr` of a sparse tensor, as PyTorch prints it."""
    opening = "tensor("
    indent = len(opening)
    pieces = [part_text(name, part, indent) for name, part in sparse_parts(tensor).items()]
    suffixes = [f"size={tuple(tensor.shape)}", f"nnz={tensor._places.shape[1]}"]
    if tensor.dtype not in (dtypes.get_default_dtype(), dtypes.int64, dtypes.bool):
        suffixes.append(f"dtype={tensor.dtype}")
    suffixes.append(f"layout={tensor.layout}")
    if tensor.grad_fn is not None:
        suffixes.append(f"grad_fn=<{type(tensor.grad_fn).__name__}>")
    elif tensor.requires_grad:
        suffixes.append("requires_grad=True")
    whole = opening + (",\n" + " " * indent).join(pieces)
    if tensor.layout is sparse_coo:
        return whole + ",\n" + " " * indent + ", ".join(suffixes) + ")"
    return _add_suffixes(whole, suffixes, indent)


def part_text(name: str, part: Tensor, indent: int) -> str:
    """One part of a sparse tensor as text, with its name."""
    opening = f"{name}=tensor("
    array = new_tensor(part.detach()._settled())._array
    written = tensor_str(array, prefix=opening, indent=indent, default_dtype=array.dtype)
    written = written if array.size else f"{opening}[], size={tuple(part.shape)})"
    return written
