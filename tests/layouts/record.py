"""Record what is seen in PyTorch into golden.json: `PYTHONPATH=.:tests python tests/layouts/record.py`."""

import json
from pathlib import Path

import torch
from cases import LAYOUTS, calls, seen


def main() -> None:
    golden = {name: {layout: seen(torch, name, layout) for layout in LAYOUTS} for name in calls(torch)}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(found)}" for name, found in golden.items())
    Path(__file__).with_name("golden.json").write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
