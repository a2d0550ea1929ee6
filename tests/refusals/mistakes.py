"""Mistakes that newcomers make, what is said of them, and how good that is: a point each for cause, place and remedy.

`python tests/refusals/mistakes.py` judges PyTorch's messages and rushlight's, and writes the table of docs/messages.md.
"""

import importlib
import math
import re
import sys
from pathlib import Path

import numpy as np

PAGE = Path(__file__).parents[2] / "docs" / "messages.md"
# What is written, PyTorch's words, and words of the remedy: three lines each, an empty one between them.
LINES = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").strip().split("\n\n")
MISTAKES = [tuple(lines.split("\n")) for lines in LINES]
ABSENT = [  # what is absent on purpose, or misspelt, and what is said of it
    ("torch.jit.load", "TorchScript"),
    ("torch.onnx.dynamo", "export the model with PyTorch"),
    ("torch.quantization", "float16"),
    ("torch.export", "torch.onnx.export writes a model"),
    ("torch.nested", "pad them"),
    ("torch.cuda.nccl", "torch.cuda.is_available()"),
    ("torch.matmull", "Did you mean matmul"),
    ("nn.Lineer", "Did you mean Linear"),
    ("torch.amp.autocats", "Did you mean autocast"),
    ("torch.special.gama", "Did you mean"),
    ("torch.linalg.invers", "Did you mean"),
    ("torch.fft.ft", "Did you mean"),
]


PLACE = r"\d|'[^']+'|\[\w+\]|argument|Double|Float|Long|\b(?:list|str|float|int|dict|None)"  # what names what is wrong
ORDER = r"(?i)\b(?:use|try|please|specify|hint|consider|call|convert|reduce|did you mean)\b"  # what says what to do


def names(torch):
    """What the mistakes use."""
    nn = torch.nn

    class Forgetful(nn.Module):
        def __init__(self):
            self.layer = nn.Linear(1, 1)

    class Empty(nn.Module):
        pass

    w = torch.ones(2, requires_grad=True)
    given = {"x": torch.ones(3, 4), "w": w, "array": np.ones(4), "np": np, "Forgetful": Forgetful, "Empty": Empty}
    return {"math": math, "torch": torch, "nn": nn, "F": nn.functional, **given}


def error_of(torch, expression):
    """The error of an expression."""
    try:
        eval(expression, names(torch))
    except Exception as error:
        return error
    raise AssertionError(f"{expression} raises nothing")


def score(message, cause, remedy):
    """Points of a message: it says what is wrong, names the value, size, type or argument, and says what to do."""
    words = re.split(r"[.!]\s", message)[0]  # what is advised names values too
    place, order = re.search(PLACE, words), re.search(ORDER, message)
    return (cause in message) + (place is not None) + (remedy in message or order is not None)


def scores(torch):
    """The points of a library for each mistake."""
    return [score(str(error_of(torch, expression)), cause, remedy) for expression, cause, remedy in MISTAKES]


def table(ours, theirs):
    """The judgements as a table in Markdown."""
    rows = [
        f"| `{expression}` | {mine} | {other} | {advice(expression, cause)} |"
        for (expression, cause, _), mine, other in zip(MISTAKES, ours, theirs, strict=True)
    ]
    means = f"| **mean of {len(rows)}** | **{sum(ours) / len(rows):.2f}** | **{sum(theirs) / len(rows):.2f}** | |"
    return "\n".join(["| mistake | rushlight | PyTorch | what is added |", "| --- | --- | --- | --- |", *rows, means])


def advice(expression, cause):
    """What rushlight says beyond PyTorch's words."""
    ours = str(error_of(importlib.import_module("rushlight"), expression))
    theirs = str(error_of(importlib.import_module("torch"), expression))
    added = ours[len(theirs) :] if ours.startswith(theirs.rstrip()) else ours.partition(cause)[2]
    return " ".join(added.strip(" .:").split()).replace("|", "\\|")


def main():
    """Judges both, and writes the page's table."""
    sys.path.insert(0, str(PAGE.parents[1]))
    ours, theirs = (scores(importlib.import_module(name)) for name in ("rushlight", "torch"))
    begin, _, _ = PAGE.read_text(encoding="utf-8").partition("| mistake |")
    PAGE.write_text(f"{begin}{table(ours, theirs)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
