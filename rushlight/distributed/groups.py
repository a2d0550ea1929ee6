"""Process groups: the default group, groups of some processes, and ranks in them."""

import os
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, ClassVar

from rushlight.core.lines import warn
from rushlight.distributed import mpi
from rushlight.distributed.addresses import check_scheme, store_of
from rushlight.distributed.backends import Backend
from rushlight.distributed.meeting import meet
from rushlight.distributed.stores import Store
from rushlight.launch.place import announce, place_from_launcher

__all__ = [
    "GroupMember",
    "ProcessGroup",
    "default_pg_timeout",
    "destroy_process_group",
    "get_backend",
    "get_global_rank",
    "get_group_rank",
    "get_node_local_rank",
    "get_pg_count",
    "get_process_group_ranks",
    "get_rank",
    "get_world_size",
    "group",
    "init_process_group",
    "is_initialized",
    "is_torchelastic_launched",
    "new_group",
]

default_pg_timeout: timedelta = timedelta(minutes=30)


class ProcessGroup:
    """Processes that communicate with each other. Made by `init_process_group` and `new_group`.

    >>> import rushlight.distributed as dist
    >>> group = dist.group.WORLD
    >>> group.rank(), group.size()
    (0, 1)
    """

    def __init__(self, comm: Any, ranks: list[int], timeout: timedelta, name: str, backend: str, description: str = ""):
        self.comm = comm
        self.ranks = ranks
        self.timeout: timedelta = timeout
        self.backend = backend
        self.group_name = name
        self.group_desc: str = description or "undefined"
        self.ended: bool = False
        self.windows: Any = None  # shared memory of these processes: see `common_memory.py`
        self._number = 0
        World.groups.append(self)

    def rank(self) -> int:
        """This process's rank in the group."""
        return self.comm.rank

    def size(self) -> int:
        """The number of processes in the group."""
        return len(self.ranks)

    def name(self) -> str:
        """The name of the backend."""
        return self.backend

    def set_timeout(self, timeout: timedelta) -> None:
        """Sets the timeout of the group's communication."""
        self.timeout = timeout

    def progress(self) -> None:
        """Lets MPI make progress on communication; MPI does so only when it is called."""
        self.comm.Iprobe()

    def end(self) -> None:
        """Frees MPI's resources; later calls with the group are refused."""
        self.ended = True
        World.groups.remove(self)
        if self.windows is not None:
            self.windows.end_free()
        self.comm.Free()

    def next_number(self) -> int:
        """Numbers the communications of the group."""
        self._number += 1
        return self._number

    def __reduce__(self) -> Any:
        raise TypeError(
            "cannot pickle a ProcessGroup: it is of these processes. To save a DTensor, which has one, take "
            "torch.distributed.checkpoint, or the whole tensor that full_tensor() gives."
        )

    def __repr__(self) -> str:
        return f"<ProcessGroup {self.group_name!r} on MPI, ranks {self.ranks}>"


class World:
    """The state of this process: the default group, and the other groups that it is in."""

    default: ProcessGroup | None = None
    groups: ClassVar[list[ProcessGroup]] = []  # those not destroyed
    made = 0  # number of groups made, for their names


class _GroupMeta(type):
    @property
    def WORLD(cls) -> ProcessGroup | None:
        """The default group; None before `init_process_group`."""
        return World.default


class group(metaclass=_GroupMeta):
    """`group.WORLD`: the default group, of all processes.

    >>> import rushlight.distributed as dist
    >>> dist.group.WORLD.size()
    1
    """


class GroupMember(metaclass=_GroupMeta):
    """`GroupMember.NON_GROUP_MEMBER`: what `new_group` returns in processes outside the group.

    >>> import rushlight.distributed as dist
    >>> dist.GroupMember.WORLD is dist.group.WORLD
    True
    """

    NON_GROUP_MEMBER: Any = -100  # it stands where groups do


def is_initialized() -> bool:
    """Whether `init_process_group` has been called.

    >>> import rushlight.distributed as dist
    >>> dist.is_initialized()
    True
    """
    return World.default is not None


def is_torchelastic_launched() -> bool:
    """Whether PyTorch's `torchrun` started this process.

    >>> import rushlight.distributed as dist
    >>> dist.is_torchelastic_launched()
    False
    """
    return "TORCHELASTIC_RUN_ID" in os.environ


