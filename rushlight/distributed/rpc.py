"""Calls in other processes: rushlight has none, and programs that ask `is_available` are told so."""

from rushlight.absent.misses import explain_misses as _explain_misses

__all__ = ["is_available"]


def is_available() -> bool:
    """False: processes communicate by collectives over MPI."""
    return False


_explain_misses(globals())
