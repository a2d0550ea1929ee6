"""First gradients in bfloat16, compared to the few digits that remain correct after several roundings."""

import numpy as np
import torch

import rushlight
from verify.compare import array
from verify.operators.cases import samples
from verify.operators.kinds.gradients import use

TITLE = "gradients in bfloat16"
WHY = "bfloat16: nearer to the gradients in float64 than PyTorch's, which are rounded between steps too, or wrong"


def cases(op, count):
    """Samples that can be differentiated in bfloat16."""
    if op.supports_autograd and torch.bfloat16 in op.supported_backward_dtypes("cpu"):
        for case in samples(op, torch.bfloat16, count, True):
            if case.side(torch).inputs:
                yield case


def in_float64(tensor: torch.Tensor) -> torch.Tensor:
    """The same numbers in float64."""
    narrow = tensor.dtype is torch.bfloat16
    return tensor.detach().double().requires_grad_(tensor.requires_grad) if narrow else tensor


def exact(case) -> list:
    """The gradients of the same numbers in float64, with cotangents that bfloat16 has."""
    side = case.but(in_float64).side(rushlight)
    outs = [t for t in side.at(*side.inputs) if t.requires_grad]
    ways = [way.bfloat16().to(way.dtype) for way in side.directions(outs, 1)]
    return rushlight.autograd.grad(outs, side.inputs, ways, materialize_grads=True)


def distance(found: list, wanted: list) -> float:
    """How far gradients are from others, as parts of the largest of each."""
    parts = []
    for one, other in zip(found, wanted, strict=True):
        one, other = (array(t).astype(np.float64) for t in (one, other))
        parts.append(np.abs(one - other).sum() / (np.abs(other).max(initial=0) or 1))
    return float(np.nan_to_num(sum(parts), nan=np.inf))


def right(side) -> bool:
    """Whether the gradients are nearer to those in float64 than PyTorch's; `gradients` checks those in float64."""
    wanted = exact(side.case)
    return distance(use(side), wanted) < distance(use(side.case.side(torch)), wanted)
