"""Losses, with their reductions."""

from typing import Any

import numpy as np

from rushlight.onnx.graph import Graph
from rushlight.onnx.operators.table import TRANSLATIONS, Operand, number, translates


def reduced(g: Any, losses: Any, reduction: str) -> Any:
    """The losses themselves, their mean or their sum."""
    kinds = {"mean": "ReduceMean", "sum": "ReduceSum"}
    return losses if reduction == "none" else g.node(kinds[reduction], losses, keepdims=0)


def of_pairs(losses: Any) -> Any:
    """A translation of a loss of two tensors and a parameter."""

    def translate(g: Graph, input: Operand, target: Operand, parameter: float, reduction: str) -> Any:
        return reduced(g, losses(g, input, target, parameter), reduction)

    return translate


def squares(g: Any, input: Any, target: Any, _: Any) -> Any:
    """The squared differences."""
    difference = g.node("Sub", input, target)
    return g.node("Mul", difference, difference)


def parabola(width_counts: bool) -> Any:
    """The losses of `huber_loss`, or those of `smooth_l1_loss`, which are divided by the parabola's width."""

    def losses(g: Any, input: Any, target: Any, width: float) -> Any:
        distance = g.node("Abs", g.node("Sub", input, target))
        inner, outer = (0.5, width) if width_counts else (0.5 / width if width else 0.0, 1.0)
        near = g.node("Mul", g.node("Mul", distance, distance), number(inner, input))
        far = g.node("Mul", g.node("Sub", distance, number(0.5 * width, input)), number(outer, input))
        return g.node("Where", g.node("Less", distance, number(width, input)), near, far)

    return losses


def entropy(g: Any, input: Any, target: Any, _: Any) -> Any:
    """The cross entropy of probabilities, with logarithms of at least -100."""
    one, least = number(1, input), number(-100, input)
    against = g.node("Max", g.node("Log", g.node("Sub", one, input)), least)
    kept = g.node("Mul", g.node("Sub", target, one), against)
    return g.node("Sub", kept, g.node("Mul", target, g.node("Max", g.node("Log", input), least)))


def entropy_of_logits(g: Any, input: Any, target: Any, _: Any) -> Any:
    """The cross entropy of logits."""
    return g.node("Sub", g.node("Softplus", input), g.node("Mul", input, target))


def soft_margin(g: Any, input: Any, target: Any, _: Any) -> Any:
    """The logistic loss of signs."""
    return g.node("Softplus", g.node("Neg", g.node("Mul", input, target)))


TRANSLATIONS["mse_loss"] = of_pairs(squares)
TRANSLATIONS["smooth_l1_loss"], TRANSLATIONS["huber_loss"] = of_pairs(parabola(False)), of_pairs(parabola(True))
TRANSLATIONS["binary_cross_entropy"] = of_pairs(entropy)
TRANSLATIONS["binary_cross_entropy_with_logits"] = of_pairs(entropy_of_logits)
TRANSLATIONS["soft_margin_loss"] = of_pairs(soft_margin)


@translates("nll_sum", "nll_sum2d")
def nll_sum(g: Graph, input: Operand, target: Operand, factor: float) -> Any:
    return sum_of_targets(g, input, target, number(factor, input))


@translates("cross_entropy")
def cross_entropy(g: Graph, input: Operand, target: Operand, factor: float) -> Any:
    """The sum of the losses of rows of logits, times a factor."""
    return (sum_of_targets(g, g.node("LogSoftmax", input, axis=1), target, number(-factor, input)),)


def sum_of_targets(g: Any, scores: Any, target: Any, factor: Any) -> Any:
    """The sum of the target classes' scores, times a factor."""
    picked = g.node("GatherElements", scores, g.node("Unsqueeze", target, np.asarray([1])), axis=1)
    return g.node("Mul", g.node("ReduceSum", picked, keepdims=0), factor)
