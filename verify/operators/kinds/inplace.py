"""The in-place variant of an operator."""

import torch

from verify.operators.cases import samples
from verify.operators.kinds import gradients

TITLE = "in place"


def method(op) -> str:
    """The name of the form in place."""
    return f"{op.name.rpartition('.')[2].removeprefix('__').removesuffix('__')}_"


def cases(op, count):
    """Samples with and without gradients, of operators that PyTorch has in place."""
    if torch.float64 in op.dtypes and hasattr(torch.Tensor, method(op)):
        for grad in (False, True) if op.supports_autograd else (False,):
            yield from samples(op, torch.float64, max(count // 2, 1), grad)


def use(side):
    """What the tensor is afterwards, its version, and the gradients that come through the change."""
    x = side.args[0]
    x = x.clone() if x.requires_grad else x
    side.library.manual_seed(7)
    result = getattr(x, method(side.case))(*side.args[1:], **side.kwargs)
    found = [x.detach(), result is x, x._version, x.stride()]
    if x.requires_grad:
        cotangents = side.directions([x], 1)
        found.append(side.library.autograd.grad(x, side.inputs, cotangents, materialize_grads=True))
        found[-1] = gradients.detached(found[-1])
    return found
