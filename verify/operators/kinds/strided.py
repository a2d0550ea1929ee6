"""Inputs with other memory layouts: transposed, with gaps, at an offset."""

import torch

from verify.operators.cases import UNSET, samples, tensors_in
from verify.operators.kinds import gradients, layout

TITLE = "strided and transposed inputs"


def cases(op, count):
    """Each sample transposed and with gaps."""
    if torch.float64 not in op.dtypes or op.name in UNSET:
        return
    for case in samples(op, torch.float64, count, op.supports_autograd):
        if tensors_in([case.args, case.kwargs], torch.Tensor):
            for lay in (transposed, spaced):
                yield case.but(lay)


def transposed(tensor):
    """The same values with the dimensions the other way round in memory."""
    dims = tuple(range(tensor.dim()))[::-1]
    return tensor.permute(dims).contiguous().permute(dims).detach().requires_grad_(tensor.requires_grad)


def spaced(tensor):
    """The same values with gaps between them, behind other memory."""
    if tensor.dim() == 0:
        return torch.stack([tensor, tensor])[1].detach().requires_grad_(tensor.requires_grad)
    wide = torch.zeros(*tensor.shape[:-1], 2 * tensor.shape[-1] + 1, dtype=tensor.dtype)
    wide[..., 1::2] = tensor.detach()
    return wide[..., 1::2].detach().requires_grad_(tensor.requires_grad)


def use(side):
    """Values, how they lie, and gradients."""
    result = side.call()
    outs = tensors_in(result, side.library.Tensor)
    values = tensors_in(side.case.determined(result), side.library.Tensor)
    found = [gradients.detached(values), [layout.lies(t, []) for t in outs]]
    return [*found, gradients.use(side)] if side.inputs else found
