"""Warps, tones, colors and policies of PIL images and of tensors, with the numbers that torchvision 0.29 gives."""

import json
from pathlib import Path

import numpy as np
import pytest

import rushlight as torch
from rushlight.vision import transforms
from rushlight.vision.transforms import functional as F

RECORDED = json.loads(Path(__file__).with_name("turning.json").read_text())
PIXELS = (np.arange(12 * 10 * 3) * 37 % 251).reshape(12, 10, 3).astype(np.uint8)
BILINEAR = transforms.InterpolationMode.BILINEAR

CORNERS = [[0, 0], [9, 0], [9, 11], [0, 11]], [[1, 2], [8, 1], [7, 9], [0, 10]]


def in_bytes(change):
    """A change of images of bytes, for all kinds of images."""

    def called(image):
        numbers = isinstance(image, torch.Tensor) and image.is_floating_point()
        return change(image.mul(255).byte() if numbers else image)

    return called


def five_times(change):
    """A random change, five times: so that many of its kinds are met."""

    def called(image):
        for _ in range(5):
            image = change(image)
        return image

    return called


CHANGES = {
    "rotate": lambda image: F.rotate(image, 30.0),
    "rotate, larger, smooth": lambda image: F.rotate(image, 30.0, BILINEAR, expand=True, fill=[9, 9, 9]),
    "rotate around a corner": lambda image: F.rotate(image, -20.0, center=[0, 0]),
    "affine": lambda image: F.affine(image, 10.0, [1, 2], 1.2, [5.0, 3.0]),
    "affine around a point": lambda image: F.affine(
        image, -70.0, [0, 0], 0.7, [0.0, 9.0], fill=[5.0, 5.0, 5.0], center=[2, 3]
    ),
    "hue": lambda image: F.adjust_hue(image, 0.2),
    "hue backwards": lambda image: F.adjust_hue(image, -0.4),
    "gamma": lambda image: F.adjust_gamma(image, 2.2, 0.9),
    "brightness": lambda image: F.adjust_brightness(image, 1.3),
    "contrast": lambda image: F.adjust_contrast(image, 0.6),
    "saturation": lambda image: F.adjust_saturation(image, 1.7),
    "random affine": transforms.RandomAffine(20, (0.2, 0.3), (0.8, 1.2), (-5, 5, -7, 7)),
    "random rotation": transforms.RandomRotation((10, 50), fill=3),
    "sharper": lambda image: F.adjust_sharpness(image, 2),
    "softer": lambda image: F.adjust_sharpness(image, 0.3),
    "contrast by itself": F.autocontrast,
    "equalized": in_bytes(F.equalize),
    "posterized": in_bytes(lambda image: F.posterize(image, 3)),
    "solarized": in_bytes(lambda image: F.solarize(image, 100)),
    "perspective": lambda image: F.perspective(image, *CORNERS),
    "perspective, filled": lambda image: F.perspective(
        image, *CORNERS, transforms.InterpolationMode.NEAREST, [9, 8, 7]
    ),
    "random perspective": transforms.RandomPerspective(p=1.0),
    "elastic": transforms.ElasticTransform(30.0, 2.0),
    "random tones": transforms.Compose(
        [
            transforms.RandomAdjustSharpness(1.5, 0.9),
            transforms.RandomAutocontrast(),
            in_bytes(transforms.RandomEqualize()),
        ]
    ),
    "policy of ImageNet": in_bytes(five_times(transforms.AutoAugment())),
    "policy of CIFAR": in_bytes(five_times(transforms.AutoAugment(transforms.AutoAugmentPolicy.CIFAR10))),
    "policy of SVHN": in_bytes(five_times(transforms.AutoAugment(transforms.AutoAugmentPolicy.SVHN))),
    "random policy": in_bytes(transforms.RandAugment(4, 12)),
    "trivial policy": in_bytes(five_times(transforms.TrivialAugmentWide())),
    "mixed": in_bytes(transforms.AugMix()),
    "color jitter": transforms.ColorJitter(0.4, 0.4, 0.4, 0.1),
}


def images():
    """The same picture as a PIL image, and as tensors of bytes and of numbers from 0 to 1."""
    pillow = pytest.importorskip("PIL.Image")
    planes = torch.from_numpy(PIXELS.transpose(2, 0, 1).copy())
    return {"picture": pillow.fromarray(PIXELS), "bytes": planes, "floats": planes.float() / 255}


def summary(image):
    """Numbers that tell images apart: the shape, the sum, and a sum with other weights for each pixel."""
    array = image.numpy() if isinstance(image, torch.Tensor) else np.asarray(image).transpose(2, 0, 1)
    values = array.astype(np.float64).reshape(-1)
    return [*array.shape, values.sum(), (values * (np.arange(values.size) % 17)).sum()]


@pytest.mark.parametrize("kind", ["picture", "bytes", "floats"])
@pytest.mark.parametrize("name", CHANGES)
def test_values(name, kind):
    torch.manual_seed(3)
    found = summary(CHANGES[name](images()[kind]))
    np.testing.assert_allclose(found, RECORDED[name][kind], rtol=1e-4 if kind == "floats" else 2e-3)


KINDS = {
    "Resize": (5,),
    "CenterCrop": (5,),
    "Pad": (2,),
    "RandomCrop": (5,),
    "RandomHorizontalFlip": (1.0,),
    "RandomVerticalFlip": (1.0,),
    "RandomRotation": (30,),
    "RandomAffine": (30,),
    "RandomResizedCrop": (5,),
    "ColorJitter": (0.4, 0.4, 0.4, 0.1),
    "Grayscale": (3,),
    "RandomGrayscale": (1.0,),
    "RandomInvert": (1.0,),
    "RandomPerspective": (0.5, 1.0),
    "ElasticTransform": (9.0, 0.5),
    "RandomPosterize": (3, 1.0),
    "RandomSolarize": (99, 1.0),
    "RandomAdjustSharpness": (2, 1.0),
    "RandomAutocontrast": (1.0,),
    "RandomEqualize": (1.0,),
    "RandAugment": (),
    "AugMix": (),
    "GaussianBlur": (3,),
}


@pytest.mark.parametrize("mode", ["RGB", "L"])
@pytest.mark.parametrize("name", KINDS)
def test_pictures_stay_pictures(name, mode):
    pillow = pytest.importorskip("PIL.Image")
    found = getattr(transforms, name)(*KINDS[name])(pillow.fromarray(PIXELS).convert(mode))
    assert isinstance(found, pillow.Image)
    assert found.mode == ("RGB" if name == "Grayscale" else mode)


def test_crops_of_a_picture_are_pictures():
    pillow = pytest.importorskip("PIL.Image")
    assert [crop.size for crop in transforms.FiveCrop(4)(pillow.fromarray(PIXELS))] == [(4, 4)] * 5


def test_wrong_colors():
    with pytest.raises(ValueError, match="not in"):
        F.adjust_hue(torch.rand(3, 2, 2), 0.6)
    with pytest.raises(ValueError, match="hue values should be between"):
        transforms.ColorJitter(hue=0.7)
    with pytest.raises(ValueError, match="non-negative"):
        F.adjust_gamma(torch.rand(3, 2, 2), -1)
