"""Records what PyTorch gives for the expressions: `python tests/expressions/record.py` writes golden.json."""

import json

import torch
from evaluate import FILES, HERE, expressions, outcome

recorded = {expression: outcome(torch, expression) for name in FILES for expression in expressions(name)}
(HERE / "golden.json").write_text(json.dumps(recorded, indent=0) + "\n")
