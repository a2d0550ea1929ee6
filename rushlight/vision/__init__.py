"""The datasets and transforms that torchvision's users expect. Images are NumPy arrays; Pillow is not needed."""

from rushlight.missing import explain_misses as _explain_misses
from rushlight.vision import datasets, transforms

__all__ = ["datasets", "transforms"]

_explain_misses(globals())
