"""Settings of libraries that rushlight does not use: only programs read what they set."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["set_for_a_while"]


@contextmanager
def set_for_a_while(settings: dict[str, Any], **values: Any) -> Iterator[None]:
    """A context in which some of the settings have other values.

    >>> settings = {"enabled": True, "benchmark": False}
    >>> with set_for_a_while(settings, enabled=False):
    ...     settings
    {'enabled': False, 'benchmark': False}
    >>> settings
    {'enabled': True, 'benchmark': False}
    """
    before = {name: settings[name] for name in values}
    settings.update(values)
    try:
        yield
    finally:
        settings.update(before)
