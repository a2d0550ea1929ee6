"""`torch.nn.modules.utils`: sizes given once or for each dimension, and keys of state dicts."""

from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any

__all__ = ["consume_prefix_in_state_dict_if_present"]


def _ntuple(n: int, name: str = "parse") -> Callable[[Any], tuple[Any, ...]]:
    """A function that repeats a number `n` times as a tuple, and returns tuples unchanged."""

    def parse(x: Any) -> tuple[Any, ...]:
        return tuple(x) if isinstance(x, Iterable) else tuple(repeat(x, n))

    parse.__name__ = name
    return parse


_single, _pair, _triple, _quadruple = (
    _ntuple(n, name) for n, name in enumerate(("_single", "_pair", "_triple", "_quadruple"), 1)
)


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Removes a prefix from the keys of a state dict, in place: "module." of DistributedDataParallel, for example.

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
    """The elements in reverse order, each `n` times: the form in which `F.pad` takes the padding of layers."""
    return tuple(x for x in reversed(list(t)) for _ in range(n))
