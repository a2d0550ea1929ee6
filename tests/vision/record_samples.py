"""Records what torchvision gives for test_samples.py: `python tests/vision/record_samples.py`, with torchvision."""

import json
import sys
from pathlib import Path

import torch
import torchvision
from torchvision import tv_tensors
from torchvision.transforms import v2

sys.modules.update({"rushlight": torch, "rushlight.vision": torchvision, "rushlight.vision.tv_tensors": tv_tensors})
sys.modules["rushlight.vision.transforms"] = torchvision.transforms
sys.modules["rushlight.vision.transforms.v2"] = v2
PLACE = Path(__file__).with_name("samples.json")
if not PLACE.exists():
    PLACE.write_text("{}")

from test_samples import CHANGES, FORMATS, summary  # noqa: E402 (with torchvision's modules in the place of rushlight's)

found = {}
for name, change in CHANGES.items():
    for format in FORMATS:
        for seed in (0, 1, 2):
            torch.manual_seed(seed)
            found.setdefault(name, {}).setdefault(format, []).append(summary(change(), format))
PLACE.write_text(json.dumps(found) + "\n")