def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: timedelta | None = None,
    world_size: int = -1,
    rank: int = -1,
    store: Store | None = None,
    group_name: str = "",
    pg_options: Any = None,
    device_id: Any = None,
) -> None:
    """Makes the default group of processes that communicate with each other over MPI.

    Processes started by `mpiexec` or `rushlight launch` need no arguments. Processes of one machine started in other
    ways (`torch.multiprocessing.spawn`, `Process`) find each other by `init_method` ("env://", "tcp://host:port",
    "file:///path") or `store`, and need `rank` and `world_size`, as arguments or in the environment.

    `timeout` (30 minutes) limits every communication of the group. `backend` is "mpi" or "gloo"; both use MPI.
    ValueError if it was called before or the arguments are inconsistent, RuntimeError without MPI.

    >>> import rushlight.distributed as dist
    >>> dist.destroy_process_group()
    >>> dist.init_process_group("gloo", rank=0, world_size=1)  # without arguments where `rushlight launch` started it
    >>> dist.get_rank(), dist.get_world_size()
    (0, 1)
    """
    if World.default is not None:
        raise ValueError("trying to initialize the default process group twice!")
    if pg_options is not None:
        raise ValueError("init_process_group(): pg_options configure NCCL, which needs a GPU; leave them out.")
    check_timeout(timeout)
    check_scheme(init_method)
    name = Backend(backend or "gloo")
    limit = timeout or default_pg_timeout
    comm = join(init_method, world_size, rank, store, limit, "default_pg")
    World.default = ProcessGroup(comm, list(range(comm.size)), limit, group_name or "0", name, "default_pg")


def check_timeout(timeout: Any) -> None:
    """TypeError for a timeout that is not a timedelta."""
    if timeout is not None and not isinstance(timeout, timedelta):
        raise TypeError(f"Expected timeout argument to be of type datetime.timedelta, got {timeout}")


def join(init_method: Any, world_size: Any, rank: Any, store: Any, timeout: Any, purpose: str) -> Any:
    """The MPI communicator of processes that meet for a purpose, ordered by their ranks."""
    place = place_from_launcher()
    if place is not None:
        announce()
        world = mpi.start().COMM_WORLD
        if world.size != place.size:
            raise RuntimeError(
                f"The launcher started {place.size} processes, but MPI knows of {world.size}: this mpiexec is of "
                f"another MPI than mpi4py's ({mpi.load().get_vendor()[0]}). Start with `rushlight launch`."
            )
        if world_size in (-1, world.size):
            return in_order(world, world.rank if rank < 0 else rank)
        if rank < 0:
            raise ValueError(
                f"world_size is {world_size}, but mpiexec started {world.size} processes: a group of some of them "
                "needs their ranks in it too."
            )
    store, rank, world_size = store_of(init_method, world_size, rank, store, timeout, purpose)
    if world_size == 1:
        return mpi.start().COMM_SELF.Dup()
    assert store is not None
    comm = meet(rank, world_size, store)
    ordered = in_order(comm, rank)
    comm.Free()
    return ordered


def in_order(world: Any, rank: int) -> Any:
    """The communicator of all processes, with the given ranks. ValueError for a duplicate rank."""
    comm = world.Split(0, rank)
    if comm.rank != rank:
        raise ValueError(f"rank is {rank}, but another of the {comm.size} processes gave the same, or there is none.")
    return comm


def member(given: ProcessGroup | int | None) -> ProcessGroup | None:
    """The group that a call is about; None, with a warning, if this process is not in it.

    ValueError before `init_process_group`.
    """
    if given is None:
        if World.default is None:
            raise ValueError(
                "Default process group has not been initialized, please make sure to call init_process_group."
            )
        return World.default
    if given is GroupMember.NON_GROUP_MEMBER:
        warn(
            f"Running a communication on global rank {get_rank()} which does not belong to the given group.",
        )
        return None
    if not isinstance(given, ProcessGroup):
        raise ValueError(
            f"Process group {given} is not initialized in the world group map. Please initialize the group first: "
            "`new_group` makes one."
        )
    if given.ended:
        raise ValueError(
            f"Group {given} is not registered, please create group with torch.distributed.new_group API: "
            "destroy_process_group has ended this one."
        )
    return given


def here(given: ProcessGroup | None) -> ProcessGroup:
    """The group that a query is about: by default the default group. ValueError before `init_process_group`."""
    found = member(given)
    assert found is not None
    return found


def get_rank(group: ProcessGroup | None = None) -> int:
    """This process's rank in a group, by default the default group; -1 if it is not in it.

    >>> import rushlight.distributed as dist
    >>> dist.get_rank()
    0
    """
    return -1 if group is GroupMember.NON_GROUP_MEMBER else here(group).rank()


