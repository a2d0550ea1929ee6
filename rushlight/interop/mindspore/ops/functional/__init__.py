"""The functions of `mindspore.ops`."""

from rushlight.interop.mindspore.gradients import get_grad, grad, value_and_grad
from rushlight.interop.mindspore.jacobians import jacfwd, jacrev, jvp, vjp
from rushlight.interop.mindspore.ops.functional.creation import *
from rushlight.interop.mindspore.ops.functional.elementwise import *
from rushlight.interop.mindspore.ops.functional.neural import *
from rushlight.interop.mindspore.ops.functional.reductions import *
from rushlight.interop.mindspore.ops.functional.shapes import *
