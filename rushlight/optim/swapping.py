"""`swap_in_optimizer_params_and_state`: an optimizer works on other parameters and states for a while."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from rushlight.optim.optimizer import Optimizer
from rushlight.tensors import Tensor

__all__ = ["swap_in_optimizer_params_and_state"]

NAME = "swap_in_optimizer_params_and_state"


@contextmanager
def swap_in_optimizer_params_and_state(
    optimizer: Optimizer, swapin_parameters: dict[str, Tensor], swapin_optim_state: dict[str, Any]
) -> Iterator[None]:
    """Inside a `with` block an optimizer has other parameters, states and options; afterwards its own again.

    `swapin_parameters` are in the order of the optimizer's own parameters, whatever their names;
    `swapin_optim_state` is as `optimizer.state_dict()` gives it. What a step changes in place it changes in the given
    tensors; new tensors and numbers in states, such as a step counted in Python, are dropped at the end.

    RuntimeError for an optimizer that has no state yet, and for parameters or states that do not match its groups.

    >>> import rushlight as torch
    >>> x, other = torch.ones(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    >>> optimizer = torch.optim.SGD([x], lr=0.5, momentum=0.9)
    >>> x.grad = other.grad = torch.ones(1)
    >>> optimizer.step()
    >>> with torch.optim.swap_in_optimizer_params_and_state(optimizer, {"x": other}, optimizer.state_dict()):
    ...     optimizer.step()
    >>> x.tolist(), other.tolist()
    ([0.5], [-0.949999988079071])
    """
    state, groups = states_and_groups(optimizer, swapin_optim_state)
    given = iter(swapin_parameters.values())
    parameters = [list(islice(given, len(group["params"]))) for group in groups]
    if any(len(ours) != len(group["params"]) for ours, group in zip(parameters, groups, strict=True)):
        raise RuntimeError(f"{NAME} requires the explicit parameter state to match optimizer.param_groups ordering.")
    before, own = optimizer.state, [dict(group) for group in optimizer.param_groups]
    try:
        swapped: defaultdict[Tensor, Any] = defaultdict(dict)
        for live, group, ours in zip(optimizer.param_groups, groups, parameters, strict=True):
            live.update({**group, "params": ours})
            for parameter, number in zip(ours, group["params"], strict=True):
                swapped[parameter] = dict(state.get(number, {}))
        optimizer.state = swapped
        yield
    finally:
        for live, group in zip(optimizer.param_groups, own, strict=True):
            live.clear()
            live.update(group)
        optimizer.state = before


def states_and_groups(optimizer: Optimizer, given: dict[str, Any]) -> tuple[dict[int, Any], list[dict[str, Any]]]:
    """The states and groups of a state dict. RuntimeError if they do not match the optimizer's."""
    if not optimizer.state:
        raise RuntimeError(f"{NAME} requires initialized optimizer state: make a step first.")
    if not isinstance(given, dict):
        raise RuntimeError(f"{NAME} requires a state_dict of the optimizer, not {type(given).__name__}.")
    state, groups = given.get("state"), given.get("param_groups")
    if not isinstance(state, dict) or not all(isinstance(entry, dict) for entry in state.values()):
        raise RuntimeError(f"{NAME} requires swapin_optim_state['state'] to be a dict of dicts by parameter number.")
    if not isinstance(groups, list) or len(groups) != len(optimizer.param_groups):
        raise RuntimeError("swapin_optim_state has a different number of parameter groups than the live optimizer.")
    for i, (live, group) in enumerate(zip(optimizer.param_groups, groups, strict=True)):
        if not isinstance(group, dict) or live.keys() != group.keys():
            raise RuntimeError(f"{NAME} requires group {i} to have the keys of the optimizer's: {list(live)}.")
        if len(live["params"]) != len(group["params"]):
            raise RuntimeError(
                f"swapin_optim_state param group {i} has a different number of params than the live optimizer param "
                "group."
            )
    numbers = {number for group in groups for number in group["params"]}
    if extra := [number for number in state if number not in numbers]:
        raise RuntimeError(f"{NAME} requires states of the parameters in its groups only; got extra keys {extra!r}.")
    return state, groups
