"""The memory layout of results: strides, offsets, memory shared with the inputs, whether they can be written to."""

import numpy as np
import torch

from verify.operators.cases import samples, tensors_in

TITLE = "layout of results"


def cases(op, count):
    """Samples without gradients."""
    dtype = next((d for d in (torch.float64, torch.int64, torch.bool) if d in op.dtypes), None)
    if dtype is not None:
        yield from samples(op, dtype, count)


def use(side):
    """How each result lies."""
    return [lies(t, side.tensors) for t in tensors_in(side.call(), side.library.Tensor)]


def lies(tensor, inputs) -> tuple:
    """Strides of dimensions longer than one, offset, contiguity, what it shares memory with, whether it is writable."""
    array = tensor.detach().resolve_conj().resolve_neg().numpy()
    strides = tuple(n for m, n in zip(tensor.shape, tensor.stride(), strict=True) if m > 1) if tensor.numel() else ()
    shared = [bool(np.shares_memory(array, t.detach().resolve_conj().numpy())) for t in inputs]
    offset = tensor.storage_offset() if tensor.numel() else 0
    return strides, offset, tensor.is_contiguous(), shared, array.flags.writeable
