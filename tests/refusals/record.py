"""Records what PyTorch says of wrong calls: `python tests/refusals/record.py`. Needs torch."""

import json
import pathlib
import re
import warnings

import torch

HERE = pathlib.Path(__file__).parent
LENGTH = 60  # letters of a message that are kept


def outcome(expression: str) -> list[str] | None:
    """The type and the first words of an exception; None where there is none."""
    names = {"torch": torch, "F": torch.nn.functional, "L": torch.linalg, "x": torch.ones(2, 3), "s": torch.tensor(2.0)}
    try:
        eval(expression, names)
    except Exception as error:
        words = str(error).partition("\n")[0][:LENGTH]
        return [type(error).__name__, re.split(" - got|alloc_cpu| with sizes=|: integer multi", words)[0]]
    return None


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    lines = HERE.joinpath("calls.txt").read_text().splitlines()
    found = {line: outcome(line) for line in lines if line and line[0] != "#"}
    print("no exception:", [line for line, said in found.items() if said is None])
    golden = {line: said for line, said in found.items() if said is not None}
    HERE.joinpath("golden.json").write_text(json.dumps(golden, indent=0) + "\n")
