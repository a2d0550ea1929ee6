"""`torchvision.transforms.v2`: transforms of samples, in which images have boxes and masks."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.vision import transforms as _first
from rushlight.vision.transforms import *
from rushlight.vision.transforms.v2 import functional
from rushlight.vision.transforms.v2.alike import MADE as _made
from rushlight.vision.transforms.v2.samples import get_bounding_boxes, query_chw, query_size

globals().update(_made)

from rushlight.vision.transforms.v2.base import *
from rushlight.vision.transforms.v2.base import __all__ as _base
from rushlight.vision.transforms.v2.containers import *
from rushlight.vision.transforms.v2.conversions import *
from rushlight.vision.transforms.v2.conversions import __all__ as _conversions
from rushlight.vision.transforms.v2.detection import *
from rushlight.vision.transforms.v2.detection import __all__ as _detection
from rushlight.vision.transforms.v2.mixing import *
from rushlight.vision.transforms.v2.mixing import __all__ as _mixing

__all__ = [
    *_first.__all__,
    *_base,
    *_conversions,
    *_detection,
    *_mixing,
    "functional",
    "get_bounding_boxes",
    "query_chw",
    "query_size",
]

_explain_misses(globals())
