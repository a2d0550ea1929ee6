"""Inputs of no elements, and of no dimensions."""

import torch

from verify.operators.cases import UNSET, Case, samples, tensors_in
from verify.operators.kinds import gradients
from verify.operators.kinds.strided import laid

TITLE = "empty and 0-d inputs"


def cases(op, count):
    """Each sample with tensors cut to nothing along the first or last dimension, and with single numbers."""
    if torch.float64 not in op.dtypes or op.name in UNSET:
        return
    for case in samples(op, torch.float64, max(count // 2, 1), op.supports_autograd):
        if tensors_in([case.args, case.kwargs], torch.Tensor):
            for cut in (first, last, single):
                yield Case(case.name, case.variant, laid(case.args, cut), laid(case.kwargs, cut))
            yield Case(case.name, case.variant, (laid(case.args[0], first), *case.args[1:]), case.kwargs)


def first(tensor):
    """Nothing along the first dimension."""
    return tensor[:0].clone() if tensor.dim() else tensor


def last(tensor):
    """Nothing along the last dimension."""
    return tensor[..., :0].clone() if tensor.dim() else tensor


def single(tensor):
    """One number, without dimensions."""
    return tensor.reshape(-1)[0].clone() if tensor.numel() else tensor


def use(side):
    """Values and gradients."""
    outs = tensors_in(side.call(), side.library.Tensor)
    return [gradients.detached(outs), gradients.use(side)] if side.inputs else gradients.detached(outs)
