"""Locks that a fork leaves free in the child, where the threads that held them are no more."""

import os
from _thread import RLock
from _thread import allocate_lock as Lock  # what `threading` names so
from collections.abc import Callable
from typing import Any
from weakref import WeakSet

LOCKS: WeakSet[Any] = WeakSet()


def lock() -> Any:
    """A lock."""
    return freed_by_forks(Lock())


def reentrant_lock() -> Any:
    """A lock that the thread that holds it may take again."""
    return freed_by_forks(RLock())


def freed_by_forks(made: Any) -> Any:
    """Makes a lock, such as NumPy's of a bit generator, free in the children of forks too; returns it."""
    LOCKS.add(made)
    return made


def renew() -> None:
    """Frees all locks in the child of a fork, but the reentrant ones that the thread that forked holds itself."""
    for held in LOCKS:
        if not (hasattr(held, "_is_owned") and held._is_owned()):
            held._at_fork_reinit()


def awaited_by_forks(made: Any) -> Any:
    """Makes forks wait for a reentrant lock: what is done under it is whole in their children; returns it."""
    around_forks(before=made.acquire, after_in_parent=made.release, after_in_child=made.release)
    return made


def around_forks(**calls: Callable[[], Any]) -> None:
    """Has functions called `before` forks, `after_in_parent` and `after_in_child`; Windows has no forks."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(**calls)


around_forks(after_in_child=renew)
