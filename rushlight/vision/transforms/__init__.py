"""Image transforms, under torchvision's names."""

from importlib import import_module as _import_module
from typing import Any

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.vision.transforms import functional
from rushlight.vision.transforms.autoaugment import *
from rushlight.vision.transforms.autoaugment import __all__ as _sixth
from rushlight.vision.transforms.changes import *
from rushlight.vision.transforms.changes import __all__ as _first
from rushlight.vision.transforms.pixel_changes import *
from rushlight.vision.transforms.pixel_changes import __all__ as _second
from rushlight.vision.transforms.sizes import InterpolationMode
from rushlight.vision.transforms.tone_changes import *
from rushlight.vision.transforms.tone_changes import __all__ as _fourth
from rushlight.vision.transforms.turning_changes import *
from rushlight.vision.transforms.turning_changes import __all__ as _third
from rushlight.vision.transforms.warping_changes import *
from rushlight.vision.transforms.warping_changes import __all__ as _fifth

__all__ = ["InterpolationMode", *_first, *_second, *_third, *_fourth, *_fifth, *_sixth]

_explain_misses(globals())
_explained = globals().pop("__getattr__")


def __getattr__(name: str) -> Any:
    """Loads `v2` on first use."""
    return _import_module("rushlight.vision.transforms.v2") if name == "v2" else _explained(name)
