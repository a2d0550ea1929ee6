"""The base class of optimizers: parameter groups with options, the state of each parameter, hooks, state dicts."""

import functools
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.autograd.grad_mode import set_grad_enabled
from rushlight.core.advice import advised, listed
from rushlight.core.errors import about
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.hooks import RemovableHandle, add_hook
from rushlight.core.interpreters import observer, taker_of_steps
from rushlight.core.lines import warn
from rushlight.core.turned import Turned
from rushlight.naming import typename
from rushlight.nn.modules.module import clear_gradients
from rushlight.ops.elementwise.complexes import view_as_real
from rushlight.tensors import Tensor

__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook", "required"]

Params = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]
ParamsT = params_t = _params_t = Params  # its names in PyTorch, now and before 2.3
HOOKS = (
    "step_pre_hooks",
    "step_post_hooks",
    "state_dict_pre_hooks",
    "state_dict_post_hooks",
    "load_state_dict_pre_hooks",
    "load_state_dict_post_hooks",
)
NEWER_OPTIONS: dict[str, Any] = {  # options that older files lack, and their values then
    "amsgrad": False,
    "capturable": False,
    "centered": False,
    "decoupled_weight_decay": False,
    "differentiable": False,
    "foreach": None,
    "fused": None,
    "maximize": False,
    "momentum": 0,
    "nesterov": False,
}
_global_optimizer_pre_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()
_global_optimizer_post_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()


EMPTY = (
    "optimizer got an empty parameter list. A generator such as parameters() is empty once it was walked through: call "
    "it again. Layers in a plain Python list are not registered: put them into an nn.ModuleList."
)


class _RequiredParameter:
    """Marks an option without default value."""

    def __repr__(self) -> str:
        return "<required parameter>"


required: _RequiredParameter = _RequiredParameter()


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(optimizer, args, kwargs)` before every step of any optimizer."""
    return add_hook(_global_optimizer_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(optimizer, args, kwargs)` after every step of any optimizer."""
    return add_hook(_global_optimizer_post_hooks, hook)


def hooked(step: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a step function: calls the step hooks before and after it."""

    @functools.wraps(step)
    def with_hooks(*args: Any, **kwargs: Any) -> Any:
        self = args[0]  # hooks get the optimizer among the arguments, as in PyTorch
        if _global_optimizer_pre_hooks or self._optimizer_step_pre_hooks:
            args, kwargs = before_step(self, step, args, kwargs)
        profiler, taker = observer(), taker_of_steps()
        if taker is not None:
            loss = taker.step_of(step, args, kwargs)
        elif profiler is None:
            loss = step(*args, **kwargs)
        else:
            with profiler.region(f"Optimizer.step#{type(self).__name__}.step"):
                loss = step(*args, **kwargs)
        self._opt_called = True  # learning rate schedulers check this
        if _global_optimizer_post_hooks or self._optimizer_step_post_hooks:
            for hook in chain(self._optimizer_step_post_hooks.values(), _global_optimizer_post_hooks.values()):
                hook(self, args, kwargs)
        return loss

    with_hooks.hooked = True  # type: ignore[attr-defined]  # PyTorch's mark, which programs look for
    return with_hooks


