"""Evaluates the expressions of the text files: what each prints, or the error it raises."""

import re
import warnings
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
FILES = ["creation", "conversion", "random"]


def expressions(name: str) -> list[str]:
    """The expressions of a file, one a line."""
    return (HERE / f"{name}.txt").read_text().splitlines()


def outcome(torch, expression: str) -> list[str]:
    """The `repr` of an expression's value, or its error's type and words; `x` is a leaf of three ones."""
    torch.manual_seed(0)
    names = {"torch": torch, "np": np, "x": torch.ones(3, requires_grad=True)}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ["", re.sub(r" at 0x\w+", "", repr(eval(expression, names)))]
    except Exception as error:
        return [type(error).__name__, str(error)]
