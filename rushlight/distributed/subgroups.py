"""Making several groups at once: by lists of ranks, of neighbours, by splitting a group."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from rushlight.distributed import mpi
from rushlight.distributed.groups import GroupMember, ProcessGroup, World, here, new_group
from rushlight.launch.place import processes_here

__all__ = ["new_subgroups", "new_subgroups_by_enumeration", "split_group"]


def new_subgroups_by_enumeration(
    ranks_per_subgroup_list: Sequence[Sequence[int]],
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[ProcessGroup | int | None, list[ProcessGroup | int]]:
    """Makes a group of each list of ranks; returns this process's own, and all. ValueError for a rank in two lists.

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
    group_size: int | None = None,
    group: ProcessGroup | None = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[ProcessGroup | int | None, list[ProcessGroup | int]]:
    """Makes groups of neighbours of equal size, by default one per machine; returns this process's own, and all.

    ValueError if the size does not divide the number of processes.

    >>> import rushlight.distributed as dist
    >>> mine, every = dist.new_subgroups(group_size=1)
    >>> mine.size(), len(every)
    (1, 1)
    """
    size = processes_here() if group_size is None else group_size
    ranks = here(group).ranks
    if not 0 < size <= len(ranks):
        raise ValueError(f"The arg 'group_size' ({size}) must not exceed the world size ({len(ranks)})")
    if len(ranks) % size:
        raise ValueError(f"The world size ({len(ranks)}) must be divisible by 'group_size={size}'")
    parts = [ranks[start : start + size] for start in range(0, len(ranks), size)]
    return new_subgroups_by_enumeration(parts, timeout, backend, pg_options, group_desc)


def split_group(
    parent_pg: ProcessGroup | None = None,
    split_ranks: list[list[int]] | None = None,
    timeout: timedelta | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
    backend: str | None = None,
) -> ProcessGroup | None:
    """Splits a group by lists of its ranks; returns the part of this process, None if it is in none.

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
