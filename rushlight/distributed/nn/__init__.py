"""Communication with derivatives."""

from rushlight.distributed.nn import functional
from rushlight.distributed.nn.functional import *
