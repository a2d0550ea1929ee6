"""Modules, their functional forms, parameters and initial values, under PyTorch's names."""

from rushlight.nn import functional, init, modules, parameter, utils
from rushlight.nn.modules import *
from rushlight.nn.parameter import *


def __getattr__(name):
    """Says that there is no such name, and which ones are near."""
    from rushlight.missing import no_such_name

    raise no_such_name("rushlight.nn", name)
