"""The modules: layers, containers, losses, and their base class; one file for each family."""

from typing import Any as _Any

from rushlight.absent.misses import no_such_name as _no_such_name
from rushlight.nn.modules import batchnorm
from rushlight.nn.modules.activation import *
from rushlight.nn.modules.adaptive import *
from rushlight.nn.modules.adaptive_pooling import *
from rushlight.nn.modules.attention import *
from rushlight.nn.modules.batchnorm import *
from rushlight.nn.modules.container import *
from rushlight.nn.modules.conv import *
from rushlight.nn.modules.conv_transpose import *
from rushlight.nn.modules.distance import *
from rushlight.nn.modules.dropout import *
from rushlight.nn.modules.flatten import *
from rushlight.nn.modules.instancenorm import *
from rushlight.nn.modules.lazy import *
from rushlight.nn.modules.linear import *
from rushlight.nn.modules.linear_entropy import *
from rushlight.nn.modules.loss import *
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.modules.normalization import *
from rushlight.nn.modules.padding import *
from rushlight.nn.modules.parameter_container import *
from rushlight.nn.modules.places import show_classes as _show_classes
from rushlight.nn.modules.pooling import *
from rushlight.nn.modules.rearrangement import *
from rushlight.nn.modules.rnn import *
from rushlight.nn.modules.rnn_cells import *
from rushlight.nn.modules.sparse import *
from rushlight.nn.modules.transformer import *
from rushlight.nn.modules.upsampling import *

_show_classes()


def __getattr__(name: str) -> _Any:
    """Loads `SyncBatchNorm` on first use; for unknown names, an AttributeError names similar ones."""
    if name == "SyncBatchNorm":
        return batchnorm.SyncBatchNorm
    raise _no_such_name(__name__, name)
