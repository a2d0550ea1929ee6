"""An operator's results for all other dtypes, or its error for an unsupported one."""

import torch

from verify.operators.cases import TYPES, UNSET, samples
from verify.operators.kinds.values import use  # noqa: F401

TITLE = "float16 to complex64, integers, bool"


def cases(op, count):
    """Samples of each type that the operator takes; samples of numbers made into each that it does not take."""
    for dtype in TYPES:
        if dtype in (torch.float64, torch.complex128) or op.name in UNSET:
            continue
        if dtype in op.dtypes:
            yield from samples(op, dtype, max(count // 2, 1))
        elif torch.float32 in op.dtypes:
            for case in samples(op, torch.float32, 1):
                yield case.but(lambda t, dtype=dtype: t.to(dtype) if t.dtype == torch.float32 else t)
