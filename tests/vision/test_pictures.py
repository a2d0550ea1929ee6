"""Transforms, boxes, grids and datasets of images; numbers recorded with torchvision 0.29."""

import io
import pickle
import tarfile

import numpy as np
import pytest

import rushlight as torch
from rushlight.vision import datasets, ops, transforms, utils
from rushlight.vision.transforms import functional as F
from rushlight.vision.transforms import v2

PICTURE = (np.arange(10 * 14 * 3) * 7 % 256).astype(np.uint8).reshape(10, 14, 3)

RECORDED_CROP = (0, 1, 10, 8)
RECORDED_ERASED = 12
RECORDED_JITTER = 56294


def tensor():
    return torch.from_numpy(np.ascontiguousarray(PICTURE.transpose(2, 0, 1)))


def test_sizes():
    pytest.importorskip("PIL")
    assert transforms.Resize(5)(PICTURE).shape == (5, 7, 3)
    assert transforms.Resize((4, 6))(tensor()).shape == (3, 4, 6)
    assert transforms.Resize(20, max_size=24)(tensor()).shape == (3, 17, 24)
    assert transforms.Resize(5)(tensor().float() / 255).shape == (3, 5, 7)
    assert transforms.FiveCrop(4)(tensor())[3].tolist() == tensor()[:, 6:, 10:].tolist()
    assert transforms.RandomRotation(90)(PICTURE).shape == PICTURE.shape
    same = F.resize(tensor().float(), [10, 14])
    assert same.tolist() == tensor().tolist()


def test_random_transforms_follow_pytorchs_stream():
    torch.manual_seed(7)
    assert transforms.RandomResizedCrop.get_params(tensor(), (0.08, 1.0), (0.75, 4 / 3)) == RECORDED_CROP
    torch.manual_seed(7)
    erased = transforms.RandomErasing(1.0, value=1.0)(tensor().float() / 255)
    assert [int(v) for v in (erased == 1).all(0).sum((0, 1)).reshape(1)] == [RECORDED_ERASED]
    torch.manual_seed(7)
    jittered = transforms.ColorJitter(0.3, 0.3, 0.3)(tensor())
    assert int(jittered.sum()) == RECORDED_JITTER


def test_values():
    image = tensor()
    assert F.convert_image_dtype(image).max().item() == pytest.approx(image.max().item() / 255)
    assert F.convert_image_dtype(F.convert_image_dtype(image), torch.uint8).tolist() == image.tolist()
    assert F.rgb_to_grayscale(image, 3).shape == image.shape
    assert F.adjust_brightness(image, 0.0).sum().item() == 0
    assert F.invert(image).tolist() == (255 - image).tolist()
    torch.testing.assert_close(transforms.GaussianBlur(3, 1.0)(torch.ones(1, 5, 5)), torch.ones(1, 5, 5))
    with pytest.raises(ValueError, match="is not non-negative"):
        F.adjust_contrast(image, -1)
    pipeline = v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.5] * 3, [0.5] * 3)])
    assert pipeline(PICTURE).shape == (3, 10, 14)
    pytest.importorskip("PIL")
    assert np.asarray(transforms.ToPILImage()(image)).tolist() == PICTURE.tolist()
    assert transforms.PILToTensor()(transforms.ToPILImage()(image)).tolist() == image.tolist()
    assert transforms.Grayscale()(PICTURE).shape == (10, 14)


def test_boxes():
    boxes = torch.tensor([[0.0, 0, 2, 2], [1, 0, 3, 2], [0, 0, 2, 2.1], [5, 5, 6, 6]])
    assert ops.box_area(boxes).tolist() == pytest.approx([4, 4, 4.2, 1])
    assert ops.box_iou(boxes[:1], boxes[1:2]).item() == pytest.approx(1 / 3)
    assert ops.generalized_box_iou(boxes[:1], boxes[3:]).item() == pytest.approx(-31 / 36)
    assert ops.nms(boxes, torch.tensor([0.5, 0.4, 0.9, 0.1]), 0.5).tolist() == [2, 1, 3]
    classes = torch.tensor([0, 0, 1, 1])
    assert ops.batched_nms(boxes, torch.tensor([0.5, 0.4, 0.9, 0.1]), classes, 0.3).tolist() == [2, 0, 3]
    for form in ("xywh", "cxcywh"):
        there = ops.box_convert(boxes, "xyxy", form)
        torch.testing.assert_close(ops.box_convert(there, form, "xyxy"), boxes)
    assert ops.clip_boxes_to_image(boxes, (1, 5)).max().item() == 5
    assert ops.remove_small_boxes(boxes, 1.5).tolist() == [0, 1, 2]
    with pytest.raises(RuntimeError, match="boxes should be a 2d tensor with 4 elements"):
        ops.nms(boxes[:, :3], torch.ones(4), 0.5)


