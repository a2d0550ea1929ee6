"""First gradients in bfloat16, compared to the few digits that remain correct after several roundings."""

import torch

from verify.operators.cases import samples
from verify.operators.kinds.gradients import use  # noqa: F401

TITLE = "gradients in bfloat16"


def cases(op, count):
    """Samples that can be differentiated in bfloat16."""
    if op.supports_autograd and torch.bfloat16 in op.supported_backward_dtypes("cpu"):
        for case in samples(op, torch.bfloat16, count, True):
            if case.side(torch).inputs:
                yield case
