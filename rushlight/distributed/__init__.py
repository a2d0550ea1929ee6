"""Communication between processes, on one machine or many, over MPI: PyTorch's `torch.distributed`.

    rushlight launch -n 4 train.py                  # on this machine
    mpiexec -hosts a,b -n 8 rushlight run train.py  # on several

`init_process_group()` connects the processes; see there for processes that were started in other ways.
"""

from importlib import import_module as _import_module
from typing import Any

from rushlight.absent.misses import type_or_miss as _type_or_miss
from rushlight.distributed.addresses import rendezvous as rendezvous
from rushlight.distributed.agreement import *
from rushlight.distributed.backends import *
from rushlight.distributed.buckets import GradBucket as GradBucket
from rushlight.distributed.collectives import *
from rushlight.distributed.device_mesh import DeviceMesh as DeviceMesh
from rushlight.distributed.device_mesh import init_device_mesh as init_device_mesh
from rushlight.distributed.errors import *
from rushlight.distributed.groups import *
from rushlight.distributed.objects import *
from rushlight.distributed.point_to_point import *
from rushlight.distributed.reduce_ops import *
from rushlight.distributed.stores import *
from rushlight.distributed.subgroups import *
from rushlight.distributed.work import *
from rushlight.launch.place import announce as _announce


def __getattr__(name: str) -> Any:
    """Loads rarely used packages at their first use; AttributeError for an unknown name."""
    if name in ("autograd", "nn", "optim", "rpc"):
        return _import_module(f"rushlight.distributed.{name}")
    return _type_or_miss("rushlight.distributed", name)


_announce()  # programs read RANK and WORLD_SIZE (as torchrun sets them) before they join a group
