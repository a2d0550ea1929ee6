"""The activities that a profiler can record."""

from collections.abc import Iterable
from enum import Enum


class ProfilerActivity(Enum):
    """The kinds of activity in PyTorch's profiler. rushlight has only that of the CPU.

    >>> import rushlight as torch
    >>> torch.profiler.ProfilerActivity.CPU
    <ProfilerActivity.CPU: 0>
    """

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


def supported_activities() -> set[ProfilerActivity]:
    """The activities that can be recorded: those of the CPU.

    >>> import rushlight as torch
    >>> torch.profiler.ProfilerActivity.CPU in torch.profiler.supported_activities()
    True
    """
    return {ProfilerActivity.CPU}


def kineto_available() -> bool:
    """Whether PyTorch's profiling library Kineto is available: False, rushlight has its own profiler.

    >>> import rushlight as torch
    >>> torch.profiler.kineto_available()
    False
    """
    return False


def parsed(activities: Iterable[ProfilerActivity] | None) -> set[ProfilerActivity]:
    """The set of requested activities; all supported ones for None.

    ValueError for duplicates, TypeError for other values, NotImplementedError for a part of an activity.
    """
    if activities is None:
        return supported_activities()
    chosen = set()
    for activity in activities:
        if isinstance(activity, dict):
            raise NotImplementedError("rushlight records an activity as a whole: name it without a dictionary.")
        if not isinstance(activity, ProfilerActivity):
            raise TypeError(f"Expected ProfilerActivity or dict, got {type(activity)}")
        if activity in chosen:
            raise ValueError(f"Activity {activity} specified more than once")
        chosen.add(activity)
    if not chosen:
        raise AssertionError("No valid profiler activities found")
    return chosen
