"""Modules, their functional forms, parameters and initial values, under PyTorch's names."""

from rushlight.nn import functional, init, modules, parameter, utils
from rushlight.nn.modules import *
from rushlight.nn.parameter import *
