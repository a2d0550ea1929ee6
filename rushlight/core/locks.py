"""Locks that are free again in a forked child, where the threads that held them no longer exist."""

import os
from _thread import RLock
from _thread import allocate_lock as Lock  # `threading` calls it `Lock`
from collections.abc import Callable
from typing import Any
from weakref import WeakSet

LOCKS: WeakSet[Any] = WeakSet()


def lock() -> Any:
    """A lock that forked children find free."""
    return freed_by_forks(Lock())


def reentrant_lock() -> Any:
    """A reentrant lock that forked children find free, unless the forking thread holds it."""
    return freed_by_forks(RLock())


def freed_by_forks(made: Any) -> Any:
    """Makes another lock, such as that of NumPy's bit generator, free in forked children too; returns it."""
    LOCKS.add(made)
    return made


def renew() -> None:
    """Frees all locks in a forked child, except the reentrant ones that the forking thread holds itself."""
    for held in LOCKS:
        if not (hasattr(held, "_is_owned") and held._is_owned()):
            held._at_fork_reinit()


def awaited_by_forks(made: Any) -> Any:
    """Makes forks wait for a reentrant lock, so that children see finished work; returns the lock."""
    around_forks(before=made.acquire, after_in_parent=made.release, after_in_child=made.release)
    return made


def around_forks(**calls: Callable[[], Any]) -> None:
    """Registers functions to call `before` forks, `after_in_parent` and `after_in_child`; Windows has no forks."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(**calls)


around_forks(after_in_child=renew)
