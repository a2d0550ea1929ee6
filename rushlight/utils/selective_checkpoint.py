"""Checkpointing that keeps the results of chosen operators: `create_selective_checkpoint_contexts`."""

from collections import defaultdict
from collections.abc import Callable
from enum import Enum
from typing import Any

from rushlight.ops.aten_namespace import aten
from rushlight.ops.overloads import OpOverload
from rushlight.tensors import Tensor
from rushlight.utils._python_dispatch import TorchDispatchMode
from rushlight.utils._pytree import tree_map

__all__ = [
    "SAC_IGNORED_OPS",
    "CheckpointPolicy",
    "SelectiveCheckpointContext",
    "create_selective_checkpoint_contexts",
]


class CheckpointPolicy(Enum):
    """What to do with an operator's result: save or recompute it. MUST and PREFER have the same effect here.

    >>> CheckpointPolicy.MUST_SAVE.value
    0
    """

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


SAVED = (
    CheckpointPolicy.MUST_SAVE,
    CheckpointPolicy.PREFER_SAVE,
    CheckpointPolicy.MUST_CPU_OFFLOAD,  # saved values are on the CPU anyway
    CheckpointPolicy.PREFER_CPU_OFFLOAD,
)
SAC_IGNORED_OPS = {aten.detach.default}


class SelectiveCheckpointContext:
    """The context that a policy gets: the result of the call, `op_output`."""

    is_recompute: bool

    def __init__(self, *, is_recompute: bool, op_output: Any = None):
        self.is_recompute, self.op_output = is_recompute, op_output


class Kept:
    """A saved result with its version."""

    def __init__(self, value: Any):
        self.value = value.detach() if isinstance(value, Tensor) else value
        self.version = value._version if isinstance(value, Tensor) else None

    def get(self, changed: bool) -> Any:
        """The result. RuntimeError if it was changed in place since, unless that is allowed."""
        if self.version is not None and not changed and self.value._version != self.version:
            raise RuntimeError(
                "Tensor cached during selective activation checkpoint has been mutated: change a copy (x.clone()), or "
                "pass allow_cache_entry_mutation=True."
            )
        return self.value


class Saving(TorchDispatchMode):
    """The mode of the first call: asks the policy for each operator, and saves results."""

    policy: Callable[..., Any]
    calls: dict[Any, list[Any]]

    def __init__(self, policy: Callable[..., Any], calls: dict[Any, list[Any]]):
        super().__init__()
        self.policy, self.calls = policy, calls

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Makes a call, and saves the result if the policy says so."""
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        if func not in SAC_IGNORED_OPS:
            context = SelectiveCheckpointContext(is_recompute=False, op_output=result)
            policy = self.policy(context, func, *args, **kwargs)
            saved = policy if isinstance(policy, bool) else policy in SAVED
            self.calls[func].append(tree_map(Kept, result) if saved else None)
        return result


class Using(TorchDispatchMode):
    """The mode of the second call: results that were saved are not recomputed."""

    calls: dict[Any, list[Any]]
    changed: bool

    def __init__(self, calls: dict[Any, list[Any]], changed: bool):
        super().__init__()
        self.calls, self.changed = calls, changed

    def __enter__(self) -> Any:
        self.place: dict[Any, int] = defaultdict(int)
        return super().__enter__()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """The result of the first call if it was saved, else the result of the call."""
        if func in SAC_IGNORED_OPS:
            return func(*args, **(kwargs or {}))
        place, calls = self.place[func], self.calls[func]
        self.place[func] += 1
        if place >= len(calls):
            raise RuntimeError(
                f"{func} encountered during backward, but not found in storage: the function must make the same calls "
                "whenever it is called with the same arguments."
            )
        if calls[place] is None:
            return func(*args, **(kwargs or {}))
        if calls[place] is SPENT:
            raise RuntimeError(
                "Trying to backward an extra time. You are only allowed to backward once on any region computed under "
                "selective activation checkpoint."
            )
        kept, calls[place] = calls[place], SPENT
        return tree_map(lambda one: one.get(self.changed), kept)


SPENT = object()


def create_selective_checkpoint_contexts(policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False) -> Any:
    """Two contexts for `checkpoint(..., context_fn=...)`, which save the results of some operators.

    The argument is a list of overloads, such as `torch.ops.aten.mm.default`, or a function of a
    `SelectiveCheckpointContext`, an overload and its arguments, which returns a `CheckpointPolicy`. ValueError for a
    list of anything else.

    >>> import rushlight as torch
    >>> from functools import partial
    >>> from rushlight.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts
    >>> keep_products = partial(create_selective_checkpoint_contexts, [torch.ops.aten.mm.default])
    >>> x = torch.ones(2, 2, requires_grad=True)
    >>> y = checkpoint(lambda x: (x @ x).sin(), x, use_reentrant=False, context_fn=keep_products)
    >>> y.sum().backward()
    >>> x.grad
    tensor([[-1.6646, -1.6646],
            [-1.6646, -1.6646]])
    """
    if isinstance(policy_fn_or_list, list):
        chosen = policy_fn_or_list
        for op in chosen:
            if not isinstance(op, OpOverload):
                raise ValueError(
                    f"Expected op in `op_list` to be an OpOverload but got: {op} of type {type(op)}. Please "
                    "update the OpOverloadPacket to a specific OpOverload: torch.ops.aten.mm.default for "
                    "torch.ops.aten.mm."
                )
        policy: Callable[..., Any] = lambda context, op, *args, **kwargs: op in chosen
    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    calls: dict[Any, list[Any]] = defaultdict(list)
    return Saving(policy, calls), Using(calls, allow_cache_entry_mutation)
