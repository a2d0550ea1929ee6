"""An operator's results in float64 and complex128."""

import torch

from verify.operators.cases import UNSET, samples

TITLE = "values"
TYPES = (torch.float64, torch.complex128)


def cases(op, count):
    """Samples of both types, or of integers for operators that take no others."""
    found = [dtype for dtype in TYPES if dtype in op.dtypes] or [torch.int64]
    for dtype in found:
        if dtype in op.dtypes:
            yield from samples(op, dtype, count)


def use(side):
    """The result, or what of it is determined; the shape of memory that nobody has written to."""
    result = side.call()
    return tuple(result.shape) if side.case.name in UNSET else side.case.determined(result)
