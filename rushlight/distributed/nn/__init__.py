"""Differentiable communication, and remote modules."""

from rushlight.distributed.nn import functional as functional
from rushlight.distributed.nn.api.remote_module import RemoteModule as RemoteModule
from rushlight.distributed.nn.functional import *
