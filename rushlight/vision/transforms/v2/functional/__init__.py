"""The functions of v1 and of v2."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.vision.transforms.functional import *
from rushlight.vision.transforms.v2.functional.conversions import *

_explain_misses(globals())
