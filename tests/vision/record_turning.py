"""Records what torchvision gives for test_turning.py: `python tests/vision/record_turning.py`, with torchvision."""

import json
import sys
from pathlib import Path

import torch
import torchvision
from torchvision.transforms import functional

sys.modules.update({"rushlight": torch, "rushlight.vision": torchvision})
sys.modules["rushlight.vision.transforms"] = torchvision.transforms
sys.modules["rushlight.vision.transforms.functional"] = functional
PLACE = Path(__file__).with_name("turning.json")
if not PLACE.exists():
    PLACE.write_text("{}")

from test_turning import CHANGES, images, summary  # noqa: E402 (with torchvision's modules in the place of rushlight's)

found = {}
for name, change in CHANGES.items():
    found[name] = {}
    for kind, image in images().items():
        torch.manual_seed(3)
        found[name][kind] = summary(change(image))
PLACE.write_text(json.dumps(found, indent=1) + "\n")
