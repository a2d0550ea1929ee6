"""`Join`: training continues when some processes have run out of inputs.

A process that is done takes part in the others' communication with zeros, until all are done.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from rushlight.core.graph import new_tensor
from rushlight.core.lines import warn
from rushlight.distributed.collectives import all_reduce, barrier
from rushlight.distributed.groups import ProcessGroup
from rushlight.distributed.work import Work

__all__ = ["Join", "JoinHook", "Joinable"]

MANY = 1000  # the iteration at which a warning mentions the cost


class JoinHook:
    """What a process does instead of an object's communication once it has run out of inputs."""

    def main_hook(self) -> None:
        """Takes part in the communication of one iteration of the others."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """Called when all processes are done."""


class Joinable(ABC):
    """An object whose communication finished processes can answer: a wrapped module, an optimizer."""

    _join_config: "dict[str, Any] | None" = None

    @abstractmethod
    def join_hook(self, **kwargs: Any) -> JoinHook:
        """The hook for the object; the arguments are those of `Join`."""

    @property
    @abstractmethod
    def join_device(self) -> Any:
        """The device of the communication."""

    @property
    @abstractmethod
    def join_process_group(self) -> ProcessGroup:
        """The group of the communication."""


class Join:
    """`with Join([model]):` around a training loop whose number of iterations differs from process to process.

    With `throw_on_early_termination=True` all processes raise a RuntimeError as soon as one is done.
    """

    def __init__(
        self, joinables: list[Joinable], enable: bool = True, throw_on_early_termination: bool = False, **kwargs: Any
    ):
        if not joinables:
            raise ValueError("The join context manager requires at least one joinable")
        self._joinables, self._enable, self._throw = joinables, enable, throw_on_early_termination
        self._hooks = [joinable.join_hook(**kwargs) for joinable in joinables]
        self._group = joinables[0].join_process_group
        for joinable in joinables:
            joinable._join_config = {
                "enable": enable,
                "throw": throw_on_early_termination,
                "first": joinables[0],
                "options": kwargs,
            }

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        """Takes part in the others' communication until they are done too."""
        if self._enable and kind is None:
            self._wait_for_all()
        for joinable in self._joinables:
            joinable._join_config = None

    def _wait_for_all(self) -> None:
        last, rounds = True, 0
        while count(self._group, 0):
            if self._throw:
                count(self._group, 1)
                raise RuntimeError(EARLY)
            rounds += 1
            if rounds == MANY:
                warn(
                    f"Detected uneven input skew of greater than {MANY}. This means that rank {self._group.rank()} has "
                    f"at least {MANY} fewer inputs than other currently-active ranks. This level of skew could lead to "
                    "performance degradation during training.",
                )
            for hook in self._hooks:
                hook.main_hook()
            last = False
        barrier(self._group)
        for hook in self._hooks:
            hook.post_hook(last)

    @staticmethod
    def notify_join_context(joinable: Joinable) -> Work | None:
        """Tells finished processes that this one makes another iteration; called once per iteration.

        RuntimeError if a process is done and `throw_on_early_termination` is set.
        """
        config = joinable._join_config
        if config is None or not config["enable"] or config["first"] is not joinable:
            return None
        group = joinable.join_process_group
        work = all_reduce(new_tensor(np.ones(1, np.int64)), group=group, async_op=True)
        if config["throw"] and count(group, 0):
            raise RuntimeError(EARLY)
        return work


EARLY = "Detected at least one rank that exhausted inputs. Throwing across all ranks."


def count(group: ProcessGroup, mine: int) -> int:
    """The sum over the group of a number from each process: how many continue, or how many are done."""
    total = new_tensor(np.array([mine], np.int64))
    all_reduce(total, group=group)
    return total._array.item()
