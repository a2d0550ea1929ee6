"""What users of torchvision expect: datasets, transforms, models, boxes. Images are NumPy arrays or PIL images."""

from importlib import import_module as _import_module
from typing import Any

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.vision import datasets, transforms

__all__ = ["datasets", "io", "models", "ops", "transforms", "tv_tensors", "utils"]
__version__ = "0.29.0"

_explain_misses(globals())
_explained = globals().pop("__getattr__")


def __getattr__(name: str) -> Any:
    """Loads models, boxes, image files, classes of tensors and drawing on first use."""
    if name in ("io", "models", "ops", "tv_tensors", "utils"):
        return _import_module(f"rushlight.vision.{name}")
    return _explained(name)


def get_image_backend() -> str:
    """ "PIL", the library that images are read with."""
    return "PIL"
