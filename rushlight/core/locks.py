"""Locks that a fork leaves free in the child, where the threads that held them are no more."""

import os
from threading import Lock, RLock
from typing import Any
from weakref import WeakSet

LOCKS: WeakSet[Any] = WeakSet()
REENTRANT: WeakSet[Any] = WeakSet()


def lock():
    """A lock."""
    made = Lock()
    LOCKS.add(made)
    return made


def reentrant_lock():
    """A lock that the thread that holds it may take again."""
    made = RLock()
    REENTRANT.add(made)
    return made


def renew():
    """Frees all locks in the child of a fork, but those that the thread that forked holds itself."""
    for held in LOCKS:
        held._at_fork_reinit()
    for held in REENTRANT:
        if not held._is_owned():
            held._at_fork_reinit()


os.register_at_fork(after_in_child=renew)
