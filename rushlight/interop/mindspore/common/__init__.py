"""What the other modules share: types, tensors, parameters, initial values."""

from rushlight.interop.mindspore.common import dtype, initializer, parameter, tensor
from rushlight.interop.mindspore.common.api import *
from rushlight.interop.mindspore.common.parameter import Parameter, ParameterTuple
from rushlight.interop.mindspore.common.seed import get_seed, set_seed
from rushlight.interop.mindspore.common.tensor import Tensor
