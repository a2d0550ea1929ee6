"""Training utilities: gradient clipping, parametrizations, pruning, fusing layers, packed sequences.

Most are loaded on first use.
"""

from importlib import import_module
from typing import Any

from rushlight.absent.misses import no_such_name as _no_such_name
from rushlight.nn.utils import rnn as rnn
from rushlight.nn.utils.clip_grad import *
from rushlight.nn.utils.convert_parameters import *
from rushlight.nn.utils.spectral_norm import remove_spectral_norm as remove_spectral_norm
from rushlight.nn.utils.spectral_norm import spectral_norm as spectral_norm
from rushlight.nn.utils.weight_norm import remove_weight_norm as remove_weight_norm
from rushlight.nn.utils.weight_norm import weight_norm as weight_norm

_MODULES = {"parametrizations", "parametrize", "prune", "stateless"}
_FUNCTIONS = {
    "fusion": ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"],
    "init": ["skip_init"],
    "memory_format": ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"],
}
_HOMES = {name: module for module, names in _FUNCTIONS.items() for name in names}


def __getattr__(name: str) -> Any:
    """Loads submodules on first use; for unknown names, an AttributeError gives the reason or similar names."""
    if name in _MODULES:
        return import_module(f"rushlight.nn.utils.{name}")
    if name in _HOMES:
        value = globals()[name] = getattr(import_module(f"rushlight.nn.utils.{_HOMES[name]}"), name)
        return value
    raise _no_such_name("rushlight.nn.utils", name)
