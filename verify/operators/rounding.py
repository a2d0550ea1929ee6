"""Whether results differ only by rounding: PyTorch's own change as much where its inputs change in the last digit."""

import numpy as np
import torch

import rushlight
from verify.compare import array
from verify.operators.cases import Case, tensors_in
from verify.operators.outcome import Raised, outcome
from verify.programs.rounding import FACTOR, RUNS

FACTORS = {"float64": FACTOR, "complex128": FACTOR, "bfloat16": 1}


def disturbed(case: Case, seed: int) -> Case:
    """The call with numbers that differ by at most an epsilon of the largest beside them."""
    generator = torch.Generator().manual_seed(seed)

    def change(tensor: torch.Tensor) -> torch.Tensor:
        if not (tensor.is_floating_point() or tensor.is_complex()) or not tensor.numel():
            return tensor
        noise = torch.rand(tensor.shape, generator=generator, dtype=torch.float64) * 2 - 1
        changed = tensor.detach() + noise * tensor.detach().abs().max() * torch.finfo(tensor.dtype).eps
        return changed.to(tensor.dtype).requires_grad_(tensor.requires_grad)

    return case.but(change)


def apart(one: list, other: list) -> np.ndarray:
    """The largest difference of each tensor from the one beside it."""
    return np.array([np.abs(array(a) - array(b)).max(initial=0) for a, b in zip(one, other, strict=True)])


def kinds(tensors: list) -> list[tuple]:
    """The shapes and types of tensors."""
    return [(tuple(t.shape), str(t.dtype).partition(".")[2]) for t in tensors]


def is_rounding(kind, case: Case, ours, theirs) -> bool:
    """Whether results are no further apart than PyTorch's own after small disturbances: in double precision than ten
    times that, in bfloat16, whose numbers have few digits, than once."""
    if isinstance(ours, Raised) or isinstance(theirs, Raised):
        return False
    mine, other = tensors_in(ours, rushlight.Tensor), tensors_in(theirs, torch.Tensor)
    types = {name for _, name in kinds(other)}
    if kinds(mine) != kinds(other) or not types or not types <= FACTORS.keys():
        return False
    others = [outcome(kind.use, disturbed(case, seed), torch) for seed in range(RUNS)]
    if any(isinstance(result, Raised) for result in others):
        return False
    changes = np.max([apart(tensors_in(result, torch.Tensor), other) for result in others], axis=0)
    factor = min(FACTORS[name] for name in types)
    return bool((apart(mine, other) <= factor * changes).all())
