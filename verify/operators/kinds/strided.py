"""Inputs that lie otherwise in memory: transposed, with gaps, at an offset."""

import torch

from verify.operators.cases import UNSET, Case, samples, tensors_in
from verify.operators.kinds import gradients, layout

TITLE = "strided and transposed inputs"


def cases(op, count):
    """Each sample transposed and with gaps."""
    if torch.float64 not in op.dtypes or op.name in UNSET:
        return
    for case in samples(op, torch.float64, count, op.supports_autograd):
        if tensors_in([case.args, case.kwargs], torch.Tensor):
            for lay in (transposed, spaced):
                yield Case(case.name, case.variant, laid(case.args, lay), laid(case.kwargs, lay))


def laid(value, lay):
    """A nested value with its tensors laid otherwise."""
    if isinstance(value, torch.Tensor):
        return lay(value.detach()).requires_grad_(value.requires_grad)
    if isinstance(value, (tuple, list)):
        return type(value)(laid(v, lay) for v in value)
    return {key: laid(v, lay) for key, v in value.items()} if isinstance(value, dict) else value


def transposed(tensor):
    """The same values with the dimensions the other way round in memory."""
    dims = tuple(range(tensor.dim()))[::-1]
    return tensor.permute(dims).contiguous().permute(dims).detach()


def spaced(tensor):
    """The same values with gaps between them, behind other memory."""
    if tensor.dim() == 0:
        return torch.stack([tensor, tensor + 0])[1].detach()
    wide = torch.zeros(*tensor.shape[:-1], 2 * tensor.shape[-1] + 1, dtype=tensor.dtype)
    wide[..., 1::2] = tensor
    return wide[..., 1::2].detach()


def use(side):
    """Values, how they lie, and gradients."""
    outs = tensors_in(side.call(), side.library.Tensor)
    found = [gradients.detached(outs), [layout.lies(t, []) for t in outs]]
    return [*found, gradients.use(side)] if side.inputs else found
