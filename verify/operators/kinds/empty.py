"""Inputs of no elements, and of no dimensions."""

from dataclasses import replace

import torch

from verify.operators.cases import UNSET, changed, samples, tensors_in
from verify.operators.kinds import gradients

TITLE = "empty and 0-d inputs"


def cases(op, count):
    """Each sample with tensors cut to nothing along the first or last dimension, and with single numbers."""
    if torch.float64 not in op.dtypes or op.name in UNSET:
        return
    for case in samples(op, torch.float64, max(count // 2, 1), op.supports_autograd):
        if tensors_in([case.args, case.kwargs], torch.Tensor):
            for cut in (first, last, single):
                yield case.but(cut)
            yield replace(case, args=(changed(case.args[0], first), *case.args[1:]))


def first(tensor):
    """Nothing along the first dimension."""
    return leaf(tensor, tensor[:0]) if tensor.dim() else tensor


def last(tensor):
    """Nothing along the last dimension."""
    return leaf(tensor, tensor[..., :0]) if tensor.dim() else tensor


def single(tensor):
    """One number, without dimensions."""
    return leaf(tensor, tensor.reshape(-1)[0]) if tensor.numel() else tensor


def leaf(tensor, part):
    """A part of a tensor by itself."""
    return part.detach().clone().requires_grad_(tensor.requires_grad)


def use(side):
    """Values and gradients."""
    outs = tensors_in(side.case.determined(side.call()), side.library.Tensor)
    return [gradients.detached(outs), gradients.use(side)] if side.inputs else gradients.detached(outs)
