"""`mindspore.nn`: cells, layers, losses and optimizers."""

from typing import Any

from rushlight.absent.misses import no_such_name as _no_such_name
from rushlight.interop.mindspore.nn.activation import *
from rushlight.interop.mindspore.nn.cell import *
from rushlight.interop.mindspore.nn.containers import *
from rushlight.interop.mindspore.nn.layers import *
from rushlight.interop.mindspore.nn.loss import *
from rushlight.interop.mindspore.nn.optim import *
from rushlight.interop.mindspore.nn.wrap import *


def __getattr__(name: str) -> Any:
    """Raises AttributeError for a cell that is not supported."""
    raise _no_such_name(__name__, name)
