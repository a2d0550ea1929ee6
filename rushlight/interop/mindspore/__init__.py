"""MindSpore's names on rushlight: `grad` and similar functions, tensors, cells, operators.

A MindSpore program runs with its imports changed, or unchanged under `rushlight run`:

>>> import rushlight.interop.mindspore as ms
>>> import rushlight.interop.mindspore.nn as nn
>>> from rushlight.interop.mindspore import ops
>>> print(ms.grad(ops.sin)(ms.Tensor(0.0)))
1.0
"""

from typing import Any

from rushlight.absent.misses import no_such_name as _no_such_name
from rushlight.interop.mindspore import common as common
from rushlight.interop.mindspore import context as context
from rushlight.interop.mindspore import nn as nn
from rushlight.interop.mindspore import ops as ops
from rushlight.interop.mindspore.common import dtype as dtype
from rushlight.interop.mindspore.common.api import *
from rushlight.interop.mindspore.common.dtype import *
from rushlight.interop.mindspore.common.parameter import *
from rushlight.interop.mindspore.common.seed import *
from rushlight.interop.mindspore.common.tensor import *
from rushlight.interop.mindspore.context import *
from rushlight.interop.mindspore.gradients import get_grad as get_grad
from rushlight.interop.mindspore.gradients import grad as grad
from rushlight.interop.mindspore.gradients import value_and_grad as value_and_grad
from rushlight.interop.mindspore.jacobians import *


def __getattr__(name: str) -> Any:
    """Raises AttributeError for a name that is not supported."""
    raise _no_such_name(__name__, name)
