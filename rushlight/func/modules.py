"""Modules as functions of their parameters: `functional_call` and `stack_module_state`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rushlight.nn.modules.batchnorm import _BatchNorm
from rushlight.nn.modules.module import Module
from rushlight.ops.shapes.joining import stack
from rushlight.tensors import Tensor

__all__ = ["functional_call", "replace_all_batch_norm_modules_", "stack_module_state"]

State = dict[str, Tensor]


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: State | Sequence[State],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Calls a module with other tensors in place of its parameters and buffers, named as in `state_dict`.

    Several dictionaries may be given if they have no common names. `args` is one argument or a tuple of arguments. With
    `tie_weights`, tensors that the module has under several names are replaced together; with `strict`, RuntimeError if
    names are missing or unknown. What the module writes to a buffer goes to the given one.

    ValueError for a value that is not a dictionary, for duplicate names, and for different values of tied tensors.

    >>> import rushlight as torch
    >>> model = torch.nn.Linear(2, 1, bias=False)
    >>> torch.func.functional_call(model, {"weight": torch.tensor([[1.0, 2.0]])}, torch.tensor([3.0, 4.0]))
    tensor([11.])
    """
    state = merged(parameter_and_buffer_dicts)
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with replaced(module, tied(module, state) if tie_weights else state, strict):
        return module(*args, **(kwargs or {}))


def replace_all_batch_norm_modules_(root: Module) -> Module:
    """Makes the batch normalizations in a module (or the module itself) keep no running statistics, in place.

    Running statistics are changed in place in the forward pass, which `vmap` over parameters cannot do.

    >>> import rushlight as torch
    >>> model = torch.nn.Sequential(torch.nn.BatchNorm1d(2))
    >>> torch.func.replace_all_batch_norm_modules_(model)[0].running_mean is None
    True
    """
    for module in root.modules():
        if isinstance(module, _BatchNorm):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root


def merged(dicts: Any) -> Any:
    """One dictionary merged from all."""
    if isinstance(dicts, dict):
        return dicts
    if not isinstance(dicts, Sequence):
        raise ValueError(
            f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(dicts)}"
        )
    if not all(isinstance(d, dict) for d in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    repeated = [name for name, n in Counter(name for d in dicts for name in d).items() if n > 1]
    if repeated:
        raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    return {name: value for d in dicts for name, value in d.items()}


def named_tensors(module: Any) -> Any:
    """All parameters and buffers by name; shared ones under each of their names."""
    return {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }


def tied(module: Any, state: Any) -> Any:
    """The values, also under all other names that the module has for the same tensor."""
    groups: dict[int, list[str]] = {}
    for name, tensor in named_tensors(module).items():
        groups.setdefault(id(tensor), []).append(name)
    result = dict(state)
    for names in groups.values():
        given = [state[name] for name in names if name in state]
        if len({id(value) for value in given}) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(names)}, which are tied. Consider using "
                "tie_weights=False"
            )
        if given:
            result.update(dict.fromkeys(names, given[0]))
    return result


@contextmanager
def replaced(module: Any, state: Any, strict: Any) -> Iterator[Any]:
    """A context in which a module has other tensors; those that it replaces inside are written to the dictionary."""
    if strict:
        check_names(module, state)
    places = {name: holder_of(module, name) for name in state}
    held = {name: registry[key] for name, (registry, key) in places.items()}
    try:
        for name, (registry, key) in places.items():
            registry[key] = state[name]
        yield
    finally:
        for name, (registry, key) in places.items():
            state[name] = registry[key]
            registry[key] = held[name]


def check_names(module: Any, state: Any) -> None:
    """RuntimeError if the given names are not those of the module."""
    names = named_tensors(module)
    unexpected = [name for name in state if name not in names]
    missing = [name for name in names if name not in state]
    lines = [f"Unexpected key(s): {', '.join(map(repr, unexpected))}."] if unexpected else []
    lines += [f"Missing key(s): {', '.join(map(repr, missing))}."] if missing else []
    if lines:
        raise RuntimeError(
            "Error(s) in reparametrizing for {}:\n\t{}".format(type(module).__name__, "\n\t".join(lines))
        )


def holder_of(module: Any, name: str) -> Any:
    """The dictionary in which a module stores a tensor, and its key there. AttributeError for an unknown name."""
    path, _, last = name.rpartition(".")
    owner = module.get_submodule(path)
    for registry in (owner._parameters, owner._buffers):
        if last in registry:
            return registry, last
    raise AttributeError(f"{type(owner).__name__} has no attribute `{last}`")


def stack_module_state(models: Iterable[Module]) -> tuple[State, State]:
    """The parameters and the buffers of several modules of one class, each stacked along a new first dimension.

    With `vmap` over them and `functional_call`, an ensemble runs as one model. The stacked parameters are new leaves.
    RuntimeError if the modules differ in class, in mode or in requires_grad.

    >>> import rushlight as torch
    >>> models = [torch.nn.Linear(2, 1) for _ in range(3)]
    >>> parameters, buffers = torch.func.stack_module_state(models)
    >>> call = lambda p, b, x: torch.func.functional_call(models[0], (p, b), x)
    >>> torch.vmap(call, (0, 0, None))(parameters, buffers, torch.ones(5, 2)).shape
    torch.Size([3, 5, 1])
    """
    models = list(models)
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({model.training for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if len({type(model) for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = [dict(model.named_parameters()) for model in models]
    buffers = [dict(model.named_buffers()) for model in models]
    return tuple(
        {name: stacked(name, [state[name] for state in states]) for name in states[0]}
        for states in (parameters, buffers)
    )  # type: ignore[return-value]


def stacked(name: Any, tensors: Any) -> Any:
    """Tensors stacked into one; a new leaf if they require grad."""
    if len({t.requires_grad for t in tensors}) > 1:
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    result = stack(tensors)
    return result.detach().requires_grad_() if tensors[0].requires_grad else result
