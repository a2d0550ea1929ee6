"""Differences from PyTorch for which there is a reason."""

import re
from typing import NamedTuple


class Explanation(NamedTuple):
    """What a difference looks like, in which part, in which programs or operators, and why it is there."""

    part: str
    difference: str
    where: str
    reason: str


COMPOSED = "multi_margin_loss|kron|trapezoid|quantile|cov|dist|logaddexp"
INFERENCE = "PyTorch writes to an inference tensor, then refuses to do so"
BUILT = "PyTorch builds the operator from others; its values and derivatives are the same"
INSIDE = "PyTorch's operator changes its own result in place"
LINEARIZE = "PyTorch's linearize takes the point for a constant, and its derivative for zero"
LAYER_NORM = "PyTorch's forward mode of layer_norm is wrong when differentiated: docs/pytorch-mistakes.md"
FUNCTIONAL = "functions of autograd.functional work inside transforms of func, which PyTorch refuses"
CLIPPING = "PyTorch cannot clip where there is no gradient yet"
UNSUPPORTED = "rushlight has no such thing, and says so: bfloat16, sparse gradients, tuning of a fused loss"
SUBGRADIENT = "PyTorch gives nan for the derivative of a subgradient, rushlight zero"
NOTHING_RAISED = "raises nothing, on PyTorch RuntimeError"

EXPLANATIONS = [
    Explanation("programs", "values", "inference_mode", INFERENCE),
    Explanation("programs", "node", COMPOSED, BUILT),
    Explanation("programs", "version 0", "quantile|inference_mode", INSIDE),
    Explanation("programs", "values", "linearize", LINEARIZE),
    Explanation("programs", "values", "layer_norm", LAYER_NORM),
    Explanation("programs", NOTHING_RAISED, "autograd.functional", FUNCTIONAL),
    Explanation("programs", NOTHING_RAISED, "clip_grad_value_", CLIPPING),
    Explanation("operators", "raises NotImplementedError: (rushlight has no|linear_cross_entropy)", "", UNSUPPORTED),
    Explanation("operators", "raises TypeError: bfloat16", "", UNSUPPORTED),
    Explanation("operators", "PyTorch's.array..nan", "subgradients_at_zero", SUBGRADIENT),
]


def reason(part: str, difference: str, lines: list[str]) -> str:
    """The reason of a difference in a program, or nothing."""
    text = "\n".join(lines)
    for explanation in EXPLANATIONS:
        found = explanation.part == part and re.search(explanation.difference, difference, re.DOTALL)
        if found and re.search(explanation.where, text):
            return explanation.reason
    return ""
