"""State dicts as flat dictionaries: the values in nested dictionaries and lists, by path."""

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["Path", "paths_of", "replace", "text_of", "tree_of", "values_by_path"]

Path = tuple[str | int, ...]  # keys of dictionaries, as text, and places in lists


def paths_of(tree: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The values in nested dictionaries and lists, with the steps to them."""
    steps = ((str(key), value) for key, value in tree.items()) if isinstance(tree, dict) else enumerate(tree)
    for step, value in steps:
        here = (*path, step)
        if isinstance(value, (dict, list)) and value:
            yield from paths_of(value, here)
        else:
            yield here, value


def text_of(path: Path) -> str:
    """A path as text, with points between steps."""
    return ".".join(map(str, path))


def tree_of(values: Mapping[Path, Any]) -> Any:
    """Nested dictionaries and lists from the values in them.

    >>> tree_of({("model", "weight"): 1, ("steps", 0): 2, ("steps", 1): 3})
    {'model': {'weight': 1}, 'steps': [2, 3]}
    """
    if () in values:
        return values[()]
    below: dict[str | int, dict[Path, Any]] = {}
    for (step, *rest), value in values.items():
        below.setdefault(step, {})[tuple(rest)] = value
    trees = {step: tree_of(inner) for step, inner in below.items()}
    if trees and all(isinstance(step, int) for step in trees):
        return [trees[place] for place in sorted(trees)]
    return trees


def values_by_path(tree: Any) -> Iterator[tuple[str, Any]]:
    """The values in nested dictionaries and lists, with their paths as text.

    >>> dict(values_by_path({"model": {"weight": 1}, "steps": [2, 3]}))
    {'model.weight': 1, 'steps.0': 2, 'steps.1': 3}
    """
    return ((text_of(path), value) for path, value in paths_of(tree))


def replace(tree: Any, values: dict[str, Any], path: str = "") -> None:
    """Replaces the values at given paths."""
    items = list(tree.items() if isinstance(tree, dict) else enumerate(tree))
    for name, value in items:
        here = f"{path}.{name}" if path else str(name)
        if isinstance(value, (dict, list)) and value:
            replace(value, values, here)
        elif here in values:
            tree[name] = values[here]
