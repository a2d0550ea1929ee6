"""Modules, their functional forms, parameters and initial values, under PyTorch's names."""

from importlib import import_module

from rushlight.nn import functional, init, modules, parameter, utils
from rushlight.nn.modules import *
from rushlight.nn.parameter import *

ON_DEMAND = {"DataParallel": "rushlight.nn.parallel", "SyncBatchNorm": "rushlight.nn.parallel.synchronized"}


def __getattr__(name):
    """Loads what has to do with several processes when it is first used; says of other names which ones are near."""
    if name == "parallel":
        return import_module("rushlight.nn.parallel")
    if name in ON_DEMAND:
        return getattr(import_module(ON_DEMAND[name]), name)
    from rushlight.missing import no_such_name

    raise no_such_name("rushlight.nn", name)
