"""Groups of processes: the one of all, those made of some, and who is who in them."""

import os
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, ClassVar

from rushlight.core.lines import warn
from rushlight.devices import device as device_type
from rushlight.distributed import mpi
from rushlight.distributed.addresses import store_of
from rushlight.distributed.seats import take_seat
from rushlight.distributed.stores import Store
from rushlight.launched import announce, place_from_launcher

__all__ = [
    "Backend", "GroupMember", "ProcessGroup", "default_pg_timeout", "destroy_process_group", "get_backend",
    "get_default_backend_for_device", "get_global_rank", "get_group_rank", "get_node_local_rank",
    "get_process_group_ranks", "get_rank", "get_world_size", "group", "init_process_group", "is_available",
    "is_backend_available", "is_gloo_available", "is_initialized", "is_mpi_available", "is_nccl_available",
    "is_torchelastic_launched", "is_ucc_available", "is_xccl_available", "new_group", "new_subgroups",
    "new_subgroups_by_enumeration", "split_group",
]  # fmt: skip

default_pg_timeout = timedelta(minutes=30)


class Backend(str):
    """The name of a backend, in lower case. All that run on a CPU are served by MPI.

    >>> import rushlight.distributed as dist
    >>> dist.Backend("GLOO")
    'gloo'
    """

    MPI = "mpi"
    GLOO = "gloo"
    NCCL = "nccl"
    UCC = "ucc"
    XCCL = "xccl"
    UNDEFINED = "undefined"
    backend_list: ClassVar = [UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI]

    def __new__(cls, name: str):
        """The backend of that name. ValueError for a name that PyTorch does not know either."""
        if not isinstance(name, str):
            raise ValueError(f"Backend constructor parameter must be string-ish, but got: {name}")
        value = str.__new__(cls, name.lower())
        for part in (part.split(":")[-1] for part in value.split(",")):
            if part not in cls.backend_list:
                raise ValueError(f"Invalid backend: '{name}'. Use 'mpi' or 'gloo': MPI serves both.")
            if part in (cls.NCCL, cls.UCC, cls.XCCL) and "cpu:" not in value:
                raise RuntimeError(
                    f"Distributed package doesn't have {part.upper()} built in, which needs a GPU. Use 'gloo' or 'mpi'."
                )
        return value


class ProcessGroup:
    """Some processes that communicate with each other. Made by `init_process_group` and `new_group`.

    >>> import rushlight.distributed as dist
    >>> group = dist.group.WORLD
    >>> group.rank(), group.size()
    (0, 1)
    """

    def __init__(self, comm: Any, ranks: list[int], timeout: timedelta, name: str, backend: str, description: str = ""):
        self.comm = comm
        self.ranks = ranks
        self.timeout = timeout
        self.backend = backend
        self.group_name = name
        self.group_desc = description or "undefined"
        self._number = 0

    def rank(self) -> int:
        """This process's rank in the group."""
        return self.comm.rank

    def size(self) -> int:
        """How many processes there are in the group."""
        return len(self.ranks)

    def name(self) -> str:
        """The name of the backend."""
        return self.backend

    def set_timeout(self, timeout: timedelta) -> None:
        """Sets how long communications of the group may take."""
        self.timeout = timeout

    def next_number(self) -> int:
        """Numbers the communications of the group."""
        self._number += 1
        return self._number

    def __reduce__(self):
        raise TypeError(
            "cannot pickle a ProcessGroup: it is of these processes. To save a DTensor, which has one, take "
            "torch.distributed.checkpoint, or the whole tensor that full_tensor() gives."
        )

    def __repr__(self):
        return f"<ProcessGroup {self.group_name!r} on MPI, ranks {self.ranks}>"


class World:
    """What this process knows: the group of all, and the others that it is in."""

    default: ProcessGroup | None = None
    made = 0  # groups, which are named by number


class _GroupMeta(type):
    @property
    def WORLD(cls) -> ProcessGroup | None:
        """The group of all processes, once there is one."""
        return World.default


