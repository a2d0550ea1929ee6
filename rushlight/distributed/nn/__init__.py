"""Communication with derivatives."""

from rushlight.distributed.nn import functional as functional
from rushlight.distributed.nn.functional import *
