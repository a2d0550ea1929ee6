"""Calls that PyTorch refuses: the type of the exception and how its message begins."""

import warnings

import torch

from verify.operators.cases import Case, dense
from verify.operators.outcome import Raised

TITLE = "errors"
WORDS = 2  # how many words of the messages have to be the same


def cases(op, count):
    """All of PyTorch's wrong inputs."""
    if op.error_inputs_func is None:
        return
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for wrong in op.error_inputs("cpu"):
            sample = wrong.sample_input
            if dense(sample):
                yield Case(op.name, op.variant_test_name, (sample.input, *sample.args), sample.kwargs)


def use(side):
    """The exception: its type, its first words."""
    try:
        side.call()
    except Exception as error:
        words = str(error).replace("torch::", "").split()[:WORDS]
        return [Raised(error).type, " ".join(words)]
    return "nothing raised"
