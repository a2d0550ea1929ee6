"""Starting up: pauses garbage collection during the import, where it takes a tenth of the time and finds nothing."""

import gc

__all__ = ["WithoutCollections"]


class WithoutCollections:
    """A context without garbage collection; at its end collection is enabled again if it was before.

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
    """Moves all objects to the oldest generation, so that the next collection of young objects does not visit them.

    Objects that are frozen and unfrozen count as old. If a program has frozen objects, they stay frozen.
    """
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()
