"""Samples: images with boxes and masks, changed alike, with the numbers that torchvision 0.29 gives."""

import copy
import json
from pathlib import Path

import numpy as np
import pytest

import rushlight as torch
from rushlight.vision import tv_tensors
from rushlight.vision.transforms import v2
from rushlight.vision.transforms.v2 import functional as F

RECORDED = json.loads(Path(__file__).with_name("samples.json").read_text())
HIGH, WIDE = 24, 30
BOXES = [[2, 3, 12, 15], [10, 5, 29, 20], [1, 1, 4, 6], [0, 10, 30, 24]]
CHANGES = {
    "crop": lambda: v2.RandomCrop((12, 16), padding=3),
    "flips": lambda: v2.Compose([v2.RandomHorizontalFlip(0.5), v2.RandomVerticalFlip(0.5)]),
    "resized crop": lambda: v2.RandomResizedCrop((20, 18)),
    "pad": lambda: v2.Pad([2, 3, 4, 5], fill=1),
    "rotate": lambda: v2.RandomRotation(40),
    "rotate around": lambda: v2.RandomRotation(40, center=(3, 5), fill=1),
    "affine": lambda: v2.RandomAffine(20, translate=(0.1, 0.2), scale=(0.8, 1.2), shear=10),
    "perspective": lambda: v2.RandomPerspective(0.4, p=1.0),
    "colors": lambda: v2.ColorJitter(0.3, 0.3, 0.3),
    "zoom out": lambda: v2.RandomZoomOut(p=1.0),
    "crop by overlap": lambda: v2.Compose([v2.RandomIoUCrop(), v2.SanitizeBoundingBoxes()]),
    "jitter": lambda: v2.ScaleJitter((20, 20)),
    "shortest": lambda: v2.RandomShortestSize([10, 15, 20], max_size=24),
    "resize": lambda: v2.RandomResize(10, 20),
    "distort": lambda: v2.RandomPhotometricDistort(p=0.9),
    "channels": lambda: v2.RandomChannelPermutation(),
    "small boxes": lambda: v2.SanitizeBoundingBoxes(min_size=6),
    "uncut": lambda: v2.Compose([v2.SetClampingMode(None), v2.CenterCrop(14)]),
    "choice": lambda: v2.RandomChoice([v2.RandomHorizontalFlip(1.0), v2.Resize(12)]),
    "order": lambda: v2.RandomOrder([v2.RandomHorizontalFlip(1.0), v2.CenterCrop((9, 20))]),
    "perhaps": lambda: v2.RandomApply([v2.RandomVerticalFlip(1.0)], p=0.5),
    "dtype": lambda: v2.ToDtype(torch.float64, scale=True),
}
FORMATS = ["XYXY", "XYWH", "CXCYWH"]


def sample(format="XYXY"):
    """An image, and what is in it."""
    numbers = torch.arange(4 * HIGH * WIDE).reshape(4, HIGH, WIDE)
    boxes = tv_tensors.BoundingBoxes(torch.tensor(BOXES).float(), format="XYXY", canvas_size=(HIGH, WIDE))
    return tv_tensors.Image(numbers[:3].sin().abs()), {
        "boxes": F.convert_bounding_box_format(boxes, new_format=format),
        "masks": tv_tensors.Mask(numbers % 7 > 3),
        "labels": torch.arange(4),
    }


def summary(change, format):
    """What a change of a sample gives, by few numbers."""
    image, target = change(*sample(format))
    boxes, masks = target["boxes"], target["masks"]
    return {
        "kinds": [type(image).__name__, str(image.dtype), boxes.format.value, type(masks).__name__],
        "sizes": [list(image.shape), list(boxes.canvas_size), list(masks.shape)],
        "image": float((image * torch.arange(image.numel()).reshape(image.shape).cos()).sum()),
        "boxes": boxes.tolist(),
        "masks": int(masks.sum()),
        "labels": target["labels"].tolist(),
        "next": float(torch.rand(1)),
    }


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", CHANGES)
def test_a_sample_is_changed_as_torchvision_changes_it(name, format):
    for seed in (0, 1, 2):
        torch.manual_seed(seed)
        found, wanted = summary(CHANGES[name](), format), RECORDED[name][format][seed]
        for part in ("kinds", "sizes", "masks", "labels"):
            assert found[part] == wanted[part]
        assert np.allclose(found["boxes"], wanted["boxes"], atol=1e-3)
        assert found["image"] == pytest.approx(wanted["image"], abs=2e-2)
        assert found["next"] == pytest.approx(wanted["next"])


