"""Memory shared by all processes of a group on one machine: MPI's windows.

Other processes read it directly, without messages. All processes make and free a window together, but each drops its
arrays in it at its own time: so a window is reused, or freed, once all have said that they use it no longer.
"""

import shutil
from typing import Any
from weakref import ref

import numpy as np

from rushlight.distributed import mpi
from rushlight.distributed.groups import ProcessGroup
from rushlight.distributed.work import Work
from rushlight.tensors import Tensor

__all__ = ["CommonMemory", "common_memory"]

FOLDER = "/dev/shm"  # the directory of MPI's windows
SHARE = 0.5  # the share of the free space there that a window may take
PAGE = 4096


class Window:
    """Some bytes of each process of a group, visible to all of them."""

    def __init__(self, group: ProcessGroup, size: int):
        MPI = mpi.load()
        self.size = size
        self.own: Any = MPI.Win.Allocate_shared(-(-size // PAGE) * PAGE, 1, comm=group.comm)
        self.own.Lock_all(MPI.MODE_NOCHECK)
        self.user: ref[CommonMemory] | None = None

    def is_free(self) -> bool:
        """Whether this process uses none of it any more."""
        return self.user is None or self.user() is None

    def end(self) -> None:
        """Frees it."""
        self.own.Unlock_all()
        self.own.Free()


class CommonMemory:
    """A window in use: what one process writes, all others read."""

    def __init__(self, group: ProcessGroup, window: Window):
        self.group, self.window, self.size = group, window.own, window.size
        window.user = ref(self)

    def arrays(self, dtype: np.dtype) -> list[np.ndarray]:
        """The memory of each process, by rank, as flat arrays of a dtype; a process writes only to its own."""
        places = [self.window.Shared_query(rank)[0].address for rank in range(self.group.size())]
        return [np.asarray(Base(self, place)).view(dtype) for place in places]

    def meet(self, name: str, result: list[Tensor]) -> Work:
        """Completes once all processes have called it; then each may read what the others wrote before."""
        self.window.Sync()
        return Work(self.group, name, [self.group.comm.Ibarrier()], self.window.Sync, result)


class Base:
    """The base object of NumPy arrays in a window: it keeps the window in use as long as an array exists."""

    def __init__(self, memory: CommonMemory, address: int):
        self.memory = memory
        self.__array_interface__ = {"data": (address, False), "shape": (memory.size,), "typestr": "|u1", "version": 3}


class Windows:
    """The windows of a group."""

    def __init__(self, group: ProcessGroup):
        self.group = group
        self.made: list[Window] = []
        self.see_each_other: bool = is_of_one_world(group.comm) and is_on_one_machine(group.comm)

    def allocate(self, size: int) -> CommonMemory | None:
        """Memory of a size in each process; None, in all processes, if they cannot share memory or lack space."""
        if not self.see_each_other:
            return None
        has_space, free = self.agree(size * self.group.size() <= SHARE * free_space())
        window = next((window for window in free if window.size == size), None)
        if window is None:
            self.end(free)
            if not has_space:
                return None
            window = Window(self.group, size)
            self.made.append(window)
        return CommonMemory(self.group, window)

    def agree(self, has_space: bool) -> tuple[bool, list[Window]]:
        """Whether all processes have space, and the windows that no process uses any more."""
        own = np.array([has_space, *(window.is_free() for window in self.made)], np.int32)
        request = self.group.comm.Iallreduce(mpi.load().IN_PLACE, own, mpi.load().MIN)
        Work(self.group, "all_reduce", [request]).wait()
        return bool(own[0]), [window for window, free in zip(self.made, own[1:], strict=True) if free]

    def end(self, windows: list[Window]) -> None:
        """Frees windows."""
        for window in windows:
            self.made.remove(window)
            window.end()

    def end_free(self) -> None:
        """Frees the windows that are no longer used."""
        self.end(self.agree(has_space=True)[1])


def common_memory(group: ProcessGroup, size: int) -> CommonMemory | None:
    """Shared memory of a size in each process of a group; None, in all, if they are not on one machine or lack space.

    All processes must call it.
    """
    if group.windows is None:
        group.windows = Windows(group)
    return group.windows.allocate(size)


def is_of_one_world(comm: Any) -> bool:
    """Whether processes were started together; in MPICH processes that connected later cannot have windows."""
    MPI = mpi.load()
    return MPI.UNDEFINED not in MPI.Group.Translate_ranks(comm.group, None, MPI.COMM_WORLD.group)


def is_on_one_machine(comm: Any) -> bool:
    """Whether processes are on one machine, according to MPI. All of them must call it."""
    beside = comm.Split_type(mpi.load().COMM_TYPE_SHARED)
    together = beside.size == comm.size
    beside.Free()
    return together


def free_space() -> int:
    """The bytes available for windows; 0 if windows would not be in memory."""
    try:
        return shutil.disk_usage(FOLDER).free
    except FileNotFoundError:
        return 0
