"""PyTorch's functions of optimizers: a step with the state in lists of tensors. Each is made from its class's rule."""

from collections.abc import Callable
from functools import cached_property
from inspect import Parameter, Signature
from typing import Any

from rushlight.core.graph import TensorBase
from rushlight.kernels.updates import change, update
from rushlight.optim.elementwise import ElementwiseOptimizer, direction, refuse_capturable
from rushlight.optim.optimizer import beside

__all__ = ["Function", "function_of"]

PAIRS = {  # options of a class that its function takes one by one
    "betas": ("beta1", "beta2"),
    "etas": ("etaminus", "etaplus"),
    "step_sizes": ("step_size_min", "step_size_max"),
}
Function = Callable[..., None]


def function_of(optimizer: type[ElementwiseOptimizer], lists: str, flags: str, options: str, **fixed: Any) -> Function:
    """The function of an optimizer: changes parameters and states in place, and returns nothing.

    `lists` are the parameters that are lists of tensors, after the parameters' own; `flags` have defaults; `options`
    are given by name; `fixed` are options of the class that the function does not have. RuntimeError for numbers of
    steps that are not tensors.
    """
    step = Step(optimizer, lists.split(), flags.split(), options.split(), fixed)

    def function(*args: Any, **kwargs: Any) -> None:
        step(*args, **kwargs)

    function.__name__ = function.__qualname__ = optimizer.__name__.lower()
    function.__module__ = optimizer.__module__
    function.__doc__ = f"One step of `{optimizer.__name__}`, with the state in lists of tensors, which it changes."
    return function


class Step:
    """A step of an optimizer whose state is given in lists."""

    def __init__(
        self,
        optimizer: type[ElementwiseOptimizer],
        lists: list[str],
        flags: list[str],
        options: list[str],
        fixed: dict[str, Any],
    ):
        self.optimizer, self.lists, self.flags, self.options, self.fixed = optimizer, lists, flags, options, fixed

    @cached_property
    def signature(self) -> Signature:
        """The function's parameters."""
        lists = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in ("params", *self.lists)]
        flags = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=None) for name in self.flags]
        return Signature([*lists, *flags, *[Parameter(name, Parameter.KEYWORD_ONLY) for name in self.options]])

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = bound.arguments
        refuse_scaling(given)
        group = {"maximize": False, "differentiable": False, **self.fixed}
        group.update({name: given[name] for name in (*self.flags, *self.options)})
        for name, (first, second) in PAIRS.items():
            if first in given:
                group[name] = given[first], given[second]
        refuse_capturable(group)
        states = {state_name(name): given[name] for name in self.lists[1:]}
        for i, (param, grad) in enumerate(zip(given["params"], given[self.lists[0]], strict=True)):
            before = {name: values[i] for name, values in states.items() if i < len(values) and values[i] is not None}
            after = dict(before)
            self.change(group, param, grad, after)
            for name, tensor in after.items():
                if name in before and tensor is not before[name]:
                    before[name].copy_(tensor)
                elif name not in before:
                    states[name][i] = tensor

    def change(self, group: dict[str, Any], param: Any, grad: Any, state: dict[str, Any]) -> None:
        """Updates a parameter and its state."""
        optimizer = self.optimizer.__new__(self.optimizer)  # only for its rule: it has no groups
        if not isinstance(state.get("step", param), TensorBase):
            raise RuntimeError("API has changed, `state_steps` argument must contain a list of singleton tensors")
        numbers = optimizer._numbers(group, optimizer._moment(group, state))
        for name in optimizer._names(group):
            if name not in state:
                state[name] = beside(param, optimizer._first(name, group, param._array))
        tensors = [param, grad, *[state[name] for name in optimizer._names(group)]]
        if group["differentiable"]:
            update(optimizer._rule, direction(group), numbers, *tensors)
            return
        array = optimizer._dense(param._array, grad, group) if grad._array is None else grad._array
        if array is not None:
            row = [param._array, array, *[tensor._array for tensor in tensors[2:]]]
            change(optimizer._rule, [row], direction(group), numbers)
        param._bump()


def state_name(name: str) -> str:
    """The name in a state of what a list has for each parameter."""
    return name.removeprefix("state_").removesuffix("_list").removesuffix("s")


def refuse_scaling(given: dict[str, Any]) -> None:
    """Raises for scaled gradients, which GradScaler unscales itself before a step."""
    for name in ("grad_scale", "found_inf"):
        if given.get(name) is not None:
            raise NotImplementedError(f"{name} belongs to fused kernels of GPUs: call scaler.unscale_(optimizer) first")
