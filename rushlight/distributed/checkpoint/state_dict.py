"""State dicts of modules and optimizers by parameter names, sharded or not: the same for any number of processes."""

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np

from rushlight.distributed.groups import get_rank, is_initialized
from rushlight.distributed.objects import broadcast_object_list
from rushlight.distributed.tensor.sharded import DTensor
from rushlight.nn.modules.module import Module
from rushlight.nn.parallel import DistributedDataParallel
from rushlight.optim.elementwise import NUMBERS
from rushlight.optim.optimizer import Optimizer, beside
from rushlight.tensors import Tensor

__all__ = [
    "StateDictOptions",
    "get_model_state_dict",
    "get_optimizer_state_dict",
    "get_state_dict",
    "set_model_state_dict",
    "set_optimizer_state_dict",
    "set_state_dict",
]


@dataclass
class StateDictOptions:
    """Options for getting and setting state dicts.

    - `full_state_dict` gathers sharded tensors; with `cpu_offload` only rank 0 gets the state dict, the others an empty
    one;
    - `broadcast_from_rank0`, with `full_state_dict`: what is set comes from rank 0, the others may give an empty one;
    - `ignore_frozen_params` leaves out parameters that do not require grad;
    - `strict` is that of `load_state_dict`.

    ValueError for `broadcast_from_rank0` without `full_state_dict`; NotImplementedError for what is not supported.
    """

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False

    def __post_init__(self) -> None:
        if self.broadcast_from_rank0 and not self.full_state_dict:
            raise ValueError("full_state_dict must be True when broadcast_from_rank0 is True.")
        if self.flatten_optimizer_state_dict or not self.keep_submodule_prefixes:
            raise NotImplementedError(
                "flatten_optimizer_state_dict and keep_submodule_prefixes=False are not supported: "
                "state dicts are nested, by full names. Leave these options out."
            )

    def for_this_rank(self, state: dict[str, Any]) -> dict[str, Any]:
        """The part of a gathered state dict that this process gets."""
        only_first = self.full_state_dict and self.cpu_offload and is_initialized() and get_rank() != 0
        return {} if only_first else state

    def from_rank_0(self, state: dict[str, Any]) -> dict[str, Any]:
        """The state dict to set: rank 0's with `broadcast_from_rank0`."""
        if not self.broadcast_from_rank0 or not is_initialized():
            return state
        box = [state]
        broadcast_object_list(box, src=0)
        return box[0]


DEFAULT = StateDictOptions()


def without_wrapper(module: Module) -> Module:
    """The module without a `DistributedDataParallel` wrapper."""
    return module.module if isinstance(module, DistributedDataParallel) else module


PREFIX = "_fsdp_wrapped_module."  # prefix of parameters' names in `FullyShardedDataParallel`
CHECKPOINTED = "_checkpoint_wrapped_module."  # prefix of parameters' names in `checkpoint_wrapper`
SHARDS = ContextVar("rushlight_shards", default=False)  # whether state dicts hold shards, whatever is set


def plain_name(name: str) -> str:
    """The name of a parameter without the prefixes of wrappers."""
    return name.replace(PREFIX, "").replace(CHECKPOINTED, "")


def sharded_state(module: Module) -> dict[str, Any]:
    """A module's state dict, with shards if it is in `FullyShardedDataParallel`."""
    before = SHARDS.set(True)
    try:
        return module.state_dict()
    finally:
        SHARDS.reset(before)


def gathered_if_asked(value: Any, options: StateDictOptions) -> Any:
    """A tensor gathered, if the options ask for it."""
    return value.full_tensor() if options.full_state_dict and isinstance(value, DTensor) else value


def get_model_state_dict(model: Module, *, options: StateDictOptions | None = None) -> dict[str, Any]:
    """A module's state by name; sharded tensors are DTensors, or gathered with `full_state_dict`."""
    options = options or DEFAULT
    target = without_wrapper(model)
    left_out = [name for name, p in target.named_parameters() if options.ignore_frozen_params and not p.requires_grad]
    frozen = {plain_name(name) for name in left_out}
    state = sharded_state(target).items()
    return options.for_this_rank(
        {name: gathered_if_asked(value, options) for name, value in state if name not in frozen}
    )


