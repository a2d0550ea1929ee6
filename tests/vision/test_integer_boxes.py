"""Boxes of integers, some of them partly outside of their image, with the numbers that torchvision 0.29 gives."""

import json
from pathlib import Path

import pytest

import rushlight as torch
from rushlight.vision import tv_tensors
from rushlight.vision.transforms.v2 import functional as F

RECORDED = json.loads(Path(__file__).with_name("integer_boxes.json").read_text())
HIGH, WIDE = 25, 31
FORMATS = ["XYXY", "XYWH", "CXCYWH"]
CORNERS = [[-4, -6, 21, 10], [-3, 4, 0, 13], [3, 2, 12, 5], [8, 14, 37, 23], [5, -1, 16, 31], [33, 26, 38, 35]]
CHANGES = {
    "hflip": F.hflip,
    "vflip": F.vflip,
    "crop": lambda boxes: F.crop(boxes, 3, -2, 17, 20),
    "pad": lambda boxes: F.pad(boxes, [1, 2, 3, 4]),
    "center crop": lambda boxes: F.center_crop(boxes, [13, 12]),
    "resize": lambda boxes: F.resize(boxes, [17, 40]),
    "shorter side": lambda boxes: F.resize(boxes, [13]),
    "resized crop": lambda boxes: F.resized_crop(boxes, 2, 3, 15, 14, [30, 29]),
    "rotate": lambda boxes: F.rotate(boxes, 33),
    "turn": lambda boxes: F.rotate(boxes, 90, expand=True),
    "affine": lambda boxes: F.affine(boxes, 10, [2, 3], 1.2, [5, 4]),
    "perspective": lambda boxes: F.perspective(
        boxes, [[0, 0], [30, 0], [30, 24], [0, 24]], [[2, 1], [28, 3], [27, 22], [1, 23]]
    ),
    "clamp": F.clamp_bounding_boxes,
    "sanitize": lambda boxes: F.sanitize_bounding_boxes(boxes)[0],
    "corners": lambda boxes: F.convert_bounding_box_format(boxes, new_format="XYXY"),
    "corner and size": lambda boxes: F.convert_bounding_box_format(boxes, new_format="XYWH"),
    "center and size": lambda boxes: F.convert_bounding_box_format(boxes, new_format="CXCYWH"),
}


def numbers(left, top, right, bottom, format):
    """What a format says of a box, in integers."""
    first = {"XYXY": (left, top), "XYWH": (left, top), "CXCYWH": ((left + right) // 2, (top + bottom) // 2)}[format]
    return [*first, *((right, bottom) if format == "XYXY" else (right - left, bottom - top))]


def changed(change, format, mode, dtype=torch.int64):
    """The boxes after a change, and the size of their image."""
    given = torch.tensor([numbers(*corners, format) for corners in CORNERS], dtype=dtype)
    boxes = change(tv_tensors.BoundingBoxes(given, format=format, canvas_size=(HIGH, WIDE), clamping_mode=mode))
    assert boxes.dtype is dtype
    return [boxes.tolist(), list(boxes.canvas_size)]


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int16])
@pytest.mark.parametrize("mode", ["soft", None])
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", CHANGES)
def test_boxes_are_rounded_and_cut_as_torchvision_does(name, format, mode, dtype):
    assert changed(CHANGES[name], format, mode, dtype) == RECORDED[name][f"{format} {mode}"]
