"""`mindspore.ops`: operators as functions, and as objects that are made with their options and then called."""

from typing import Any

from rushlight.absent.misses import no_such_name as _no_such_name
from rushlight.interop.mindspore.ops import composite as composite
from rushlight.interop.mindspore.ops import functional as functional
from rushlight.interop.mindspore.ops import methods as _methods
from rushlight.interop.mindspore.ops import operations as operations
from rushlight.interop.mindspore.ops.composite import GradOperation as GradOperation
from rushlight.interop.mindspore.ops.functional import *
from rushlight.interop.mindspore.ops.operations import *


def __getattr__(name: str) -> Any:
    """Raises AttributeError for an operator that is not supported."""
    raise _no_such_name(__name__, name)
