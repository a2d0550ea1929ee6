"""Tools for training modules: limiting gradients, parameters as a vector."""
# ruff: noqa: F401, F403

from rushlight.nn.utils import rnn
from rushlight.nn.utils.clip_grad import *
from rushlight.nn.utils.convert_parameters import *
