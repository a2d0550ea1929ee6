"""`torch.nn.modules.utils`: sizes given once or for each dimension, and keys of state dicts."""

from typing import Any

from rushlight.nn.modules.base.making import _ntuple as _ntuple
from rushlight.nn.modules.base.making import _pair as _pair
from rushlight.nn.modules.base.making import _quadruple as _quadruple
from rushlight.nn.modules.base.making import _reverse_repeat_tuple as _reverse_repeat_tuple
from rushlight.nn.modules.base.making import _single as _single
from rushlight.nn.modules.base.making import _triple as _triple
from rushlight.tensors import Tensor

__all__ = ["consume_prefix_in_state_dict_if_present"]


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


def _list_with_default(out_size: list[int], defaults: list[int]) -> Any:
    """A size given as one number, or as a list in which None stands for the last of the defaults."""
    if isinstance(out_size, (int, Tensor)):
        return out_size
    if len(defaults) <= len(out_size):
        raise ValueError(f"Input dimension should be at least {len(out_size) + 1}")
    return [d if v is None else v for v, d in zip(out_size, defaults[-len(out_size) :], strict=False)]