@pytest.mark.parametrize("angle", [0, 30, 90, -120])
@pytest.mark.parametrize("expand", [False, True])
def test_rotated_boxes_are_in_the_rotated_image(angle, expand):
    image, target = sample()
    boxes = F.rotate(target["boxes"], angle, expand=expand)
    turned = F.rotate(image, angle, expand=expand)
    assert boxes.canvas_size == tuple(turned.shape[-2:])
    seen = tv_tensors.Mask(torch.zeros(1, HIGH, WIDE))
    x1, y1, x2, y2 = BOXES[0]
    seen[:, y1:y2, x1:x2] = 1
    rows, columns = np.nonzero(F.rotate(seen, angle, expand=expand)[0].numpy())
    around = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
    assert np.abs(boxes[0].numpy() - np.array(around)).max() <= 1.0


def test_functions_return_plain_tensors_and_copies_keep_the_class():
    image, target = sample()
    boxes = target["boxes"]
    for kept in (
        boxes.clone(),
        boxes.to(torch.float64),
        boxes.detach(),
        copy.deepcopy(boxes),
        boxes.requires_grad_(False),
    ):
        assert type(kept) is tv_tensors.BoundingBoxes
        assert (kept.canvas_size, kept.format) == (boxes.canvas_size, boxes.format)
    for plain in (boxes + 1, boxes[0], image.mean(), image.add_(1), torch.stack([image])):
        assert type(plain) is torch.Tensor
    with tv_tensors.set_return_type("TVTensor"):
        assert type(image + 1) is tv_tensors.Image
    assert type(image + 1) is torch.Tensor
    assert type(tv_tensors.wrap(image + 1, like=image)) is tv_tensors.Image
    assert "format=BoundingBoxFormat.XYXY, canvas_size=(24, 30), clamping_mode=soft)" in repr(boxes)


def test_arrays_become_images_and_plain_tensors_again():
    picture = (np.arange(12) * 20).reshape(2, 2, 3).astype(np.uint8)
    change = v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.5] * 3, [0.5] * 3)])
    image, label = change(picture, 3)
    assert (type(image), image.shape, label) == (tv_tensors.Image, (3, 2, 2), 3)
    assert type(v2.ToPureTensor()(image)) is torch.Tensor
    mask = tv_tensors.Mask(torch.ones(2, 2, dtype=torch.uint8))
    kinds = {tv_tensors.Mask: torch.int64, "others": None}
    assert v2.ToDtype(kinds)(image, mask)[1].dtype is torch.int64
    assert v2.ToDtype(torch.float64)(image, mask)[1].dtype is torch.uint8
    assert v2.Resize(4)(mask).shape == (4, 4)


def test_what_cannot_be_changed_alike_is_refused():
    image, target = sample()
    for change in (v2.AutoAugment(), v2.FiveCrop(4), v2.ElasticTransform(sigma=1.0)):
        with pytest.raises(TypeError, match=r"BoundingBoxes are not supported|does not change boxes"):
            change(image, target)
    with pytest.raises(TypeError, match="invert does not change boxes"):
        F.invert(target["boxes"])
    with pytest.raises(ValueError, match="Padding mode 'reflect' is not supported with bounding boxes"):
        v2.Pad(2, padding_mode="reflect")(image, target)
    with pytest.raises(ValueError, match="multiple HxW dimensions"):
        v2.RandomZoomOut(p=1.0)(image[..., :10].as_subclass(torch.Tensor), target)
    with pytest.raises(ValueError, match="Could not infer where the labels are"):
        v2.SanitizeBoundingBoxes()({"boxes": target["boxes"]})
    with pytest.raises(ValueError, match="one of XYXY, XYWH, CXCYWH, not abc"):
        tv_tensors.BoundingBoxes([0, 0, 1, 1], format="abc", canvas_size=(2, 2))
    with pytest.raises(ValueError, match="`old_format` has to be passed"):
        F.convert_bounding_box_format(torch.zeros(1, 4), new_format="XYWH")