def set_model_state_dict(
    model: Module, model_state_dict: dict[str, Any], *, options: StateDictOptions | None = None
) -> Any:
    """Sets a module's state from whole tensors or DTensors; returns the result of `load_state_dict`.

    Parameters on the device "meta" get memory with their state.
    """
    options = options or DEFAULT
    target = without_wrapper(model)
    own = sharded_state(target)
    given = options.from_rank_0(model_state_dict)
    fitted = {name: rows_for(own.get(name), value) for name, value in given.items()}
    return target.load_state_dict(fitted, strict=options.strict, assign=any(value.is_meta for value in own.values()))


def rows_for(own: Any, value: Any) -> Any:
    """The part of a whole tensor that this process holds of a sharded one."""
    if not isinstance(own, DTensor) or isinstance(value, DTensor):
        return value
    return own.alike(own.spread.cut(value._array.reshape(own.shape)).copy())


def named_parameters(model: Module, optimizer: Optimizer) -> list[tuple[str, Tensor]]:
    """The optimizer's parameters with their names in the module."""
    names = {id(parameter): plain_name(name) for name, parameter in without_wrapper(model).named_parameters()}
    return [(names[id(p)], p) for group in optimizer.param_groups for p in group["params"]]


def _init_optim_state(optim: Optimizer) -> None:
    """Gives an optimizer that has not stepped yet its initial state; parameters are unchanged."""
    parameters = [p for group in optim.param_groups for p in group["params"]]
    if optim.state or any(p.grad is not None for p in parameters):
        return
    for p in parameters:
        if p.requires_grad:
            p.grad = beside(p, np.zeros_like(p._array))
    rates = [group.get("lr") for group in optim.param_groups]
    for group in optim.param_groups:
        group["lr"] = 0.0
    optim.step()
    for group, rate in zip(optim.param_groups, rates, strict=True):
        group["lr"] = rate
    optim.zero_grad()


def get_optimizer_state_dict(
    model: Module, optimizers: Optimizer, *, options: StateDictOptions | None = None
) -> dict[str, Any]:
    """An optimizer's state and options, by the module's parameter names.

    An optimizer that has not stepped yet gets its initial state, so that a checkpoint can be loaded into it.
    """
    options = options or DEFAULT
    _init_optim_state(optimizers)
    named = named_parameters(model, optimizers)
    names = {id(p): name for name, p in named}
    state = {
        name: {key: gathered_if_asked(value, options) for key, value in optimizers.state[p].items()}
        for name, p in named
        if p in optimizers.state
    }
    groups = [{**group, "params": [names[id(p)] for p in group["params"]]} for group in optimizers.param_groups]
    return options.for_this_rank({"state": state, "param_groups": groups})


def set_optimizer_state_dict(
    model: Module, optimizers: Optimizer, optim_state_dict: dict[str, Any], *, options: StateDictOptions | None = None
) -> None:
    """Sets an optimizer's state by names, from whole tensors or DTensors."""
    given = (options or DEFAULT).from_rank_0(optim_state_dict)
    optimizers.load_state_dict(optimizer_state_for(model, optimizers, given))


def optimizer_state_for(model: Module, optimizers: Optimizer, given: dict[str, Any]) -> dict[str, Any]:
    """Converts a state by names, of whole tensors or DTensors, to what an optimizer's `load_state_dict` takes."""
    named = named_parameters(model, optimizers)
    numbers = {name: i for i, (name, _) in enumerate(named)}
    by_name = dict(named)
    state = {
        numbers[name]: {key: rows_of_state(by_name[name], key, value) for key, value in values.items()}
        for name, values in given["state"].items()
    }
    groups = [{**group, "params": [numbers[name] for name in group["params"]]} for group in given["param_groups"]]
    return {"state": state, "param_groups": groups}


def rows_of_state(parameter: Tensor, key: str, value: Any) -> Any:
    """The part of a state for the rows that this process holds, as an ordinary tensor."""
    if isinstance(value, DTensor):
        return value.to_local()
    if isinstance(parameter, DTensor) and isinstance(value, Tensor) and key not in NUMBERS:
        return rows_for(parameter, value)
    return value


def get_state_dict(
    model: Module, optimizers: Optimizer, *, options: StateDictOptions | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The states of a module and of its optimizer, by name."""
    return (
        get_model_state_dict(model, options=options),
        get_optimizer_state_dict(model, optimizers, options=options),
    )


def set_state_dict(
    model: Module,
    optimizers: Optimizer,
    *,
    model_state_dict: dict[str, Any],
    optim_state_dict: dict[str, Any],
    options: StateDictOptions | None = None,
) -> Any:
    """Sets the states of a module and its optimizer by name; returns the result of the module's `load_state_dict`."""
    set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return set_model_state_dict(model, model_state_dict, options=options)