def test_grids_and_files():
    grid = utils.make_grid(torch.arange(5.0).reshape(5, 1, 1, 1), nrow=2, padding=1, pad_value=-1)
    assert grid.shape == (3, 7, 5)
    assert grid[0].tolist() == [
        [-1, -1, -1, -1, -1],
        [-1, 0, -1, 1, -1],
        [-1, -1, -1, -1, -1],
        [-1, 2, -1, 3, -1],
        [-1, -1, -1, -1, -1],
        [-1, 4, -1, -1, -1],
        [-1, -1, -1, -1, -1],
    ]
    assert utils.make_grid(torch.tensor([[[[2.0, 6.0]]]]), normalize=True)[0].tolist() == [[0, 1]]
    image = pytest.importorskip("PIL.Image")
    file = io.BytesIO()
    utils.save_image(torch.tensor([[[0.0, 0.5, 1.0]]] * 3), file, format="png")
    assert np.asarray(image.open(file))[0].tolist() == [[0] * 3, [128] * 3, [255] * 3]
    drawn = utils.draw_bounding_boxes(
        torch.zeros(3, 9, 9, dtype=torch.uint8), torch.tensor([[1, 1, 4, 4]]), colors="red"
    )
    assert (drawn[0] == 255).sum().item() == 12


def test_datasets(tmp_path):
    image = pytest.importorskip("PIL.Image")
    for name in ("cat", "dog"):
        (tmp_path / name).mkdir()
        image.fromarray(PICTURE).save(tmp_path / name / "1.png")
    folder = datasets.ImageFolder(tmp_path, transform=transforms.ToTensor())
    assert (folder.classes, len(folder), folder[1][1], folder[0][0].shape) == (["cat", "dog"], 2, 1, (3, 10, 14))
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match="Found no valid file for the classes empty"):
        datasets.ImageFolder(tmp_path)
    with pytest.raises(FileNotFoundError, match="Couldn't find any class folder"):
        datasets.ImageFolder(tmp_path / "cat")
    torch.manual_seed(0)
    fake = datasets.FakeData(4, (3, 8, 8), transform=transforms.ToTensor())
    before = torch.get_rng_state()
    assert fake[2][0].tolist() == fake[2][0].tolist()
    assert torch.get_rng_state().tolist() == before.tolist()
    batch, targets = next(iter(torch.utils.data.DataLoader(fake, batch_size=4)))
    assert (batch.shape, targets.shape) == ((4, 3, 8, 8), (4,))


def test_cifar(tmp_path):
    rows = np.arange(2 * 3072, dtype=np.uint8).reshape(2, 3072)
    source = tmp_path / "made" / "cifar-10-batches-py"
    source.mkdir(parents=True)
    for name in [*datasets.CIFAR10.train_files, "test_batch"]:
        (source / name).write_bytes(pickle.dumps({"data": rows, "labels": [1, 0]}, 2))
    (source / "batches.meta").write_bytes(pickle.dumps({"label_names": ["plane", "car"]}, 2))
    with pytest.raises(RuntimeError, match="Dataset not found or corrupted"):
        datasets.CIFAR10(tmp_path)
    with tarfile.open(tmp_path / "cifar-10-python.tar.gz", "w:gz") as archive:
        archive.add(source, "cifar-10-batches-py")
    data = datasets.CIFAR10(tmp_path, transform=transforms.ToTensor(), download=True)
    assert (len(data), data.classes, data[0][1], data[0][0].shape) == (10, ["plane", "car"], 1, (3, 32, 32))
    assert data.data[1, 0, 1].tolist() == [rows[1, 1], rows[1, 1025], rows[1, 2049]]
    assert len(datasets.CIFAR10(tmp_path, train=False)) == 2
    (tmp_path / "cifar-10-batches-py" / "test_batch").write_bytes(pickle.dumps(datasets.CIFAR10, 2))
    with pytest.raises(pickle.UnpicklingError, match="which is no array"):
        datasets.CIFAR10(tmp_path, train=False)