def get_world_size(group: ProcessGroup | None = None) -> int:
    """The number of processes in a group, by default the default group; -1 if this process is not in it.

    >>> import rushlight.distributed as dist
    >>> dist.get_world_size()
    1
    """
    return -1 if group is GroupMember.NON_GROUP_MEMBER else here(group).size()


def get_backend(group: ProcessGroup | None = None) -> str:
    """The name of the backend that a group was made with.

    >>> import rushlight.distributed as dist
    >>> dist.get_backend()
    'gloo'
    """
    return here(group).backend


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """This process's rank on its machine. RuntimeError if LOCAL_RANK is not set and there is no fallback.

    >>> import rushlight.distributed as dist
    >>> dist.get_node_local_rank(fallback_rank=0)
    0
    """
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow `get_node_local_rank` to work, "
        "assuming you are not running in a multi-device context and want the code to run locally instead."
    )


def get_pg_count() -> int:
    """The number of groups that this process is in.

    >>> import rushlight.distributed as dist
    >>> before = dist.get_pg_count()
    >>> group = dist.new_group()
    >>> dist.get_pg_count() - before
    1
    """
    return len(World.groups)


def get_process_group_ranks(group: ProcessGroup | None) -> list[int]:
    """The global ranks of a group's processes.

    >>> import rushlight.distributed as dist
    >>> dist.get_process_group_ranks(dist.group.WORLD)
    [0]
    """
    return list(here(group).ranks)


def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """The global rank for a rank in a group. ValueError if the group has no such rank.

    >>> import rushlight.distributed as dist
    >>> dist.get_global_rank(dist.group.WORLD, 0)
    0
    """
    ranks = here(group).ranks
    if not 0 <= group_rank < len(ranks):
        raise ValueError(f"Group rank {group_rank} is not part of group {group}")
    return ranks[group_rank]


def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """The rank in a group for a global rank. ValueError if it is not in the group.

    >>> import rushlight.distributed as dist
    >>> dist.get_group_rank(dist.group.WORLD, 0)
    0
    """
    ranks = here(group).ranks
    if global_rank not in ranks:
        raise ValueError(f"Global rank {global_rank} is not part of group {group}")
    return ranks.index(global_rank)


def new_group(
    ranks: Sequence[int] | None = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    use_local_synchronization: bool = False,
    group_desc: str | None = None,
    device_id: Any = None,
    sort_ranks: bool = True,
) -> ProcessGroup | int:
    """Makes a group of the processes with the given global ranks; other processes get `GroupMember.NON_GROUP_MEMBER`.

    All processes must call it; with `use_local_synchronization` only those in it. ValueError for invalid or duplicate
    ranks.

    >>> import rushlight.distributed as dist
    >>> pair = dist.new_group([0])
    >>> dist.get_process_group_ranks(pair)
    [0]
    """
    check_timeout(timeout)
    world = here(None)
    chosen = list(range(world.size())) if ranks is None else sorted(ranks) if sort_ranks else list(ranks)
    if len(set(chosen)) != len(chosen):
        raise ValueError(f"ranks list must not contain duplicate entries, got {chosen}")
    for rank in chosen:
        if not 0 <= rank < world.size():
            raise ValueError(
                f"Rank {rank} is out of range. Valid ranks are 0 to {world.size() - 1} (world_size={world.size()})"
            )
    World.made += 1
    is_in = world.rank() in chosen
    if use_local_synchronization:
        comm = world.comm.Create_group(world.comm.group.Incl(chosen)) if is_in else None
    else:
        color = 0 if is_in else mpi.load().UNDEFINED
        comm = world.comm.Split(color, chosen.index(world.rank()) if is_in else 0)
    if not is_in:
        return GroupMember.NON_GROUP_MEMBER
    name = Backend(backend) if backend else world.backend
    return ProcessGroup(comm, chosen, timeout or world.timeout, str(World.made), name, group_desc or "")


def destroy_process_group(group: ProcessGroup | None = None) -> None:
    """Destroys a group; by default all of them, after which `init_process_group` can be called again.

    All processes of the group must call it. AssertionError if there is no group, ValueError for a destroyed one.

    >>> import rushlight.distributed as dist
    >>> dist.destroy_process_group()
    >>> dist.is_initialized()
    False
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    """
    if group is GroupMember.NON_GROUP_MEMBER:
        return
    if group is None and World.default is None:
        raise AssertionError("Process group cannot be None: init_process_group has not been called, or all has ended.")
    ended = here(group)
    if ended is not World.default:
        ended.end()
        return
    World.default = None
    for made in World.groups[::-1]:
        made.end()
