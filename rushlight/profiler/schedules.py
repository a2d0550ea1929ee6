"""When a loop's profiler waits, warms up and records."""

from collections.abc import Callable
from enum import Enum

from rushlight.core.lines import warn


class ProfilerAction(Enum):
    """What a profiler does in a step; RECORD_AND_SAVE is the last step of a recording.

    >>> import rushlight as torch
    >>> torch.profiler.schedule(wait=1, warmup=1, active=1)(1)
    <ProfilerAction.WARMUP: 1>
    """

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """A schedule for `profile`: skips `skip_first` steps, then repeatedly waits, warms up and records.

    The phases last `wait`, `warmup` and `active` steps; `repeat` is the number of rounds, 0 for no limit. With
    `skip_first_wait` the first round does not wait. AssertionError for negative numbers, and for `active` below 1.

    >>> import rushlight as torch
    >>> plan = torch.profiler.schedule(wait=1, warmup=1, active=2, repeat=1)
    >>> [plan(step).name for step in range(6)]
    ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE', 'NONE', 'NONE']
    """
    if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), "
            f"active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0)."
        )
    if warmup == 0:
        warn("Profiler won't be using warmup, this can skew profiler results")
    length = wait + warmup + active

    def action(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        done, place = divmod(step - skip_first + (wait if skip_first_wait else 0), length)
        if (0 < repeat <= done) or place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < length - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


def always(step: int) -> ProfilerAction:
    """The default without a schedule: always record."""
    return ProfilerAction.RECORD
