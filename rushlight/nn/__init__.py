"""Modules, their functional forms, parameters and initialization, under PyTorch's names."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rushlight.absent.misses import no_such_name as _no_such_name
from rushlight.nn import functional as functional
from rushlight.nn import init as init
from rushlight.nn import modules as modules
from rushlight.nn import parameter as parameter
from rushlight.nn import utils as utils
from rushlight.nn.modules import *
from rushlight.nn.parameter import *

globals().pop("attention", None)  # the layers' file `attention`: the package `nn.attention` is loaded on first use

ON_DEMAND = {"DataParallel": "rushlight.nn.parallel", "SyncBatchNorm": "rushlight.nn.parallel.synchronized"}

if TYPE_CHECKING:  # names that type checkers cannot see in the table
    from rushlight.nn import parallel as parallel
    from rushlight.nn.parallel import DataParallel as DataParallel
    from rushlight.nn.parallel.synchronized import SyncBatchNorm as SyncBatchNorm


def __getattr__(name: str) -> Any:
    """Loads rarely used submodules on first use; for unknown names, an AttributeError suggests similar ones."""
    if name in ("attention", "grad", "parallel"):
        return import_module(f"rushlight.nn.{name}")
    if name in ON_DEMAND:
        return getattr(import_module(ON_DEMAND[name]), name)
    raise _no_such_name("rushlight.nn", name)
