"""`torchvision.transforms.v2`: the transforms of v1, conversions of type, mixing of batches, and a base class."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.vision import transforms as _first
from rushlight.vision.transforms import *
from rushlight.vision.transforms.v2 import functional
from rushlight.vision.transforms.v2.base import *
from rushlight.vision.transforms.v2.base import __all__ as _base
from rushlight.vision.transforms.v2.conversions import *
from rushlight.vision.transforms.v2.conversions import __all__ as _conversions
from rushlight.vision.transforms.v2.mixing import *
from rushlight.vision.transforms.v2.mixing import __all__ as _mixing

__all__ = [*_first.__all__, *_base, *_conversions, *_mixing, "functional"]

_explain_misses(globals())
