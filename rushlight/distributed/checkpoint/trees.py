"""State dicts as flat dictionaries: the values in nested dictionaries and lists by the path to them."""

from collections.abc import Iterator
from typing import Any

__all__ = ["replace", "values_by_path"]


def values_by_path(tree: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The values in nested dictionaries and lists, with their paths.

    >>> dict(values_by_path({"model": {"weight": 1}, "steps": [2, 3]}))
    {'model.weight': 1, 'steps.0': 2, 'steps.1': 3}
    """
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for name, value in items:
        here = f"{path}.{name}" if path else str(name)
        if isinstance(value, (dict, list)) and value:
            yield from values_by_path(value, here)
        else:
            yield here, value


def replace(tree: Any, values: dict[str, Any], path: str = "") -> None:
    """Puts new values at the paths of old ones."""
    items = list(tree.items() if isinstance(tree, dict) else enumerate(tree))
    for name, value in items:
        here = f"{path}.{name}" if path else str(name)
        if isinstance(value, (dict, list)) and value:
            replace(value, values, here)
        elif here in values:
            tree[name] = values[here]
