"""MNIST and datasets in its format: 70,000 gray images of 28 × 28 pixels in ten classes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from rushlight.ops.making.from_data import from_numpy
from rushlight.tensors import Tensor
from rushlight.utils.data import Dataset
from rushlight.vision.datasets.download import download
from rushlight.vision.datasets.idx import read_idx


class MNIST(Dataset[Any]):
    """Handwritten digits (Y. LeCun, C. Cortes, C. Burges): 60,000 training images and 10,000 test images.

    The four IDX files, optionally gzipped, are in `root/MNIST/raw`, as in torchvision, or in `root` itself; `download`
    fetches missing ones. An item is `(image, target)`: a uint8 array of 28 × 28, to which `transform` is applied (in
    torchvision it is a PIL image; `PIL.Image.fromarray(image)` makes one), and an int, to which `target_transform` is
    applied.

    `data` and `targets` are all images and classes as tensors. RuntimeError for files that are missing or damaged.
    """

    mirrors: tuple[str, ...] = ("https://ossci-datasets.s3.amazonaws.com/mnist/", "http://yann.lecun.com/exdb/mnist/")
    resources: tuple[tuple[str, str], ...] = (
        ("train-images-idx3-ubyte.gz", "f68b3c2dcbeaaa9fbdd348bbdeb94873"),
        ("train-labels-idx1-ubyte.gz", "d53e105ee54ea40749a09fcbcd1e9432"),
        ("t10k-images-idx3-ubyte.gz", "9fb629c4189551a2d022fa330f9573f3"),
        ("t10k-labels-idx1-ubyte.gz", "ec29112dd5afa0611ce80d1b7f02629c"),
    )
    classes: ClassVar[list[str]] = [
        "0 - zero",
        "1 - one",
        "2 - two",
        "3 - three",
        "4 - four",
        "5 - five",
        "6 - six",
        "7 - seven",
        "8 - eight",
        "9 - nine",
    ]

    def __init__(
        self,
        root: str | Path,
        train: bool = True,
        transform: Callable[..., Any] | None = None,
        target_transform: Callable[..., Any] | None = None,
        download: bool = False,
    ):
        self.root: Path = Path(root).expanduser()
        self.train = train
        self.transform = transform
        self.target_transform = target_transform
        if download:
            self.download()
        split = "train" if train else "t10k"
        images = read_idx(self.file(f"{split}-images-idx3-ubyte"))
        targets = read_idx(self.file(f"{split}-labels-idx1-ubyte"))
        if len(images) != len(targets):
            counts = f"{len(images)} images of the split '{split}', but {len(targets)} labels"
            raise RuntimeError(f"{self.root} has {counts}.")
        self.data: Tensor = from_numpy(images)
        self.targets: Tensor = from_numpy(targets.astype(np.int64))

    @property
    def raw_folder(self) -> Path:
        """The folder of downloaded files."""
        return self.root / type(self).__name__ / "raw"

    @property
    def class_to_idx(self) -> dict[str, int]:
        """The index of each class."""
        return {name: i for i, name in enumerate(self.classes)}

    def found(self, name: str) -> Path | None:
        """The path of a file, or None if it does not exist."""
        places = [folder / variant for folder in (self.raw_folder, self.root) for variant in (name, f"{name}.gz")]
        return next((place for place in places if place.is_file()), None)

    def file(self, name: str) -> Path:
        """The path of a file. RuntimeError if it does not exist."""
        found = self.found(name)
        if found is None:
            raise RuntimeError(
                f"Dataset not found. You can use download=True to download it. There is no {name}, or {name}.gz, in "
                f"{self.raw_folder} or {self.root}."
            )
        return found

    def download(self) -> None:
        """Downloads missing files. RuntimeError, with the reasons, if that fails."""
        for name, md5 in self.resources:
            if self.found(name.removesuffix(".gz")) is None:
                download(name, md5, self.mirrors, self.raw_folder)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        image, target = self.data._array[index], int(self.targets._array[index])
        if self.transform is not None:
            image = self.transform(image)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return image, target

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        lines = [
            f"Dataset {type(self).__name__}",
            f"    Number of datapoints: {len(self)}",
            f"    Root location: {self.root}",
            f"    Split: {'Train' if self.train else 'Test'}",
        ]
        transforms = {"Transform": self.transform, "Target transform": self.target_transform}
        if any(transforms.values()):
            lines.append("    StandardTransform")
        for name, transform in transforms.items():
            if transform is not None:
                lines.append(f"{name}: " + repr(transform).replace("\n", "\n" + " " * len(f"{name}: ")))
        return "\n".join(lines)


class FashionMNIST(MNIST):
    """Images of clothes in the format of MNIST (H. Xiao, K. Rasul, R. Vollgraf, 2017)."""

    mirrors: tuple[str, ...] = ("http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",)
    resources: tuple[tuple[str, str], ...] = (
        ("train-images-idx3-ubyte.gz", "8d4fb7e6c68d591d4c3dfef9ec88bf0d"),
        ("train-labels-idx1-ubyte.gz", "25c81989df183df01b3e8a0aad5dffbe"),
        ("t10k-images-idx3-ubyte.gz", "bef4ecab320f06d8554ea6380940ec79"),
        ("t10k-labels-idx1-ubyte.gz", "bb300cfdad3c16e7a12a480ee83cd310"),
    )
    classes: ClassVar[list[str]] = [
        "T-shirt/top",
        "Trouser",
        "Pullover",
        "Dress",
        "Coat",
        "Sandal",
        "Shirt",
        "Sneaker",
        "Bag",
        "Ankle boot",
    ]


class KMNIST(MNIST):
    """Japanese cursive characters in the format of MNIST (T. Clanuwat et al., 2018)."""

    mirrors: tuple[str, ...] = ("http://codh.rois.ac.jp/kmnist/dataset/kmnist/",)
    resources: tuple[tuple[str, str], ...] = (
        ("train-images-idx3-ubyte.gz", "bdb82020997e1d708af4cf47b453dcf7"),
        ("train-labels-idx1-ubyte.gz", "e144d726b3acfaa3e44228e80efcd344"),
        ("t10k-images-idx3-ubyte.gz", "5c965bf0a639b31b8f53240b1b52f4d7"),
        ("t10k-labels-idx1-ubyte.gz", "7320c461ea6c1c855c0b718fb2a4b134"),
    )
    classes: ClassVar[list[str]] = ["o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"]
