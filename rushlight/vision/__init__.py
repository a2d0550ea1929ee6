"""The datasets and transforms that torchvision's users expect. Images are NumPy arrays; Pillow is not needed."""

from rushlight.missing import missing_from
from rushlight.vision import datasets, transforms

__all__ = ["datasets", "transforms"]

__getattr__ = missing_from(__name__)
