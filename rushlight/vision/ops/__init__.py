"""`torchvision.ops`: boxes, and layers of image models."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.vision.ops.boxes import *
from rushlight.vision.ops.branches import *
from rushlight.vision.ops.losses import *
from rushlight.vision.ops.misc import *
from rushlight.vision.ops.pyramid import *
from rushlight.vision.ops.regions import *

_explain_misses(globals())
