"""Checks that all processes of a group make the same call, before each call if TORCH_DISTRIBUTED_DEBUG=DETAIL.

In MPI different calls are undefined behaviour: wrong numbers, an error somewhere else, or a deadlock.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rushlight.distributed.reduce_ops import ReduceOp
from rushlight.distributed.work import Work
from rushlight.tensors import Tensor

if TYPE_CHECKING:
    from rushlight.distributed.groups import ProcessGroup

__all__ = ["DebugLevel", "get_debug_level", "set_debug_level", "set_debug_level_from_env"]

VARIABLE = "TORCH_DISTRIBUTED_DEBUG"


class DebugLevel(Enum):
    """How closely communication is checked. With DETAIL each collective is first compared between the processes.

    >>> import rushlight.distributed as dist
    >>> list(dist.DebugLevel)
    [<DebugLevel.OFF: 0>, <DebugLevel.INFO: 1>, <DebugLevel.DETAIL: 2>]
    """

    OFF = 0
    INFO = 1
    DETAIL = 2


class Setting:
    """The debug level of this process, and the watchers of its calls."""

    level = DebugLevel.OFF
    namespace = "c10d"  # the namespace of the present calls in PyTorch's dispatcher
    watchers: ClassVar[list[Callable[[str, str], object]]] = []  # called with namespace and name of each call


@contextmanager
def functional() -> Iterator[None]:
    """A context in which calls count as functional collectives, as PyTorch makes them for DTensors."""
    before, Setting.namespace = Setting.namespace, "c10d_functional"
    try:
        yield
    finally:
        Setting.namespace = before


def get_debug_level() -> DebugLevel:
    """The level: that of TORCH_DISTRIBUTED_DEBUG, or the one set since.

    >>> import rushlight.distributed as dist
    >>> dist.get_debug_level()
    <DebugLevel.OFF: 0>
    """
    return Setting.level


def set_debug_level(level: DebugLevel) -> None:
    """Sets the level, which must be the same in all processes.

    >>> import rushlight.distributed as dist
    >>> dist.set_debug_level(dist.DebugLevel.DETAIL)
    >>> dist.barrier()  # compared before
    >>> dist.set_debug_level(dist.DebugLevel.OFF)
    """
    Setting.level = DebugLevel(level)


def set_debug_level_from_env() -> None:
    """Sets the level to that of TORCH_DISTRIBUTED_DEBUG. RuntimeError for an unknown one.

    >>> import rushlight.distributed as dist
    >>> dist.set_debug_level_from_env()
    >>> dist.get_debug_level()
    <DebugLevel.OFF: 0>
    """
    name = os.environ.get(VARIABLE) or "OFF"
    if name.upper() not in DebugLevel.__members__:
        raise RuntimeError(f"The value of {VARIABLE} must be OFF, INFO, or DETAIL, but it is {name!r}.")
    Setting.level = DebugLevel[name.upper()]


set_debug_level_from_env()


def agree(
    group: "ProcessGroup",
    name: str,
    tensors: Sequence[Tensor] = (),
    op: ReduceOp | None = None,
    root: int | None = None,
) -> None:
    """Tells watchers of a call; with DETAIL, waits until all processes of the group have told what they call.

    RuntimeError in each if calls, shapes, dtypes, operations or roots differ: it names the ranks and the difference.
    """
    for watch in Setting.watchers:
        watch(Setting.namespace, name)
    if Setting.level is not DebugLevel.DETAIL:
        return
    parts = [f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}" for tensor in tensors]
    parts += [f"op={op.name}"] if op is not None else []
    parts += [f"root={group.ranks[root]}"] if root is not None else []
    calls = gathered(group, name, f"{name}({', '.join(parts)})")
    for rank, call in enumerate(calls):
        if call != calls[0]:
            raise RuntimeError(
                f"Detected mismatch between collectives on ranks. Rank {group.ranks[0]} is running collective: "
                f"{calls[0]}, but Rank {group.ranks[rank]} is running collective: {call}. All ranks have to make the "
                "same calls in the same order, with tensors of the same shape and dtype."
            )


def gathered(group: "ProcessGroup", name: str, text: str) -> list[str]:
    """Gathers a text from each process of a group."""
    own = np.frombuffer(text.encode(), np.uint8)
    sizes = np.empty(group.size(), np.int64)
    Work(group, name, [group.comm.Iallgather(np.array([own.size]), sizes)]).wait()
    everything = np.empty(sizes.sum(), np.uint8)
    Work(group, name, [group.comm.Iallgatherv(own, [everything, sizes.tolist()])]).wait()
    return [part.tobytes().decode() for part in np.split(everything, np.cumsum(sizes)[:-1])]
