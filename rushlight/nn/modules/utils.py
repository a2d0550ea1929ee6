"""Sizes that are given once or for each dimension, and keys of states: `torch.nn.modules.utils`."""

from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any

__all__ = ["consume_prefix_in_state_dict_if_present"]


def _ntuple(n: int, name: str = "parse") -> Callable[[Any], tuple[Any, ...]]:
    """A function that makes a number a tuple of `n`, and leaves tuples as they are."""

    def parse(x: Any) -> tuple[Any, ...]:
        return tuple(x) if isinstance(x, Iterable) else tuple(repeat(x, n))

    parse.__name__ = name
    return parse


_single, _pair, _triple, _quadruple = (
    _ntuple(n, name) for n, name in enumerate(("_single", "_pair", "_triple", "_quadruple"), 1)
)


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Takes a prefix off the keys of a state, in place: "module." of DistributedDataParallel, for instance.

    >>> state = {"module.weight": 1, "bias": 2}
    >>> consume_prefix_in_state_dict_if_present(state, "module.")
    >>> state
    {'bias': 2, 'weight': 1}
    """
    for keys in (state_dict, getattr(state_dict, "_metadata", {})):
        for key in [key for key in keys if f"{key}.".startswith(prefix)]:
            value = keys.pop(key)
            if key != prefix.rstrip("."):
                keys[key.removeprefix(prefix)] = value
            elif keys is not state_dict:
                keys[""] = value


def _reverse_repeat_tuple(t: Iterable[Any], n: int) -> tuple[Any, ...]:
    """The elements in reverse order, each `n` times: `F.pad` takes the paddings of layers so."""
    return tuple(x for x in reversed(list(t)) for _ in range(n))
