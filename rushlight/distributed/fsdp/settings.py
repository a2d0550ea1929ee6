"""The state dict type of modules in `FullyShardedDataParallel`: stored in each, set for a whole subtree."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.distributed.fsdp.api import (
    FullOptimStateDictConfig,
    FullStateDictConfig,
    OptimStateDictConfig,
    ShardedOptimStateDictConfig,
    ShardedStateDictConfig,
    StateDictConfig,
    StateDictSettings,
    StateDictType,
)
from rushlight.nn.modules.module import Module

__all__ = ["DEFAULT", "get_state_dict_type", "set_state_dict_type", "state_dict_type"]

CONFIGS: dict[StateDictType, tuple[type[StateDictConfig], type[OptimStateDictConfig]]] = {
    StateDictType.FULL_STATE_DICT: (FullStateDictConfig, FullOptimStateDictConfig),
    StateDictType.SHARDED_STATE_DICT: (ShardedStateDictConfig, ShardedOptimStateDictConfig),
}
DEFAULT = StateDictSettings(StateDictType.FULL_STATE_DICT, FullStateDictConfig(), FullOptimStateDictConfig())


def wrapped_below(module: Module) -> list[Any]:
    """The modules in `FullyShardedDataParallel` below a module, including itself."""
    return [part for part in module.modules() if "_state_dict_settings" in part.__dict__]


def get_state_dict_type(module: Module) -> StateDictSettings:
    """The state dict type of a module and its submodules. RuntimeError if these differ."""
    found = [part._state_dict_settings for part in wrapped_below(module)]
    if any(settings != found[0] for settings in found):
        raise RuntimeError("All FSDP modules must have the same state_dict_type: set it for the outermost module.")
    return found[0] if found else DEFAULT


def set_state_dict_type(
    module: Module,
    state_dict_type: StateDictType,
    state_dict_config: StateDictConfig | None = None,
    optim_state_dict_config: OptimStateDictConfig | None = None,
) -> StateDictSettings:
    """Sets the state dict type of a module and its submodules; returns the former one.

    RuntimeError for a configuration of the wrong class; NotImplementedError for LOCAL_STATE_DICT.
    """
    if state_dict_type not in CONFIGS:
        raise NotImplementedError(
            "LOCAL_STATE_DICT is not supported, as parameters are not joined into one: use SHARDED_STATE_DICT."
        )
    model_class, optim_class = CONFIGS[state_dict_type]
    model_config, optim_config = state_dict_config or model_class(), optim_state_dict_config or optim_class()
    for config, expected, name in (
        (model_config, model_class, "state_dict_config"),
        (optim_config, optim_class, "optim_state_dict_config"),
    ):
        if type(config) is not expected:
            raise RuntimeError(f"Expected {name} of type {expected} but got {type(config)}")
    before = get_state_dict_type(module)
    for part in wrapped_below(module):
        part._state_dict_settings = StateDictSettings(state_dict_type, model_config, optim_config)
    return before


@contextmanager
def state_dict_type(
    module: Module,
    state_dict_type: StateDictType,
    state_dict_config: StateDictConfig | None = None,
    optim_state_dict_config: OptimStateDictConfig | None = None,
) -> Iterator[None]:
    """A context that sets the state dict type, as `set_state_dict_type`."""
    before = set_state_dict_type(module, state_dict_type, state_dict_config, optim_state_dict_config)
    try:
        yield
    finally:
        for part in wrapped_below(module):
            part._state_dict_settings = before
