"""MNIST: the files where torchvision keeps them, items, errors for what is missing or damaged, downloads."""

import gzip
import hashlib
import os
from pathlib import Path

import numpy as np
import pytest

import rushlight as torch
from rushlight.vision.datasets import MNIST, FashionMNIST
from rushlight.vision.datasets import download as downloads
from rushlight.vision.transforms import Compose, Lambda, Normalize, ToTensor

REAL = Path(__file__).parents[3] / "shared" / "data" / "mnist"
IMAGES, LABELS = "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"

PIXELS = np.arange(3 * 28 * 28, dtype=np.int64).astype(np.uint8).reshape(3, 28, 28)


def idx(array: np.ndarray) -> bytes:
    """An array as an IDX file."""
    return bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes() + array.tobytes()


CONTENT = {IMAGES: idx(PIXELS), LABELS: idx(np.array([7, 2, 1], np.uint8))}


def write(folder: Path, zipped: bool = False, **changed: bytes) -> Path:
    """Writes the test split into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in {**CONTENT, **changed}.items():
        (folder / (name + ".gz" * zipped)).write_bytes(gzip.compress(content) if zipped else content)
    return folder


@pytest.mark.parametrize("folder", ["", "MNIST/raw"])
@pytest.mark.parametrize("zipped", [False, True])
def test_files_are_found(tmp_path, folder, zipped):
    write(tmp_path / folder, zipped)
    dataset = MNIST(tmp_path, train=False)
    assert len(dataset) == 3
    image, target = dataset[1]
    assert target == 2
    assert type(target) is int
    assert image.dtype == np.uint8
    assert (image == PIXELS[1]).all()
    assert dataset[-1][1] == 1
    assert dataset.data.shape == (3, 28, 28)
    assert dataset.data.dtype is torch.uint8
    assert dataset.targets.tolist() == [7, 2, 1]
    assert dataset.targets.dtype is torch.int64


def test_transforms_and_repr(tmp_path):
    dataset = MNIST(
        str(write(tmp_path)),
        train=False,
        transform=Compose([ToTensor(), Normalize((0.5,), (0.5,))]),
        target_transform=Lambda(lambda target: -target),
    )
    image, target = dataset[0]
    assert target == -7
    assert image.shape == (1, 28, 28)
    np.testing.assert_allclose(image.numpy(), (PIXELS[:1] / 255 - 0.5) / 0.5, atol=1e-6)
    assert repr(dataset) == (
        f"Dataset MNIST\n    Number of datapoints: 3\n    Root location: {tmp_path}\n    Split: Test\n"
        "    StandardTransform\n"
        "Transform: Compose(\n               ToTensor()\n               Normalize(mean=(0.5,), std=(0.5,))\n"
        "           )\n"
        "Target transform: Lambda()"
    )
    assert dataset.class_to_idx["3 - three"] == 3


def test_missing_files_are_named(tmp_path):
    with pytest.raises(RuntimeError, match=r"^Dataset not found. You can use download=True.*train-images-idx3-ubyte"):
        MNIST(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        (IMAGES, CONTENT[IMAGES][:-5], r"damaged: its header promises 3 × 28 × 28 bytes, but it has 2347\."),
        (IMAGES, CONTENT[IMAGES] + b"more", "it has 2356"),
        (IMAGES, CONTENT[IMAGES][:9], "ends within its header"),
        (IMAGES, b"", "no IDX file"),
        (IMAGES, b"<html>not found</html>", "no IDX file"),
        (LABELS, b"\0\0\x0d\x01" + CONTENT[LABELS][4:], "unsigned bytes"),
        (LABELS, idx(np.zeros(2, np.uint8)), "3 images of the split 't10k', but 2 labels"),
    ],
)
def test_damaged_files_are_named(tmp_path, name, content, words):
    write(tmp_path, **{name: content})
    with pytest.raises(RuntimeError, match=words) as caught:
        MNIST(tmp_path, train=False)
    assert str(tmp_path) in str(caught.value)


def test_damaged_archives_are_named(tmp_path):
    write(tmp_path, zipped=True)
    file = tmp_path / f"{IMAGES}.gz"
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(RuntimeError, match=f"{IMAGES}.gz is damaged"):
        MNIST(tmp_path, train=False)


@pytest.fixture
def mirror(tmp_path, monkeypatch):
    """A mirror on this disk with all four files, and the dataset's class turned to it."""
    folder = tmp_path / "mirror"
    folder.mkdir()
    resources = []
    train = {name.replace("t10k", "train"): content for name, content in CONTENT.items()}
    for name, content in {**CONTENT, **train}.items():
        zipped = gzip.compress(content)
        (folder / f"{name}.gz").write_bytes(zipped)
        resources.append((f"{name}.gz", hashlib.md5(zipped).hexdigest()))
    monkeypatch.setattr(MNIST, "mirrors", [(tmp_path / "nowhere").as_uri() + "/", folder.as_uri() + "/"])
    monkeypatch.setattr(MNIST, "resources", resources)
    return folder


def test_download_goes_on_to_the_next_mirror(tmp_path, mirror):
    assert len(MNIST(tmp_path / "data", download=True)) == 3
    raw = tmp_path / "data" / "MNIST" / "raw"
    assert sorted(os.listdir(raw)) == sorted(name.removesuffix(".gz") for name, _ in MNIST.resources)
    (mirror / f"{IMAGES}.gz").unlink()
    assert len(MNIST(tmp_path / "data", download=True)) == 3  # what is there is not downloaded again


def test_a_wrong_checksum_leaves_nothing_behind(tmp_path, mirror):
    (mirror / f"{IMAGES}.gz").write_bytes(b"something else")
    with pytest.raises(RuntimeError, match=f"^Error downloading {IMAGES}.gz(.|\n)*the checksum is"):
        MNIST(tmp_path / "data", train=False, download=True)
    assert not list((tmp_path / "data").rglob("*"))


def test_an_interrupted_write_leaves_nothing_behind(tmp_path, mirror, monkeypatch):
    def interrupted(source, target):
        raise KeyboardInterrupt

    monkeypatch.setattr(downloads.os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        MNIST(tmp_path / "data", download=True)
    assert not [path for path in (tmp_path / "data").rglob("*") if path.is_file()]


def test_other_classes_have_folders_of_their_own(tmp_path):
    write(tmp_path / "FashionMNIST" / "raw")
    assert len(FashionMNIST(tmp_path, train=False)) == 3
    with pytest.raises(RuntimeError, match="Dataset not found"):
        MNIST(tmp_path, train=False)


@pytest.mark.skipif(not REAL.exists(), reason="the real digits lie beside the repository, in ../shared/data/mnist")
def test_the_real_digits():
    dataset = MNIST(REAL, train=False, transform=ToTensor())
    assert len(dataset) == 10_000
    assert dataset.targets[:8].tolist() == [7, 2, 1, 0, 4, 1, 4, 9]
    brightness = sum(image._array[0, 14, 14] for image, _ in dataset)
    assert brightness == pytest.approx(float(dataset.data.numpy()[:, 14, 14].sum()) / 255, rel=1e-4)
