"""The functions of `mindspore.ops`."""

from rushlight.interop.mindspore.gradients import get_grad as get_grad
from rushlight.interop.mindspore.gradients import grad as grad
from rushlight.interop.mindspore.gradients import value_and_grad as value_and_grad
from rushlight.interop.mindspore.jacobians import jacfwd as jacfwd
from rushlight.interop.mindspore.jacobians import jacrev as jacrev
from rushlight.interop.mindspore.jacobians import jvp as jvp
from rushlight.interop.mindspore.jacobians import vjp as vjp
from rushlight.interop.mindspore.ops.functional.creation import *
from rushlight.interop.mindspore.ops.functional.elementwise import *
from rushlight.interop.mindspore.ops.functional.neural import *
from rushlight.interop.mindspore.ops.functional.reductions import *
from rushlight.interop.mindspore.ops.functional.shapes import *
