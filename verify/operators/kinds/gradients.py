"""First gradients."""

import torch

from verify.operators import slopes
from verify.operators.cases import samples

TITLE = "gradients"


def cases(op, count):
    """Samples that can be differentiated."""
    for dtype in (torch.float64, torch.complex128):
        if op.supports_autograd and dtype in op.supported_backward_dtypes("cpu"):
            for case in samples(op, dtype, count, True):
                if case.side(torch).inputs:
                    yield case


def detached(tensors):
    """Values alone."""
    return [t.detach() for t in tensors]


def gradient(side, inputs, create_graph=False):
    """The gradients at some inputs with fixed cotangents."""
    outs = [t for t in side.at(*inputs) if t.requires_grad]
    if not outs:
        return []
    return side.library.autograd.grad(
        outs, inputs, side.directions(outs, 1), create_graph=create_graph, materialize_grads=True
    )


def use(side):
    """The gradients at the sample's inputs."""
    return detached(gradient(side, side.inputs))


def right(side) -> bool:
    """Whether the gradients are the slopes of the results."""
    inputs = side.inputs
    found = use(side)
    live = [t.requires_grad for t in side.at(*inputs)]
    ways = side.directions(inputs, 3)

    def paired(distance):
        outs = [t for t, alive in zip(side.at(*slopes.moved(inputs, ways, distance)), live, strict=True) if alive]
        return slopes.inner(side.directions(outs, 1), outs)

    return slopes.agree([slopes.inner(found, ways)], paired)