class group(metaclass=_GroupMeta):
    """`group.WORLD`: the group of all processes.

    >>> import rushlight.distributed as dist
    >>> dist.group.WORLD.size()
    1
    """


class GroupMember(metaclass=_GroupMeta):
    """`GroupMember.NON_GROUP_MEMBER`: what `new_group` gives those that are not in it.

    >>> import rushlight.distributed as dist
    >>> dist.GroupMember.WORLD is dist.group.WORLD
    True
    """

    NON_GROUP_MEMBER = -100


def is_available() -> bool:
    """True: `torch.distributed` is there. Whether MPI is, `is_mpi_available()` tells.

    >>> import rushlight.distributed as dist
    >>> dist.is_available()
    True
    """
    return True


def is_mpi_available() -> bool:
    """Whether MPI can be loaded: mpi4py and the MPI library under it.

    >>> import rushlight.distributed as dist
    >>> dist.is_gloo_available()
    True
    """
    return mpi.available()


is_gloo_available = is_mpi_available


def is_nccl_available() -> bool:
    """False: there are no GPUs.

    >>> import rushlight.distributed as dist
    >>> dist.is_nccl_available()
    False
    """
    return False


is_ucc_available = is_xccl_available = is_nccl_available


def is_backend_available(backend: str) -> bool:
    """Whether communication by the name of that backend works.

    >>> import rushlight.distributed as dist
    >>> dist.is_backend_available("gloo"), dist.is_backend_available("nccl")
    (True, False)
    """
    return backend.lower() in ("mpi", "gloo") and mpi.available()


def get_default_backend_for_device(device: str | device_type) -> str:
    """The backend that `init_process_group` takes for a device: "gloo" for the CPU. ValueError for one without.

    >>> import rushlight.distributed as dist
    >>> dist.get_default_backend_for_device("cpu")
    'gloo'
    """
    name = (device if isinstance(device, device_type) else device_type(device)).type
    found = {"cpu": "gloo", "cuda": "nccl", "mps": "gloo", "xpu": "xccl"}.get(name)
    if found is None:
        raise ValueError(f"Default backend not registered for device : {device}")
    return found


def is_initialized() -> bool:
    """Whether `init_process_group` has been called.

    >>> import rushlight.distributed as dist
    >>> dist.is_initialized()
    True
    """
    return World.default is not None


def is_torchelastic_launched() -> bool:
    """Whether `torchrun` of PyTorch started this process.

    >>> import rushlight.distributed as dist
    >>> dist.is_torchelastic_launched()
    False
    """
    return "TORCHELASTIC_RUN_ID" in os.environ


def init_process_group(
    backend: str | None = None, init_method: str | None = None, timeout: timedelta | None = None,
    world_size: int = -1, rank: int = -1, store: Store | None = None, group_name: str = "", pg_options: Any = None,
    device_id: Any = None,
) -> None:  # fmt: skip
    """Makes this process one of a group that communicate with each other, over MPI.

    Processes that `mpiexec` or `rushlight launch` started need no arguments. Those of one machine that were started
    otherwise (`torch.multiprocessing.spawn`, `Process`) find each other by `init_method` ("env://", "tcp://host:port",
    "file:///path") or `store`, and need `rank` and `world_size`, as arguments or in the environment.

    `timeout` (30 minutes) limits every communication of the group. `backend` is "mpi" or "gloo"; MPI serves both.
    ValueError where it was called before or the arguments do not fit, RuntimeError where there is no MPI.

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
    if timeout is not None and not isinstance(timeout, timedelta):
        raise TypeError(f"Expected timeout argument to be of type datetime.timedelta, got {timeout}")
    name = Backend(backend or "gloo")
    limit = timeout or default_pg_timeout
    comm = join(init_method, world_size, rank, store, limit)
    World.default = ProcessGroup(comm, list(range(comm.size)), limit, group_name or "0", name, "default_pg")


def join(init_method, world_size, rank, store, timeout):
    """The communicator of all processes, in the order of their ranks."""
    place = place_from_launcher()
    if place is not None:
        announce()
        world = mpi.start().COMM_WORLD
        if world.size != place.size:
            raise RuntimeError(
                f"The launcher started {place.size} processes, but MPI knows of {world.size}: this mpiexec is of "
                f"another MPI than mpi4py's ({mpi.load().get_vendor()[0]}). Start with `rushlight launch`."
            )
        if world_size not in (-1, world.size):
            raise ValueError(f"world_size is {world_size}, but mpiexec started {world.size} processes.")
        return world.Split(0, world.rank if rank < 0 else rank)
    store, rank, world_size = store_of(init_method, world_size, rank, store, timeout)
    if world_size == 1:
        return mpi.start().COMM_SELF.Dup()
    assert store is not None
    world = take_seat(rank, world_size, store).COMM_WORLD
    return world.Split(0, rank)


def member(given: ProcessGroup | int | None) -> ProcessGroup | None:
    """The group that a call is about; None, with a warning, where this process is not in it.

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
        raise TypeError(f"group has to be a ProcessGroup, but got {type(given).__name__}")
    return given


