"""The modules: layers, containers, losses, and the base class of all."""

from rushlight.nn.modules.module import *
