"""Records what PyTorch says of wrong calls and gives for empty ones: `python tests/refusals/record.py`; needs torch."""

import json
import pathlib
import re
import warnings

import torch

HERE = pathlib.Path(__file__).parent
LENGTH = 60  # letters of a message that are kept
MANY = 20  # numbers of a result that are kept


def names(torch):
    """What the expressions may name."""
    return {
        "torch": torch,
        "F": torch.nn.functional,
        "L": torch.linalg,
        "z": torch.zeros,
        "x": torch.ones(2, 3),
        "s": torch.tensor(2.0),
    }


def shown(torch, value):
    """What is compared of a result: shape, dtype and, of a small one, the numbers; of several results the first's."""
    while isinstance(value, (tuple, list)) and len(value) and not isinstance(value[0], int):
        value = value[0]
    if not isinstance(value, torch.Tensor):
        return type(value).__name__
    return [list(value.shape), str(value.dtype).removeprefix("torch."), str(value.tolist())[:MANY]]


def outcome(expression: str) -> list:
    """The type and the first words of an exception; "" and the result where there is none."""
    try:
        return ["", shown(torch, eval(expression, names(torch)))]
    except Exception as error:
        words = str(error).partition("\n")[0][:LENGTH]
        return [type(error).__name__, re.split(" - got|alloc_cpu| with sizes=|: integer multi", words)[0]]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    lines = [line for name in ("calls", "empties") for line in HERE.joinpath(f"{name}.txt").read_text().splitlines()]
    golden = {line: outcome(line) for line in lines}
    HERE.joinpath("golden.json").write_text(json.dumps(golden, indent=0) + "\n")