def here(given: ProcessGroup | None) -> ProcessGroup:
    """The group that a question is about: the one of all by default. ValueError before `init_process_group`."""
    found = member(given)
    assert found is not None
    return found


def get_rank(group: ProcessGroup | None = None) -> int:
    """This process's rank in a group, by default the one of all; -1 if it is not in it.

    >>> import rushlight.distributed as dist
    >>> dist.get_rank()
    0
    """
    return -1 if group is GroupMember.NON_GROUP_MEMBER else here(group).rank()


def get_world_size(group: ProcessGroup | None = None) -> int:
    """How many processes there are in a group, by default the one of all; -1 if this one is not in it.

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
    """This process's rank among those of its machine. RuntimeError where LOCAL_RANK is not set and none is given.

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


def get_process_group_ranks(group: ProcessGroup | None) -> list[int]:
    """The ranks of a group's processes among all.

    >>> import rushlight.distributed as dist
    >>> dist.get_process_group_ranks(dist.group.WORLD)
    [0]
    """
    return list(here(group).ranks)


def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """The rank among all of the process that has a rank in a group. ValueError where the group has no such rank.

    >>> import rushlight.distributed as dist
    >>> dist.get_global_rank(dist.group.WORLD, 0)
    0
    """
    ranks = here(group).ranks
    if not 0 <= group_rank < len(ranks):
        raise ValueError(f"Group rank {group_rank} is not part of group {group}")
    return ranks[group_rank]


def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """The rank in a group of the process that has a rank among all. ValueError where it is not in the group.

    >>> import rushlight.distributed as dist
    >>> dist.get_group_rank(dist.group.WORLD, 0)
    0
    """
    ranks = here(group).ranks
    if global_rank not in ranks:
        raise ValueError(f"Global rank {global_rank} is not part of group {group}")
    return ranks.index(global_rank)


