"""The functions of v1 and of v2, which keep the classes of images and videos, and functions of boxes."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.vision.transforms.functional import *
from rushlight.vision.transforms.v2.functional.conversions import *
from rushlight.vision.transforms.v2.samples import keep_classes as _keep_classes

_keep_classes(globals())

from rushlight.vision.transforms.v2.functional.boxes import *
from rushlight.vision.transforms.v2.functional.conversions import get_size, to_image

_explain_misses(globals())
