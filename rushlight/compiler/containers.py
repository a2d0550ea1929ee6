"""Lists, dicts and dataclasses in arguments and results: a replay changes none, and makes new ones for results."""

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from rushlight.compiler.codes import AT_INDEX, ATTRIBUTE, IN_DICT, LENGTH
from rushlight.compiler.guards import Place
from rushlight.compiler.memories import Unrecordable


def containers_in(value: Any) -> Iterator[Any]:
    """The mutable containers (lists, dicts, dataclasses) in arguments or a result."""
    if type(value) in (list, tuple):
        items = list(value)
    elif type(value) is dict:
        items = list(value.values())
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        items = list(value)
    elif is_dataclass(value) and not isinstance(value, type):
        items = [getattr(value, field.name) for field in fields(value)]
    else:
        return
    if not isinstance(value, tuple):
        yield value
    for item in items:
        yield from containers_in(item)


def places_in(arguments: Any) -> Iterator[Place]:
    """The places in containers among arguments, with what they hold."""
    for one in containers_in(arguments):
        if type(one) is list:
            yield Place(LENGTH, one, None, len(one), True)
            yield from [Place(AT_INDEX, one, i, item, False) for i, item in enumerate(one)]
        elif type(one) is dict:
            yield Place(LENGTH, one, None, len(one), True)
            yield from [Place(IN_DICT, one, key, item, False) for key, item in one.items()]
        else:
            yield from [Place(ATTRIBUTE, one, field.name, getattr(one, field.name), False) for field in fields(one)]


def check_containers(result: Any, known: Iterable[int]) -> None:
    """Unrecordable if a result has the same container twice, or one that existed before: a replay makes new ones.

    `known` has the ids of those that existed before.
    """
    found = [id(one) for one in containers_in(result)]
    if len(set(found)) < len(found) or not set(found).isdisjoint(known):
        raise Unrecordable("it returns a list or dict twice, or one that was there before")
