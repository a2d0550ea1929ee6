"""State dicts by parameters' names, of modules and optimizers, sharded or not: alike on any number of processes."""

from dataclasses import dataclass
from typing import Any

from rushlight.distributed.tensor.sharded import DTensor
from rushlight.nn.modules.module import Module
from rushlight.nn.parallel import DistributedDataParallel
from rushlight.optim.optimizer import Optimizer
from rushlight.tensors import Tensor

__all__ = [
    "StateDictOptions", "get_model_state_dict", "get_optimizer_state_dict", "get_state_dict", "set_model_state_dict",
    "set_optimizer_state_dict", "set_state_dict",
]  # fmt: skip


@dataclass
class StateDictOptions:
    """`full_state_dict` brings sharded tensors together; `strict` is that of `load_state_dict`."""

    full_state_dict: bool = False
    cpu_offload: bool = False
    strict: bool = True


def plain(module: Module) -> Module:
    """The module itself, without `DistributedDataParallel` around it."""
    return module.module if isinstance(module, DistributedDataParallel) else module


def whole(value: Any, options: StateDictOptions | None) -> Any:
    """A tensor brought together, where that is wanted."""
    full = options is not None and options.full_state_dict
    return value.full_tensor() if full and isinstance(value, DTensor) else value


def get_model_state_dict(model: Module, *, options: StateDictOptions | None = None) -> dict[str, Any]:
    """A module's state by name; sharded tensors are DTensors, or whole with `full_state_dict`."""
    return {name: whole(value, options) for name, value in plain(model).state_dict().items()}


def set_model_state_dict(
    model: Module, model_state_dict: dict[str, Any], *, options: StateDictOptions | None = None
) -> Any:
    """Gives a module a state, of whole tensors or of DTensors; gives what `load_state_dict` gives."""
    target = plain(model)
    own = target.state_dict()
    fitted = {name: rows_for(own.get(name), value) for name, value in model_state_dict.items()}
    return target.load_state_dict(fitted, strict=options is None or options.strict)


def rows_for(own: Any, value: Any) -> Any:
    """The rows of a whole tensor that this process holds, where it holds some rows of it."""
    if not isinstance(own, DTensor) or isinstance(value, DTensor):
        return value
    first = own.first_row
    return value.reshape(own.full_shape)[first : first + len(own._array)]


def named_parameters(model: Module, optimizer: Optimizer) -> list[tuple[str, Tensor]]:
    """The optimizer's parameters with their names in the module."""
    names = {id(parameter): name for name, parameter in plain(model).named_parameters()}
    return [(names[id(p)], p) for group in optimizer.param_groups for p in group["params"]]


def get_optimizer_state_dict(
    model: Module, optimizers: Optimizer, *, options: StateDictOptions | None = None
) -> dict[str, Any]:
    """An optimizer's state and options, by the names of the module's parameters."""
    names = {id(p): name for name, p in named_parameters(model, optimizers)}
    state = {
        names[id(p)]: {key: whole(as_sharded(p, value), options) for key, value in optimizers.state[p].items()}
        for _, p in named_parameters(model, optimizers)
    }
    groups = [{**group, "params": [names[id(p)] for p in group["params"]]} for group in optimizers.param_groups]
    return {"state": state, "param_groups": groups}


def as_sharded(parameter: Tensor, value: Any) -> Any:
    """A state that belongs to a parameter's rows as a DTensor."""
    if isinstance(parameter, DTensor) and isinstance(value, Tensor) and value._array.shape == parameter._array.shape:
        return DTensor.of_rows(value._array, parameter.full_shape, parameter.group)
    return value


def set_optimizer_state_dict(
    model: Module, optimizers: Optimizer, optim_state_dict: dict[str, Any], *,
    options: StateDictOptions | None = None,
) -> None:  # fmt: skip
    """Gives an optimizer a state by names, of whole tensors or of DTensors."""
    named = named_parameters(model, optimizers)
    numbers = {name: i for i, (name, _) in enumerate(named)}
    by_name = dict(named)
    state = {
        numbers[name]: {key: rows_of_state(by_name[name], value) for key, value in values.items()}
        for name, values in optim_state_dict["state"].items()
    }
    groups = [
        {**group, "params": [numbers[name] for name in group["params"]]} for group in optim_state_dict["param_groups"]
    ]
    optimizers.load_state_dict({"state": state, "param_groups": groups})


def rows_of_state(parameter: Tensor, value: Any) -> Any:
    """The part of a state that belongs to the rows that this process holds, as an ordinary tensor."""
    if isinstance(value, DTensor):
        return value.to_local()
    if isinstance(parameter, DTensor) and isinstance(value, Tensor) and value.numel() > 1:
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
    model: Module, optimizers: Optimizer, *, model_state_dict: dict[str, Any], optim_state_dict: dict[str, Any],
    options: StateDictOptions | None = None,
) -> Any:  # fmt: skip
    """Gives a module and its optimizer states by name; gives what the module's `load_state_dict` gives."""
    set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return set_model_state_dict(model, model_state_dict, options=options)
