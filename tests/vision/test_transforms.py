"""Transforms of arrays, of PIL images and of tensors do the same."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.vision import transforms
from rushlight.vision.transforms import functional as F

GREY = np.arange(20, dtype=np.uint8).reshape(4, 5)
COLOUR = np.arange(60, dtype=np.uint8).reshape(4, 5, 3)

DRAWN = [  # transforms, and what torchvision 0.29 gives with a default dtype of float64: the mean after seed 3
    (transforms.RandomResizedCrop(12), 0.402083333333),
    (transforms.RandomErasing(p=1.0), 0.456611689815),
    (transforms.RandomErasing(p=1.0, value="random"), 0.456621772559),
    (transforms.ElasticTransform(5.0, 1.0), 0.461077410029),
    (transforms.RandomRotation(30), 0.422622974537),
]


def test_to_tensor():
    tensor = F.to_tensor(COLOUR)
    assert tensor.shape == (3, 4, 5)
    assert tensor.is_contiguous()
    np.testing.assert_array_equal(tensor.numpy(), (COLOUR / np.float32(255)).transpose(2, 0, 1))
    assert F.to_tensor(GREY.astype(np.float64)).dtype is torch.float64
    with pytest.raises(TypeError, match=r"pic should be PIL Image or ndarray. Got <class 'list'>"):
        F.to_tensor([1])
    with pytest.raises(ValueError, match=r"pic should be 2/3 dimensional. Got 1 dimensions"):
        F.to_tensor(np.ones(3))


def test_pil_images():
    image = pytest.importorskip("PIL.Image")
    for pixels in (GREY, COLOUR):
        np.testing.assert_array_equal(F.to_tensor(image.fromarray(pixels)).numpy(), F.to_tensor(pixels).numpy())


def test_pictures_of_one_bit_and_of_sixteen():
    image = pytest.importorskip("PIL.Image")
    assert F.to_tensor(image.fromarray(GREY).convert("1")).dtype is torch.float32
    assert F.to_tensor(image.fromarray(np.array([[True, False]]))).tolist() == [[[1.0, 0.0]]]
    assert F.to_tensor(np.array([[True, False]])).dtype is torch.bool
    deep = F.to_tensor(image.fromarray(np.array([[1, 40000]], np.uint16)))
    assert (deep.dtype, deep.tolist()) == (torch.int16, [[[1, 40000 - 2**16]]])


@pytest.fixture
def double():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.mark.usefixtures("double")
def test_new_numbers_are_of_the_default_dtype():
    tensor = F.to_tensor(COLOUR)
    np.testing.assert_array_equal(tensor.numpy(), (COLOUR / 255).transpose(2, 0, 1))
    assert transforms.Normalize([0.5] * 3, [0.2] * 3)(tensor).dtype is torch.float64
    whole = torch.from_numpy(COLOUR.transpose(2, 0, 1))
    for kind in (transforms.RandomResizedCrop(3), transforms.ElasticTransform(5.0, 0.5), transforms.RandomErasing(1.0)):
        assert kind(tensor).dtype is torch.float64
        assert kind(whole).dtype is torch.uint8


@pytest.mark.usefixtures("double")
@pytest.mark.parametrize(("transform", "mean"), DRAWN)
def test_random_numbers_are_those_of_torchvision_with_another_default_dtype(transform, mean):
    torch.manual_seed(3)
    image = torch.arange(3 * 20 * 24).reshape(3, 20, 24) / 1440
    assert transform(image).mean().item() == pytest.approx(mean, abs=1e-7)


@pytest.mark.parametrize(
    "transform",
    [
        lambda x: F.crop(x, 1, 2, 2, 3),
        lambda x: F.crop(x, -1, 3, 3, 4),
        lambda x: F.center_crop(x, 2),
        lambda x: F.center_crop(x, (6, 3)),
        F.hflip,
        F.vflip,
        lambda x: F.pad(x, 2, 7),
        lambda x: F.pad(x, [1, 2]),
        lambda x: F.pad(x, [1, 2, 3, 0], padding_mode="edge"),
        lambda x: F.pad(x, 2, padding_mode="reflect"),
    ],
)
@pytest.mark.parametrize("pixels", [GREY, COLOUR])
def test_arrays_and_tensors_agree(transform, pixels):
    tensor = F.to_tensor(pixels.astype(np.float64))
    np.testing.assert_array_equal(transform(tensor).numpy(), F.to_tensor(transform(pixels.astype(np.float64))).numpy())


def test_normalize():
    images = torch.rand(2, 3, 4, 5)
    result = F.normalize(images, [0.1, 0.2, 0.3], [1, 2, 4])
    np.testing.assert_allclose(result[1, 2].numpy(), (images[1, 2].numpy() - 0.3) / 4, rtol=1e-6)
    assert F.normalize(images, [0], [2], inplace=True) is images
    with pytest.raises(TypeError, match="Input tensor should be a float tensor"):
        F.normalize(images.long(), [0], [1])
    with pytest.raises(ValueError, match="std evaluated to zero"):
        F.normalize(images, [0], [0])


def test_random_transforms():
    torch.manual_seed(0)
    flips = [np.array_equal(transforms.RandomHorizontalFlip()(GREY), GREY) for _ in range(100)]
    assert 30 < sum(flips) < 70
    assert np.array_equal(transforms.RandomVerticalFlip(p=1)(GREY), GREY[::-1])
    crops = {transforms.RandomCrop(2)(GREY).tobytes() for _ in range(200)}
    assert len(crops) == 3 * 4
    assert transforms.RandomCrop((4, 5), padding=1)(GREY).shape == (4, 5)
    with pytest.raises(ValueError, match="larger than input image size"):
        transforms.RandomCrop(6)(GREY)


def test_reprs():
    assert repr(transforms.RandomCrop(4, padding=2)) == "RandomCrop(size=(4, 4), padding=2)"
    assert repr(transforms.CenterCrop((2, 3))) == "CenterCrop(size=(2, 3))"
    assert repr(transforms.Pad(1)) == "Pad(padding=1, fill=0, padding_mode=constant)"
    assert repr(transforms.RandomVerticalFlip(0.2)) == "RandomVerticalFlip(p=0.2)"


IMAGE = torch.arange(3 * 8 * 9.0).reshape(3, 8, 9) / 216


def test_transforms_are_modules():
    chain = torch.nn.Sequential(transforms.CenterCrop(4), transforms.Normalize(0.5, 0.5))
    assert chain(IMAGE).shape == (3, 4, 4)
    maybe = transforms.RandomApply(torch.nn.ModuleList([transforms.RandomInvert(1.0)]), p=1.0)
    np.testing.assert_allclose(maybe(IMAGE).numpy(), 1 - IMAGE.numpy())
    assert not transforms.ColorJitter(0.5).eval().training


def test_crops_larger_than_the_image():
    transform = transforms.RandomCrop((12, 10), pad_if_needed=True, fill=7)
    found = transform(IMAGE)
    assert found.shape == (3, 12, 10)
    assert (found == 7).sum() >= 3 * (12 * 10 - 8 * 9)
    mirrored = transforms.RandomCrop((8, 13), padding=2, padding_mode="edge")(IMAGE)
    assert set(mirrored.flatten().tolist()) <= set(IMAGE.flatten().tolist())
    with pytest.raises(ValueError, match=r"Required crop size \(12, 10\) is larger than input image size \(8, 9\)"):
        transforms.RandomCrop((12, 10))(IMAGE)


def test_the_numbers_of_a_random_transform_serve_two_images():
    torch.manual_seed(1)
    top, left, height, width = transforms.RandomCrop.get_params(IMAGE, (5, 6))
    torch.manual_seed(1)
    np.testing.assert_array_equal(transforms.RandomCrop((5, 6))(IMAGE), F.crop(IMAGE, top, left, height, width))
    torch.manual_seed(2)
    angle = transforms.RandomRotation.get_params([-30.0, 30.0])
    torch.manual_seed(2)
    np.testing.assert_array_equal(transforms.RandomRotation(30)(IMAGE), F.rotate(IMAGE, angle))
    torch.manual_seed(3)
    drawn = transforms.RandomAffine.get_params([-9.0, 9.0], (0.2, 0.2), (0.8, 1.2), [-5.0, 5.0], [9, 8])
    torch.manual_seed(3)
    moved = transforms.RandomAffine(9, (0.2, 0.2), (0.8, 1.2), 5)(IMAGE)
    np.testing.assert_array_equal(moved, F.affine(IMAGE, *drawn))
