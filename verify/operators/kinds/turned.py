"""Inputs that are conjugate or negative views."""

import torch

from verify.operators.cases import UNSET, exchanged, samples, tensors_in
from verify.operators.kinds import strided

TITLE = "conjugate and negative views"


def cases(op, count):
    """Samples of complex and of real numbers."""
    for dtype in (torch.complex128, torch.float64):
        if dtype in op.dtypes and op.name not in UNSET:
            grad = op.supports_autograd and dtype in op.supported_backward_dtypes("cpu")
            for case in samples(op, dtype, count, grad):
                if case.side(torch).tensors:
                    yield case


def turned(tensor, library):
    """A view with the same values of new memory that holds their conjugates, or their negatives."""
    if tensor.is_complex():
        return library.conj_physical(tensor).conj()
    return library._neg_view(-tensor) if tensor.is_floating_point() else tensor


def use(side):
    """Values, how they lie, and gradients."""
    function, library = side.function, side.library

    def on_views(*args, **kwargs):
        views = iter([turned(t, library) for t in tensors_in([args, kwargs], library.Tensor)])
        args = exchanged(args, library.Tensor, views)
        return function(*args, **exchanged(kwargs, library.Tensor, views))

    side.function = on_views
    return strided.use(side)
