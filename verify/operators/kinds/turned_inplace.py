"""In-place changes of conjugate and negative views."""

import torch

from verify.operators.cases import samples
from verify.operators.kinds import gradients, inplace
from verify.operators.kinds.turned import turned

TITLE = "in place through conjugates and negatives"


def cases(op, count):
    """Samples of complex and of real numbers, of operators that PyTorch has in place."""
    for dtype in (torch.complex128, torch.float64):
        if dtype in op.dtypes and hasattr(torch.Tensor, inplace.method(op)):
            grad = op.supports_autograd and dtype in op.supported_backward_dtypes("cpu")
            yield from samples(op, dtype, count, grad)


def use(side):
    """What the view and its memory are afterwards, and the gradients that come through the change."""
    x = turned(side.args[0], side.library)
    side.library.manual_seed(7)
    result = getattr(x, inplace.method(side.case))(*side.args[1:], **side.kwargs)
    found = [x.detach(), x._base.detach(), result is x, x._version, x._base._version, x.stride(), x.is_conj()]
    if x.requires_grad:
        both = [x, x._base]
        both = [t for t in both if t.requires_grad]
        found.append(side.library.autograd.grad(both, side.inputs, side.directions(both, 1), materialize_grads=True))
        found[-1] = gradients.detached(found[-1])
    return found
