"""Records what PyTorch gives for the cases, in golden.json: python tests/special_points/record.py."""

import json
from pathlib import Path

import torch
from cases import CASES, evaluate, key

if __name__ == "__main__":
    record = {key(expression, values): evaluate(torch, expression, values) for expression, values in CASES}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(outcome)}" for name, outcome in record.items())
    Path(__file__).with_name("golden.json").write_text(f"{{\n{lines}\n}}\n")
