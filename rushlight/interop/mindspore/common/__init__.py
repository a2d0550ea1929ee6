"""The common base of the other modules: types, tensors, parameters, initial values."""

from rushlight.interop.mindspore.common import dtype as dtype
from rushlight.interop.mindspore.common import initializer as initializer
from rushlight.interop.mindspore.common import parameter as parameter
from rushlight.interop.mindspore.common import tensor as tensor
from rushlight.interop.mindspore.common.api import *
from rushlight.interop.mindspore.common.parameter import Parameter as Parameter
from rushlight.interop.mindspore.common.parameter import ParameterTuple as ParameterTuple
from rushlight.interop.mindspore.common.seed import get_seed as get_seed
from rushlight.interop.mindspore.common.seed import set_seed as set_seed
from rushlight.interop.mindspore.common.tensor import Tensor as Tensor
