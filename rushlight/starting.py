"""The start: what an import makes stays, so to look for garbage meanwhile is a tenth of its time for nothing."""

import gc

__all__ = ["WithoutCollections"]


class WithoutCollections:
    """A context in which nobody looks for garbage; at its end that is as it was before.

    >>> import gc
    >>> with WithoutCollections():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """

    __slots__ = ("_collects",)

    def __enter__(self) -> None:
        self._collects = gc.isenabled()
        gc.disable()

    def __exit__(self, *error: object) -> None:
        if self._collects:
            count_all_as_old()
            gc.enable()


def count_all_as_old() -> None:
    """All objects count as old, so that the next look for garbage among the young ones does not go through them.

    Frozen objects that are thawed again are old ones. Where a program has frozen its own, they stay frozen.
    """
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()
