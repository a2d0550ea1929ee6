"""Batches: `vmap` of an operator, and gradients through it."""

from verify.compare import differences
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
    """What `vmap` gives."""
    return side.library.vmap(lambda *inputs: tuple(side.at(*inputs)), randomness="same")(*batches)


def use(side, function=mapped):
    """Values, and gradients with fixed cotangents."""
    library = side.library
    batches = [library.stack([x.detach() * f for f in FACTORS]).requires_grad_() for x in side.inputs]
    outs = function(side, batches)
    live = [t for t in outs if t.requires_grad]
    grads = library.autograd.grad(live, batches, side.directions(live, 1), materialize_grads=True) if live else []
    return [gradients.detached(outs), gradients.detached(grads)]


def right(side) -> bool:
    """Whether a loop over the examples gives the same."""
    return not any(differences(use(side), use(side, looped), "result", (side.library, side.library)))
