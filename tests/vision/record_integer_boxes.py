"""Records what torchvision gives for test_integer_boxes.py: `python tests/vision/record_integer_boxes.py`, with it."""

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
PLACE = Path(__file__).with_name("integer_boxes.json")
if not PLACE.exists():
    PLACE.write_text("{}")

from test_integer_boxes import CHANGES, FORMATS, changed  # noqa: E402 (with torchvision's modules, as above)

found = {
    name: {f"{format} {mode}": changed(change, format, mode) for format in FORMATS for mode in ("soft", None)}
    for name, change in CHANGES.items()
}
PLACE.write_text(json.dumps(found) + "\n")