def new_group(
    ranks: Sequence[int] | None = None, timeout: timedelta | None = None, backend: str | None = None,
    pg_options: Any = None, use_local_synchronization: bool = False, group_desc: str | None = None,
    device_id: Any = None, sort_ranks: bool = True,
) -> ProcessGroup | int:  # fmt: skip
    """Makes a group of some processes, by their ranks among all; `GroupMember.NON_GROUP_MEMBER` for the others.

    All processes have to call it, or, with `use_local_synchronization`, those in it. ValueError for ranks that there
    are not, or that come twice.

    >>> import rushlight.distributed as dist
    >>> pair = dist.new_group([0])
    >>> dist.get_process_group_ranks(pair)
    [0]
    """
    world = here(None)
    chosen = list(range(world.size())) if ranks is None else sorted(ranks) if sort_ranks else list(ranks)
    if len(set(chosen)) != len(chosen):
        raise ValueError("the new group's ranks must be unique")
    if len(chosen) > world.size() or any(not 0 <= rank < world.size() for rank in chosen):
        raise ValueError(
            "The new group's rank should be within the world_size set by init_process_group: "
            f"ranks are 0 to {world.size() - 1}, got {chosen}"
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


def new_subgroups_by_enumeration(
    ranks_per_subgroup_list: Sequence[Sequence[int]], timeout: timedelta | None = None, backend: str | None = None,
    pg_options: Any = None, group_desc: str | None = None,
) -> tuple[ProcessGroup | int | None, list[ProcessGroup | int]]:  # fmt: skip
    """Makes a group of each list of ranks; gives this process's own, and all. ValueError for a rank in two.

    >>> import rushlight.distributed as dist
    >>> mine, every = dist.new_subgroups_by_enumeration([[0]])
    >>> dist.get_process_group_ranks(mine)
    [0]
    """
    flat = [rank for ranks in ranks_per_subgroup_list for rank in ranks]
    if not flat:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    if len(set(flat)) != len(flat):
        raise ValueError("Some ranks are in more than one subgroup: subgroups must not overlap.")
    groups = [
        new_group(ranks, timeout, backend, pg_options, group_desc=group_desc) for ranks in ranks_per_subgroup_list
    ]
    own = next((made for made in groups if made is not GroupMember.NON_GROUP_MEMBER), None)
    return own, groups


def new_subgroups(
    group_size: int | None = None, group: ProcessGroup | None = None, timeout: timedelta | None = None,
    backend: str | None = None, pg_options: Any = None, group_desc: str | None = None,
) -> tuple[ProcessGroup | int | None, list[ProcessGroup | int]]:  # fmt: skip
    """Makes groups of neighbours of equal size, by default those of one machine; gives this process's own, and all.

    ValueError if the size does not divide the number of processes.

    >>> import rushlight.distributed as dist
    >>> mine, every = dist.new_subgroups(group_size=1)
    >>> mine.size(), len(every)
    (1, 1)
    """
    size = int(os.environ.get("LOCAL_WORLD_SIZE", 1)) if group_size is None else group_size
    ranks = here(group).ranks
    if not 0 < size <= len(ranks):
        raise ValueError(f"The arg 'group_size' ({size}) must not exceed the world size ({len(ranks)})")
    if len(ranks) % size:
        raise ValueError(f"The world size ({len(ranks)}) must be divisible by 'group_size={size}'")
    parts = [ranks[start : start + size] for start in range(0, len(ranks), size)]
    return new_subgroups_by_enumeration(parts, timeout, backend, pg_options, group_desc)


def split_group(
    parent_pg: ProcessGroup | None = None, split_ranks: list[list[int]] | None = None,
    timeout: timedelta | None = None, pg_options: Any = None, group_desc: str | None = None,
    backend: str | None = None,
) -> ProcessGroup | None:  # fmt: skip
    """Splits a group into parts by lists of ranks in it; gives the part of this process, None if it is in none.

    >>> import rushlight.distributed as dist
    >>> mine = dist.split_group(split_ranks=[[0]])
    >>> mine.size()
    1
    """
    parent = here(parent_pg)
    if not split_ranks:
        raise ValueError("split_ranks cannot be None or empty")
    color = next((i for i, ranks in enumerate(split_ranks) if parent.rank() in ranks), None)
    World.made += 1
    if color is None:
        parent.comm.Split(mpi.load().UNDEFINED)
        return None
    ranks = split_ranks[color]
    comm = parent.comm.Split(color, ranks.index(parent.rank()))
    chosen = [parent.ranks[rank] for rank in ranks]
    return ProcessGroup(
        comm, chosen, timeout or parent.timeout, str(World.made), backend or parent.backend, group_desc or ""
    )


def destroy_process_group(group: ProcessGroup | None = None) -> None:
    """Ends a group; by default the one of all, after which `init_process_group` may make a new one.

    >>> import rushlight.distributed as dist
    >>> dist.destroy_process_group()
    >>> dist.is_initialized()
    False
    >>> dist.init_process_group("gloo", rank=0, world_size=1)
    """
    if group is GroupMember.NON_GROUP_MEMBER:
        return
    ended = here(group)
    if ended is World.default:
        World.default = None
