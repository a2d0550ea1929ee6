"""Networks that classify each pixel, with torchvision's names, parameters and initialization."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.vision.models.registry import WEIGHTS as _WEIGHTS
from rushlight.vision.models.segmentation.deeplabv3 import *
from rushlight.vision.models.segmentation.fcn import *
from rushlight.vision.models.segmentation.lraspp import *

globals().update(_WEIGHTS)
_explain_misses(globals())
