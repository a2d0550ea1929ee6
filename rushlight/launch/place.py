"""What the launcher tells a process: its rank, and the number of processes."""

import multiprocessing
import os
from typing import NamedTuple

__all__ = ["Place", "announce", "place_from_launcher", "processes_here"]

# The variables of launchers: rank, world size, local rank, local world size.
MPI_LAUNCHERS = [
    ("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"),  # MPICH, Intel MPI
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"),
    ("PMIX_RANK", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_NTASKS_PER_NODE"),
]


class Place(NamedTuple):
    """The rank and world size of a process."""

    rank: int
    size: int
    local_rank: int
    local_size: int


def place_from_launcher() -> Place | None:
    """The place that `mpiexec` or `srun` gave this process; None if they did not start it."""
    if multiprocessing.parent_process() is not None:
        return None
    for rank, size, local_rank, local_size in MPI_LAUNCHERS:
        if rank in os.environ and size in os.environ:
            place = int(os.environ[rank]), int(os.environ[size])
            return Place(*place, int(os.environ.get(local_rank, place[0])), int(os.environ.get(local_size, place[1])))
    return None


def processes_here() -> int:
    """The number of processes that were started together on this machine; 1 if unknown."""
    return int(os.environ.get("LOCAL_WORLD_SIZE", 1))


def announce() -> Place | None:
    """Sets the variables that `torchrun` sets (RANK, WORLD_SIZE, LOCAL_RANK, ...) from those of the launcher.

    Variables that are already set are kept. Returns the place, or None without a launcher.
    """
    place = place_from_launcher()
    if place is not None:
        for name, value in (
            ("RANK", place.rank),
            ("WORLD_SIZE", place.size),
            ("LOCAL_RANK", place.local_rank),
            ("LOCAL_WORLD_SIZE", place.local_size),
            ("GROUP_RANK", place.rank // place.local_size),
            ("GROUP_WORLD_SIZE", -(-place.size // place.local_size)),
            ("ROLE_RANK", place.rank),
            ("ROLE_WORLD_SIZE", place.size),
            ("MASTER_ADDR", "127.0.0.1"),
            ("MASTER_PORT", 29500),
        ):
            os.environ.setdefault(name, str(value))
    return place
