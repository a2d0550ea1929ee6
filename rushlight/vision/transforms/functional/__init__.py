"""The transforms as functions."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.vision.transforms.basics import *
from rushlight.vision.transforms.pixels import *
from rushlight.vision.transforms.sizes import *
from rushlight.vision.transforms.tones import *
from rushlight.vision.transforms.turning import *
from rushlight.vision.transforms.warping import *

_explain_misses(globals())
