"""Datasets of files in one folder for each class, and a dataset of random images."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rushlight.ops.randomness.random_tensors import randint, randn
from rushlight.progress import progress
from rushlight.random import get_rng_state, manual_seed, set_rng_state
from rushlight.utils.data import Dataset
from rushlight.vision.transforms.pixels import to_pil_image

__all__ = ["DatasetFolder", "FakeData", "ImageFolder", "VisionDataset", "default_loader"]

IMG_EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")


class VisionDataset(Dataset[Any]):
    """A dataset with transforms of its images and targets."""

    transform: Callable[..., Any] | None
    target_transform: Callable[..., Any] | None
    transforms: Callable[..., Any] | None

    def __init__(
        self,
        root: Any = None,
        transforms: Callable[..., Any] | None = None,
        transform: Callable[..., Any] | None = None,
        target_transform: Callable[..., Any] | None = None,
    ):
        if transforms is not None and (transform is not None or target_transform is not None):
            raise ValueError("Only transforms or transform/target_transform can be passed as argument")
        self.root: Any = os.path.expanduser(root) if isinstance(root, str) else root
        self.transform, self.target_transform, self.transforms = transform, target_transform, transforms

    def __len__(self) -> int:
        raise NotImplementedError

    def transformed(self, image: Any, target: Any) -> tuple[Any, Any]:
        """Applies the transforms to an item."""
        if self.transforms is not None:
            return self.transforms(image, target)
        image = image if self.transform is None else self.transform(image)
        return image, target if self.target_transform is None else self.target_transform(target)

    def __repr__(self) -> str:
        lines = [f"Dataset {type(self).__name__}", f"    Number of datapoints: {len(self)}"]
        lines += [f"    Root location: {self.root}"] if self.root is not None else []
        if self.transform is not None or self.target_transform is not None:
            lines.append("    StandardTransform")
        for name, transform in (("Transform: ", self.transform), ("Target transform: ", self.target_transform)):
            if transform is not None:
                lines.append(name + repr(transform).replace("\n", "\n" + " " * len(name)))
        return "\n".join(lines)


def default_loader(path: str) -> Any:
    """The PIL image of a file, converted to RGB."""
    from PIL import Image

    with open(path, "rb") as file:
        return Image.open(file).convert("RGB")


class DatasetFolder(VisionDataset):
    """Files in subfolders whose names are the classes: `root/class/.../file`.

    An item is the result of `loader` for a file, and the class index. FileNotFoundError for a folder without classes,
    and for a class without files unless `allow_empty`.
    """

    extensions: tuple[str, ...] | None
    classes: list[str]
    class_to_idx: dict[str, int]

    def __init__(
        self,
        root: str | Path,
        loader: Callable[[str], Any],
        extensions: tuple[str, ...] | None = None,
        transform: Callable[..., Any] | None = None,
        target_transform: Callable[..., Any] | None = None,
        is_valid_file: Callable[[str], bool] | None = None,
        allow_empty: bool = False,
    ):
        super().__init__(root, transform=transform, target_transform=target_transform)
        if (extensions is None) == (is_valid_file is None):
            raise ValueError("Both extensions and is_valid_file cannot be None or not None at the same time")
        self.loader: Callable[[str], Any] = loader
        self.extensions = extensions
        self.classes, self.class_to_idx = self.find_classes(self.root)
        takes = is_valid_file or (lambda path: path.lower().endswith(extensions))  # type: ignore[arg-type]
        self.samples: list[Any] = self.make_dataset(self.root, self.class_to_idx, takes, allow_empty)
        self.targets: list[Any] = [target for _, target in self.samples]

    def find_classes(self, directory: Any) -> tuple[list[str], dict[str, int]]:
        """The classes, sorted, and their indices."""
        classes = sorted(entry.name for entry in os.scandir(directory) if entry.is_dir())
        if not classes:
            raise FileNotFoundError(f"Couldn't find any class folder in {directory}.")
        return classes, {name: i for i, name in enumerate(classes)}

    @staticmethod
    def make_dataset(
        directory: Any, class_to_idx: dict[Any, Any], takes: Callable[..., Any], allow_empty: bool = False
    ) -> list[Any]:
        """The files with their class indices, sorted."""
        samples, empty = [], []
        for name in progress(sorted(class_to_idx), "classes"):
            found = [
                (os.path.join(folder, file), class_to_idx[name])
                for folder, _, files in sorted(os.walk(os.path.join(directory, name), followlinks=True))
                for file in sorted(files)
                if takes(os.path.join(folder, file))
            ]
            samples += found
            empty += [] if found else [name]
        if empty and not allow_empty:
            raise FileNotFoundError(f"Found no valid file for the classes {', '.join(empty)}.")
        return samples

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        path, target = self.samples[index]
        return self.transformed(self.loader(path), target)

    def __len__(self) -> int:
        return len(self.samples)


class ImageFolder(DatasetFolder):
    """Images in one folder for each class, read by Pillow."""

    def __init__(
        self,
        root: str | Path,
        transform: Callable[..., Any] | None = None,
        target_transform: Callable[..., Any] | None = None,
        loader: Callable[[str], Any] = default_loader,
        is_valid_file: Callable[[str], bool] | None = None,
        allow_empty: bool = False,
    ):
        extensions = IMG_EXTENSIONS if is_valid_file is None else None
        super().__init__(root, loader, extensions, transform, target_transform, is_valid_file, allow_empty)
        self.imgs: list[Any] = self.samples


class FakeData(VisionDataset):
    """Random noise as PIL images with random classes; the same item for the same index."""

    size: int
    num_classes: int
    image_size: tuple[int, ...]
    random_offset: int

    def __init__(
        self,
        size: int = 1000,
        image_size: tuple[int, int, int] = (3, 224, 224),
        num_classes: int = 10,
        transform: Callable[..., Any] | None = None,
        target_transform: Callable[..., Any] | None = None,
        random_offset: int = 0,
    ):
        super().__init__(None, transform=transform, target_transform=target_transform)
        self.size, self.num_classes, self.image_size, self.random_offset = size, num_classes, image_size, random_offset

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        if index >= len(self):
            raise IndexError(f"{type(self).__name__} index out of range")
        state = get_rng_state()
        manual_seed(index + self.random_offset)
        noise, target = randn(*self.image_size), randint(0, self.num_classes, size=(1,))
        set_rng_state(state)
        return self.transformed(to_pil_image(noise), target.item())

    def __len__(self) -> int:
        return self.size
