"""Memory that all processes of a group see, where they are on one machine: windows of MPI's.

What lies there is read in its place, without a message. All processes make and end a window together, but each lets
go of its arrays there when it likes: so a window is used again, or ended, once all have said that they have none left.
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

FOLDER = "/dev/shm"  # where MPI keeps windows
SHARE = 0.5  # of the room there, which a window may take
PAGE = 4096


class Window:
    """Some bytes of each process of a group, which all of them see."""

    def __init__(self, group: ProcessGroup, size: int):
        MPI = mpi.load()
        self.size = size
        self.own: Any = MPI.Win.Allocate_shared(-(-size // PAGE) * PAGE, 1, comm=group.comm)
        self.own.Lock_all(MPI.MODE_NOCHECK)
        self.user: ref[CommonMemory] | None = None

    def is_free(self) -> bool:
        """Whether nothing of this process is left there."""
        return self.user is None or self.user() is None

    def end(self) -> None:
        """Gives it back."""
        self.own.Unlock_all()
        self.own.Free()


class CommonMemory:
    """A window that is lent: what one process writes there, all others read."""

    def __init__(self, group: ProcessGroup, window: Window):
        self.group, self.window, self.size = group, window.own, window.size
        window.user = ref(self)

    def arrays(self, dtype: np.dtype) -> list[np.ndarray]:
        """The memory of each process, by rank, as a flat array of a dtype; a process writes to its own alone."""
        places = [self.window.Shared_query(rank)[0].address for rank in range(self.group.size())]
        return [np.asarray(Base(self, place)).view(dtype) for place in places]

    def meet(self, name: str, result: list[Tensor]) -> Work:
        """Done once all processes have come, each of which then reads what the others have written before."""
        self.window.Sync()
        return Work(self.group, name, [self.group.comm.Ibarrier()], self.window.Sync, result)


class Base:
    """What an array on a window holds, and what NumPy takes its memory from: so what is lent lives as long as it."""

    def __init__(self, memory: CommonMemory, address: int):
        self.memory = memory
        self.__array_interface__ = {"data": (address, False), "shape": (memory.size,), "typestr": "|u1", "version": 3}


class Windows:
    """The windows of a group."""

    def __init__(self, group: ProcessGroup):
        self.group = group
        self.made: list[Window] = []
        self.see_each_other = is_of_one_world(group.comm) and is_on_one_machine(group.comm)

    def lend(self, size: int) -> CommonMemory | None:
        """So many bytes of each process; None, in all processes, where they do not see each other's, or lack room."""
        if not self.see_each_other:
            return None
        has_room, free = self.agree(size * self.group.size() <= SHARE * room())
        window = next((window for window in free if window.size == size), None)
        if window is None:
            self.end(free)
            if not has_room:
                return None
            window = Window(self.group, size)
            self.made.append(window)
        return CommonMemory(self.group, window)

    def agree(self, has_room: bool) -> tuple[bool, list[Window]]:
        """Whether all processes have room, and the windows on which nothing of any process is left."""
        own = np.array([has_room, *(window.is_free() for window in self.made)], np.int32)
        request = self.group.comm.Iallreduce(mpi.load().IN_PLACE, own, mpi.load().MIN)
        Work(self.group, "all_reduce", [request]).wait()
        return bool(own[0]), [window for window, free in zip(self.made, own[1:], strict=True) if free]

    def end(self, windows: list[Window]) -> None:
        """Gives windows back."""
        for window in windows:
            self.made.remove(window)
            window.end()

    def end_free(self) -> None:
        """Gives back those on which nothing is left."""
        self.end(self.agree(has_room=True)[1])


def common_memory(group: ProcessGroup, size: int) -> CommonMemory | None:
    """So many bytes of each process of a group; None, in all, where they are not on one machine, or lack room.

    All processes have to call it.
    """
    if group.windows is None:
        group.windows = Windows(group)
    return group.windows.lend(size)


def is_of_one_world(comm: Any) -> bool:
    """Whether processes were started together; those that met later have no windows in MPICH, on one machine either."""
    MPI = mpi.load()
    return MPI.UNDEFINED not in MPI.Group.Translate_ranks(comm.group, None, MPI.COMM_WORLD.group)


def is_on_one_machine(comm: Any) -> bool:
    """Whether processes are on one machine, as MPI knows it. All of them have to ask."""
    beside = comm.Split_type(mpi.load().COMM_TYPE_SHARED)
    together = beside.size == comm.size
    beside.Free()
    return together


def room() -> int:
    """The bytes that there are for windows; 0 where they would not lie in memory."""
    try:
        return shutil.disk_usage(FOLDER).free
    except FileNotFoundError:
        return 0