def before_step(optimizer: Any, step: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """The arguments of a step, after the pre-hooks, which may replace them."""
    for hook in chain(_global_optimizer_pre_hooks.values(), optimizer._optimizer_step_pre_hooks.values()):
        result = hook(optimizer, args, kwargs)
        if result is not None:
            if not (isinstance(result, tuple) and len(result) == 2):
                raise RuntimeError(f"{step} must return None or a tuple of (new_args, new_kwargs), but got {result}.")
            args, kwargs = result
    return args, kwargs


class WithHooks:
    """An object that has its tables of hooks from the beginning, in case a subclass calls no other `__init__`."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Creates an optimizer without hooks."""
        self = super().__new__(cls)
        self._make_hooks()
        return self

    def _make_hooks(self) -> None:
        """Creates the tables of hooks if they do not exist yet."""
        for name in HOOKS:
            self.__dict__.setdefault(f"_optimizer_{name}", OrderedDict())


class Optimizer(WithHooks):
    """The base class of optimizers.

    `params` is an iterable of tensors, of (name, tensor) pairs, or of dictionaries, one for each parameter group with
    options of its own; `defaults` are the options of groups that do not set them. A subclass defines `step`, which
    updates the parameters from their gradients.

    TypeError for anything but tensors; ValueError if there are no parameters, for tensors that are not leaves, and for
    a parameter in two groups.

    >>> import rushlight as torch
    >>> class Descent(torch.optim.Optimizer):
    ...     def __init__(self, params, lr):
    ...         super().__init__(params, {"lr": lr})
    ...
    ...     @torch.no_grad()
    ...     def step(self):
    ...         for group in self.param_groups:
    ...             for p in group["params"]:
    ...                 p -= group["lr"] * p.grad
    >>> x = torch.tensor([2.0], requires_grad=True)
    >>> x.square().sum().backward()
    >>> Descent([x], lr=0.25).step()
    >>> x
    tensor([1.], requires_grad=True)
    """

    _optimizer_step_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _optimizer_step_post_hooks: OrderedDict[int, Callable[..., Any]]
    _optimizer_state_dict_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _optimizer_state_dict_post_hooks: OrderedDict[int, Callable[..., Any]]
    _optimizer_load_state_dict_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _optimizer_load_state_dict_post_hooks: OrderedDict[int, Callable[..., Any]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "step" in cls.__dict__:
            cls.step = hooked(cls.step)  # type: ignore[method-assign]

    def __init__(self, params: Params, defaults: dict[str, Any]):
        self.defaults = defaults
        if isinstance(params, TensorBase):
            raise TypeError(
                advised(
                    "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                    + typename(params)
                )
            )
        self.state: defaultdict[Tensor, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups: list[Any] = listed(params)
        if not groups:
            raise ValueError(EMPTY)
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def _patch_step_function(self) -> None:
        """Lets the step call the hooks, if a program has put a function of its own in its place."""
        if not hasattr(type(self).step, "hooked"):
            cls: Any = type(self)
            cls.step = hooked(cls.step)

    def __getstate__(self) -> Any:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.defaults.setdefault("differentiable", False)
        for group in self.param_groups:
            for name in NEWER_OPTIONS.keys() & self.defaults.keys():
                group.setdefault(name, NEWER_OPTIONS[name])

    def __repr__(self) -> str:
        groups = []
        for i, group in enumerate(self.param_groups):
            options = [f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params"]
            groups.append(f"\nParameter Group {i}\n{''.join(options)}")
        return f"{type(self).__name__} ({''.join(groups)})"

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates the parameters.

        `closure` computes the loss and the gradients again; its loss is returned.
        """
        raise NotImplementedError

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Sets the gradients of all parameters to None, or to zeros.

        >>> import rushlight as torch
        >>> weight = torch.ones(1, requires_grad=True)
        >>> optimizer = torch.optim.SGD([weight], lr=0.1)
        >>> weight.sum().backward()
        >>> optimizer.zero_grad()
        >>> weight.grad is None
        True
        """
        for group in self.param_groups:
            clear_gradients(group["params"], set_to_none)

    # parameter groups

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds a parameter group: a dictionary with "params" and any options that differ from the defaults."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        param_group["params"] = as_list(param_group["params"])
        take_names(param_group)
        for param in param_group["params"]:
            self._check_param(param)
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        self._check_group(param_group)
        self.param_groups.append(param_group)

    def _check_param(self, param: Tensor) -> None:
        """Raises PyTorch's errors for values that cannot be optimized."""
        if not isinstance(param, TensorBase):
            raise TypeError(advised(f"optimizer can only optimize Tensors, but one of the params is {typename(param)}"))
        if not self.defaults.get("differentiable") and not (param.is_leaf or param.retains_grad):
            raise about(ValueError(advised("can't optimize a non-leaf Tensor")), result=param)
        if type(param._array) is Turned:
            raise NotImplementedError(
                "rushlight's optimizers write into the memory of parameters, of which this one shows the conjugates or "
                "negatives: make it with resolve_conj() and resolve_neg()."
            )

    def _check_group(self, group: dict[str, Any]) -> None:
        """Raises PyTorch's errors for a group that does not match the others."""
        params = set(group["params"])
        if len(params) != len(group["params"]):
            warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information",
            )
        for other in self.param_groups:
            if ("param_names" in group) != ("param_names" in other):
                names = "with names" if "param_names" in group else "without names"
                raise ValueError(
                    "all optimizer param groups should be with/without names. cannot add param group "
                    f"{names} to the optimizer"
                )
            if not params.isdisjoint(other["params"]):
                raise ValueError(advised("some parameters appear in more than one parameter group"))

    # state dicts

    def state_dict(self) -> dict[str, Any]:
        """The options of all groups and the state of all parameters, which are numbered in the order of the groups.

        Its tensors are the optimizer's own and change with it; copy the state dict to keep the present values.
        """
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers: dict[int, int] = {}
        groups, start = [], 0
        for group in self.param_groups:
            for i, param in enumerate(group["params"], start):
                numbers.setdefault(id(param), i)
            packed = {key: value for key, value in group.items() if key != "params"}
            groups.append({**packed, "params": [numbers[id(param)] for param in group["params"]]})
            start += len(group["params"])
        state = {numbers[id(k)] if isinstance(k, TensorBase) else k: v for k, v in self.state.items()}
        state_dict = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            result = hook(self, state_dict)
            if result is not None:
                state_dict = result
        return state_dict

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restores the options and the state that `state_dict` returned, for parameters in the same order.

        ValueError if the numbers of groups or parameters differ.
        """
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            result = hook(self, state_dict)
            if result is not None:
                state_dict = result
        saved = deepcopy(state_dict["param_groups"])
        check_lengths(self.param_groups, saved)
        params = chain.from_iterable(group["params"] for group in self.param_groups)
        by_number = dict(zip(chain.from_iterable(group["params"] for group in saved), params, strict=True))
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in by_number:
                state[by_number[key]] = as_state_of(by_number[key], value)
            else:
                state[key] = value
        for group, new in zip(self.param_groups, saved, strict=True):
            new["params"] = group["params"]
            if "param_names" in group:
                new.setdefault("param_names", group["param_names"])
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    # hooks

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(optimizer, args, kwargs)` before every step; it may return other arguments.

        The first of `args` is the optimizer itself.
        """
        return add_hook(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(optimizer, args, kwargs)` after every step."""
        return add_hook(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls `hook(optimizer)` before a state dict is created."""
        return add_hook(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls `hook(optimizer, state_dict)` after a state dict is created; it may return another one."""
        return add_hook(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls `hook(optimizer, state_dict)` before a state dict is loaded; it may return another one."""
        return add_hook(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls `hook(optimizer)` after a state dict is loaded."""
        return add_hook(self._optimizer_load_state_dict_post_hooks, hook, prepend)


def _use_grad_for_differentiable(func: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a step: it is recorded if the optimizer's option `differentiable` is True."""

    @functools.wraps(func)
    def step(*args: Any, **kwargs: Any) -> Any:
        with set_grad_enabled(args[0].defaults["differentiable"]):
            return func(*args, **kwargs)

    return step


def _get_value(x: Any) -> Any:
    """A tensor of one number as that number; other values unchanged."""
    return x.item() if isinstance(x, TensorBase) else x


def _stack_if_compiling(x: Any) -> Any:
    """The argument unchanged: steps are not compiled by PyTorch's compiler."""
    return x


def _to_scalar(x: Any) -> Any:
    """A tensor of one element as one without dimensions; other values unchanged."""
    return x.squeeze() if isinstance(x, TensorBase) and x.ndim else x


def _get_scalar_dtype(is_fused: bool | None = None) -> dtypes.dtype:
    """The dtype in which optimizers count steps."""
    double = dtypes.get_default_dtype() is dtypes.float64 and not is_fused
    return dtypes.float64 if double else dtypes.float32


def _view_as_real(params: list[Any], *state_and_grads: list[Any]) -> None:
    """Replaces complex tensors in a list, and those at the same places of others, by pairs of real numbers."""
    for i, param in enumerate(params):
        if param.is_complex():
            for tensors in (params, *state_and_grads):
                tensors[i] = view_as_real(tensors[i])


def _default_to_fused_or_foreach(params: list[Any], differentiable: bool, use_fused: bool = False) -> tuple[bool, bool]:
    """Whether PyTorch would do a step by a fused kernel, and whether by functions on lists of tensors, on a CPU."""
    if differentiable:
        return False, False
    fused = use_fused and all(p is None or p.is_floating_point() for p in params)
    return fused, not fused and all(p is None for p in params)


# What PyTorch's docstrings of optimizers say of common options: programs put it into those of their own optimizers.
_params_doc = "params (iterable): parameters, or pairs of names and parameters, or dictionaries of parameter groups"
_foreach_doc = "foreach (bool, optional): whether to use functions on lists of tensors, without effect on a CPU"
_fused_doc = "fused (bool, optional): whether to update each parameter by one kernel, as is done on a CPU anyway"
_capturable_doc = "capturable (bool, optional): whether steps can be captured in a CUDA graph; refused on a CPU"
_differentiable_doc = "differentiable (bool, optional): whether steps are recorded, so that gradients flow through them"
_maximize_doc = "maximize (bool, optional): maximize the objective instead of minimizing it (default: False)"


def _disable_dynamo_if_unsupported(
    single_tensor_fn: Callable[..., object] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorates an optimizer's function, and leaves it as it is: only PyTorch's compiler would be kept away."""
    return lambda function: function


def as_list(params: Any) -> list[Any]:
    """The parameters of a group as a list; TypeError for a set, which has no order."""
    if isinstance(params, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
            "will change between runs. Please use a list instead."
        )
    return [params] if isinstance(params, TensorBase) else list(params)


def take_names(group: dict[str, Any]) -> None:
    """Replaces (name, tensor) pairs by a list of tensors and a list of names.

    ValueError if only some have names.
    """
    names = [param[0] for param in group["params"] if isinstance(param, tuple)]
    if names and len(names) < len(group["params"]):
        raise ValueError("all optimizer params should be with/without names. Some param names are missing")
    if names:
        group["params"] = [param[1] for param in group["params"]]
        group["param_names"] = names


def check_lengths(groups: list[dict[Any, Any]], saved: list[dict[Any, Any]]) -> None:
    """Raises PyTorch's errors for a state dict whose groups do not match the optimizer's."""
    if len(groups) != len(saved):
        raise ValueError(advised("loaded state dict has a different number of parameter groups"))
    if any(len(group["params"]) != len(new["params"]) for group, new in zip(groups, saved, strict=True)):
        raise ValueError(
            advised("loaded state dict contains a parameter group that doesn't match the size of optimizer's group")
        )


def beside(param: Tensor, array: np.ndarray) -> Tensor:
    """An array as a tensor of a parameter's state; for a sharded parameter, sharded in the same way."""
    if hasattr(param, "alike") and array.shape == param._array.shape:
        return param.alike(array)
    return new_tensor(array)


def refuse_part(optimizer: Optimizer, param: Tensor) -> None:
    """Raises NotImplementedError for a sharded parameter, if the optimizer's rule needs the whole parameter."""
    if hasattr(param, "alike"):
        raise NotImplementedError(
            f"{type(optimizer).__name__} looks at whole parameters, of which fully_shard leaves a process some rows: "
            "take an optimizer that changes each element by itself, such as AdamW."
        )


def as_state_of(param: Tensor, value: Any, key: Any = None) -> Any:
    """A loaded state, with its tensors (except the step count) in the dtype of their parameter."""
    if isinstance(value, TensorBase):
        array = value._array
        if key != "step" and param.is_floating_point():
            array = array.astype(param._array.dtype, copy=False)
        return beside(param, array)
    if isinstance(value, dict):
        return {k: as_state_of(param, v, k) for k, v in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, np.ndarray)):
        return type(value)(as_state_of(param, v) for v in value)  # type: ignore[call-arg]  # a list, a tuple or the like
    return value
