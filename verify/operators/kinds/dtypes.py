"""What an operator gives for every other type of data, or that it refuses one."""

import torch

from verify.operators.cases import TYPES, UNSET, Case, samples
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
                yield Case(case.name, case.variant, converted(case.args, dtype), converted(case.kwargs, dtype))


def converted(value, dtype):
    """A nested value with its tensors of float32 in another type."""
    if isinstance(value, torch.Tensor):
        return value.to(dtype) if value.dtype == torch.float32 else value
    if isinstance(value, (tuple, list)):
        return type(value)(converted(v, dtype) for v in value)
    return {key: converted(v, dtype) for key, v in value.items()} if isinstance(value, dict) else value
