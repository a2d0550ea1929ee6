"""Batches: `vmap` of an operator, and gradients through it."""

import torch

from verify.operators.cases import UNSET
from verify.operators.kinds import gradients

TITLE = "batching"
FACTORS = (1.0, 0.9, 1.05)  # what the examples differ by


def cases(op, count):
    """Samples with tensors to make a batch of."""
    if op.name not in UNSET:
        yield from gradients.cases(op, max(count // 2, 1))


def looped(side, batches):
    """A loop over the examples."""
    results = [side.at(*[b[k] for b in batches]) for k in range(len(FACTORS))]
    return [side.library.stack(column) for column in zip(*results, strict=True)]


def mapped(side, batches):
    """What `vmap` gives; where PyTorch's refuses, a loop."""
    function = lambda *inputs: tuple(side.at(*inputs))
    try:
        return side.library.vmap(function, randomness="same")(*batches)
    except (RuntimeError, NotImplementedError, ValueError):
        if side.library is torch:
            return looped(side, batches)
        raise


def use(side):
    """Values, and gradients with fixed cotangents."""
    library = side.library
    batches = [library.stack([x.detach() * f for f in FACTORS]).requires_grad_() for x in side.inputs]
    outs = mapped(side, batches)
    live = [t for t in outs if t.requires_grad]
    grads = library.autograd.grad(live, batches, side.directions(live, 1), materialize_grads=True) if live else []
    return [gradients.detached(outs), gradients.detached(grads)]
