"""The modules: layers, containers, losses, and their base class; one file for each family."""

from rushlight.absent.misses import explain_misses as _explain_misses
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
_explain_misses(globals())
