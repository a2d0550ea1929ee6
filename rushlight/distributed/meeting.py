"""Joins processes into one MPI communicator, even if they are in different MPI worlds.

A process stays in one world as long as it exists: that of its launcher, or one of seats (`seats.py`). A later group may
include processes of other worlds, such as trainers and a parameter server: then the processes without a world form one,
and worlds connect to each other.
"""

import json
import os
import socket
from typing import Any

from rushlight.distributed import mpi
from rushlight.distributed.errors import DistBackendError
from rushlight.distributed.seats import Seated, take_seat
from rushlight.distributed.stores import Store
from rushlight.launch.place import place_from_launcher

__all__ = ["meet"]


def meet(rank: int, size: int, store: Store) -> Any:
    """The communicator of `size` processes that share a store, in any order. No keys are left in the store."""
    store.set(f"world/{rank}", json.dumps(whereabouts()))
    worlds = [json.loads(store.get(f"world/{other}")) for other in range(size)]
    newcomers = [other for other, (world, _) in enumerate(worlds) if not world]
    if rank in newcomers:
        take_seat(newcomers.index(rank), len(newcomers), store)
        places = list(range(len(newcomers)))
    else:
        places = [place for world, place in worlds if world == worlds[rank][0]]
    comm = connected(part_of_world(places), size, store, worlds[rank][0] == worlds[0][0])
    comm.Barrier()
    store.delete_key(f"world/{rank}")
    if rank == 0:
        store.delete_key("port")
    comm.Barrier()  # now the same keys can be used again
    return comm


def whereabouts() -> tuple[str, int]:
    """The unique name of this process's world, and its rank there; "" if it is in none."""
    MPI = mpi.load()
    if place_from_launcher() is not None:
        mpi.start()
        return "the launcher's", MPI.COMM_WORLD.rank
    if mpi.running():
        return Seated.world or f"{socket.gethostname()} {os.getpid()}", MPI.COMM_WORLD.rank
    if MPI.Is_initialized():
        raise DistBackendError(
            "This process was forked from one that takes part in MPI, and cannot take part itself: start processes "
            "with torch.multiprocessing.spawn, or before init_process_group."
        )
    return "", -1


def part_of_world(places: list[int]) -> Any:
    """The communicator of some processes of this one's world. DistBackendError if two have the same place."""
    world = mpi.load().COMM_WORLD
    if len(set(places)) < len(places):
        raise DistBackendError(
            "These processes were started by several launchers, which do not know of each other: start all with one "
            "mpiexec."
        )
    return world.Create_group(world.group.Incl(sorted(places)))


def connected(comm: Any, size: int, store: Store, is_first: bool) -> Any:
    """The communicator of all; each world has a part of it, and connects to the part with rank 0."""
    MPI = mpi.load()
    port = ""
    if comm.size < size and comm.rank == 0:
        if is_first:
            port = MPI.Open_port()
            store.set("port", port)
        else:
            port = store.get("port").decode()
    if not is_first:
        comm = merged(comm, comm.Connect(port), True)
    while comm.size < size:
        comm = merged(comm, comm.Accept(port), False)
    if is_first and port:
        MPI.Close_port(port)
    return comm


def merged(comm: Any, other: Any, after: bool) -> Any:
    """The communicator merged from two connected ones, with this one's processes before or after the others."""
    both = other.Merge(after)
    other.Free()
    comm.Free()
    return both
