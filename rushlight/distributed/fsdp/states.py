"""State dicts of modules in `FullyShardedDataParallel`: with the names that parameters have without it."""

from typing import Any

from rushlight.distributed.checkpoint.state_dict import PREFIX, SHARDS, plain_name, rows_for
from rushlight.distributed.fsdp.api import StateDictType
from rushlight.distributed.groups import get_rank
from rushlight.distributed.tensor.sharded import DTensor

__all__ = ["give_state", "take_state"]


def give_state(module: Any, state: dict[str, Any], prefix: str, local_metadata: Any) -> None:
    """Renames a wrapped module's entries of a state dict; they are whole or sharded according to its settings."""
    settings = module._state_dict_settings
    full = settings.state_dict_type is StateDictType.FULL_STATE_DICT and not SHARDS.get()
    left_out = full and settings.state_dict_config.rank0_only and get_rank() != 0
    shapes = {name: place.shape for name, place in places_of(module).items()}
    for key in [key for key in state if key.startswith(prefix + PREFIX)]:
        value, name = state.pop(key), key[len(prefix + PREFIX) :]
        if full and isinstance(value, DTensor):
            value = value.full_tensor()
            value = value.reshape(shapes[name]) if name in shapes else value
        if name in module._buffer_types:
            value = value.to(module._buffer_types[name])
        if not left_out:
            state[prefix + name] = value


def take_state(
    module: Any,
    state: dict[str, Any],
    prefix: str,
    local_metadata: Any,
    strict: bool,
    missing_keys: list[str],
    unexpected_keys: list[str],
    error_msgs: list[str],
) -> None:
    """Renames entries of a state dict to those of a wrapped module, cut to this process's rows."""
    places = places_of(module)
    for key in [key for key in state if key.startswith(prefix)]:
        name = key[len(prefix) :]
        value = state.pop(key)
        state[prefix + PREFIX + name] = rows_for(places[name].sharded, value) if name in places else value


def places_of(module: Any) -> dict[str, Any]:
    """The module's own parameters, by their names without the wrapper."""
    places = {id(place.sharded): place for place in module._shards.places}
    named = module._fsdp_wrapped_module.named_parameters(remove_duplicate=False)
    return {plain_name(name): places[id(own)] for name, own in named if id(own) in places}
