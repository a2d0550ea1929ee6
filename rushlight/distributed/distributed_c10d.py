"""The names of `torch.distributed`, under the name of PyTorch's module for them."""

# ruff: noqa: F403 (it has these names and no others)

from rushlight.distributed.agreement import *
from rushlight.distributed.backends import *
from rushlight.distributed.collectives import *
from rushlight.distributed.groups import *
from rushlight.distributed.objects import *
from rushlight.distributed.point_to_point import *
from rushlight.distributed.reduce_ops import *
from rushlight.distributed.stores import *
from rushlight.distributed.subgroups import *
from rushlight.distributed.work import *
