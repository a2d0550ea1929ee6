"""CIFAR: 60,000 small color images in ten or a hundred classes (A. Krizhevsky, 2009)."""

import hashlib
import pickle
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar
from urllib.request import urlopen

import numpy as np

from rushlight.vision.datasets.folders import VisionDataset

__all__ = ["CIFAR10", "CIFAR100"]


class ArraysOnly(pickle.Unpickler):
    """Unpickles only what the files hold (strings, lists and arrays), so that a file cannot run code."""

    def find_class(self, module: str, name: str) -> Any:
        """Allows NumPy's array constructors. UnpicklingError for any other name."""
        if module == "_codecs" and name == "encode":  # how pickled strings hold bytes
            return super().find_class(module, name)
        if (module.split(".")[0], name) in {("numpy", "_reconstruct"), ("numpy", "ndarray"), ("numpy", "dtype")}:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"a file of CIFAR names {module}.{name}, which is no array")


class CIFAR10(VisionDataset):
    """50,000 training images and 10,000 test images in ten classes.

    The folder `cifar-10-batches-py`, or its archive, is in `root`; `download` fetches the archive. An item is a uint8
    array (32, 32, 3), to which `transform` is applied (in torchvision it is a PIL image), and the class index. `data`
    has all images. RuntimeError for files that are missing or damaged.
    """

    labels: str
    names: str
    names_file: str

    base_folder = "cifar-10-batches-py"
    url = "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz"
    tgz_md5 = "c58f30108f718f92721af3b95e74349a"
    train_files: ClassVar[list[str]] = [f"data_batch_{i}" for i in range(1, 6)]
    test_files: ClassVar[list[str]] = ["test_batch"]
    labels, names, names_file = "labels", "label_names", "batches.meta"

    def __init__(
        self,
        root: str | Path,
        train: bool = True,
        transform: Callable[..., Any] | None = None,
        target_transform: Callable[..., Any] | None = None,
        download: bool = False,
    ):
        super().__init__(str(root), transform=transform, target_transform=target_transform)
        self.train = train
        if download:
            self.download()
        parts = [self.read(name) for name in (self.train_files if train else self.test_files)]
        self.data = np.concatenate([np.asarray(part["data"], np.uint8).reshape(-1, 3, 32, 32) for part in parts])
        self.data = np.ascontiguousarray(self.data.transpose(0, 2, 3, 1))
        self.targets: list[int] = [int(target) for part in parts for target in part[self.labels]]
        self.classes: list[Any] = list(self.read(self.names_file)[self.names])
        self.class_to_idx: dict[Any, int] = {name: i for i, name in enumerate(self.classes)}

    def read(self, name: str) -> dict[Any, Any]:
        """The contents of a file. RuntimeError if it is missing."""
        path = Path(self.root, self.base_folder, name)
        if not path.is_file():
            self.unpack()
        if not path.is_file():
            raise RuntimeError(
                "Dataset not found or corrupted. You can use download=True to download it. There is no "
                f"{path}, and no archive {self.archive()}."
            )
        with path.open("rb") as file:
            return ArraysOnly(file, encoding="latin1").load()

    def archive(self) -> Path:
        """The path of the archive."""
        return Path(self.root, self.url.rpartition("/")[2])

    def unpack(self) -> None:
        """Unpacks the archive if it exists."""
        if self.archive().is_file():
            with tarfile.open(self.archive()) as archive:
                archive.extractall(self.root, filter="data")

    def download(self) -> None:
        """Downloads the archive unless the files exist. RuntimeError if that fails."""
        if Path(self.root, self.base_folder).is_dir() or self.archive().is_file():
            return
        try:
            with urlopen(self.url, timeout=30) as answer:
                content = answer.read()
        except OSError as error:
            raise RuntimeError(
                f"Error downloading {self.url}: {error}. Without a network, put the archive into {self.root} yourself."
            ) from None
        if hashlib.md5(content, usedforsecurity=False).hexdigest() != self.tgz_md5:
            raise RuntimeError(f"Error downloading {self.url}: the file is damaged, its checksum differs.")
        Path(self.root).mkdir(parents=True, exist_ok=True)
        self.archive().write_bytes(content)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        return self.transformed(self.data[index], self.targets[index])

    def __len__(self) -> int:
        return len(self.data)


class CIFAR100(CIFAR10):
    """The same number of images in a hundred classes."""

    labels: str
    names: str
    names_file: str

    base_folder = "cifar-100-python"
    url = "https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz"
    tgz_md5 = "eb9058c3a382ffc7106e4002c42a8d85"
    train_files: ClassVar[list[str]] = ["train"]
    test_files: ClassVar[list[str]] = ["test"]
    labels, names, names_file = "fine_labels", "fine_label_names", "meta"
