"""Backward hooks of modules: inputs and results pass through identity nodes, whose hooks call the user's hooks."""

from collections.abc import Sequence
from typing import Any

from rushlight.core.aliases import Array
from rushlight.core.batching import on_batched
from rushlight.core.graph import TensorBase
from rushlight.core.hooks import add_hook, hooks_of
from rushlight.core.lines import warn
from rushlight.core.operators import Operator
from rushlight.core.recording import recording
from rushlight.tensors import Tensor

PASS = Operator(
    "module_boundary",
    tuple,
    ("tensors",),
    {},
    joint=lambda grad: list(grad),
    inputs=("tensors",),
    lists=("tensors",),
    node="BackwardHookFunctionBackward",
    aten=(),
    batch=on_batched,
)


def through(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Passes the tensors among the values through one identity node.

    Returns the values, and the node (None if nothing requires grad).
    """
    places = [i for i, value in enumerate(values) if isinstance(value, TensorBase)]
    if not recording() or not any(values[i].requires_grad for i in places):
        return values, None
    passed = list(values)
    for i, out in zip(places, PASS(tuple(values[i] for i in places)), strict=True):
        out._counter = values[i]._versions()
        if values[i].requires_grad:
            node = out._node
            passed[i] = out
    return type(values)(passed) if type(values) is tuple else type(values)(*passed), (node, places)


class BackwardHook:
    """Calls the backward hooks of a module, for one call of the module."""

    n_inputs: int

    inputs: Any

    def __init__(self, module: Any, user_hooks: Any, user_pre_hooks: Any):
        self.module = module
        self.hooks = user_hooks
        self.pre_hooks = user_pre_hooks
        self.grad_outputs: Any = None
        self.inputs = None  # the node of the arguments, and the positions of tensors among them
        self.n_inputs = 0

    def setup_input_hook(self, args: Any) -> Any:
        """The arguments, passed through an identity node."""
        self.n_inputs = len(args)
        args, self.inputs = through(args)
        if self.inputs is not None:
            add_hook(hooks_of(self.inputs[0]).post, self.on_inputs)
        return args

    def setup_output_hook(self, args: Any) -> Any:
        """The result, passed through another identity node."""
        if not isinstance(args, (TensorBase, tuple)):
            warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
                f"{type(args)}",
            )
        several = isinstance(args, tuple)
        results, outputs = through(args if several else (args,))
        if outputs is not None:
            node, places = outputs
            number = len(results)
            add_hook(hooks_of(node).pre, lambda grads: self.on_outputs(grads, places, number))
        return results if several else results[0]

    def on_outputs(
        self, grads: Sequence[Tensor | None], places: Sequence[int], number: int
    ) -> tuple[Tensor | None, ...]:
        """Stores the gradients of the results, after the backward pre-hooks, which may change them."""
        self.grad_outputs = values_at_places(grads, places, number)
        for hook in self.pre_hooks:
            changed = hook(self.module, self.grad_outputs)
            if changed is not None:
                self.grad_outputs = as_many(changed, number, "Backward pre hook", "grad_output")
        outputs = self.grad_outputs
        if self.inputs is None:
            self.without_inputs()
        return tuple(outputs[i] for i in places)

    def without_inputs(self) -> None:
        """Calls the backward hooks right away, if none of the module's inputs requires grad."""
        warn(
            "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs "
            "require gradients.",
        )
        nothing = (None,) * self.n_inputs
        for hook in self.hooks:
            result = hook(self.module, nothing, self.grad_outputs)
            if result is not None and not (isinstance(result, tuple) and all(grad is None for grad in result)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None or None for "
                    "all gradients."
                )
        self.grad_outputs = None

    def on_inputs(self, grads: Sequence[Array], _: Any) -> Any:
        """The gradients of the inputs, after the backward hooks, which may change them."""
        if self.grad_outputs is None:
            return None
        places = self.inputs[1]
        grads = values_at_places(grads, places, self.n_inputs)
        for hook in self.hooks:
            changed = hook(self.module, grads, self.grad_outputs)
            if changed is not None:
                grads = as_many(changed, len(grads), "Backward hook", "grad_input")
        self.grad_outputs = None
        return tuple(grads[i] for i in places)


def values_at_places(values: Array, places: Any, number: Any) -> Any:
    """A tuple of `number` entries: the values at the given positions, the others None."""
    entries = [None] * number
    for i, value in zip(places, values, strict=True):
        entries[i] = value
    return tuple(entries)


def as_many(grads: Any, number: Any, hook: Any, what: Any) -> Any:
    """A hook's return value as a tuple of `number` gradients; RuntimeError for another number of them."""
    grads = (grads,) if isinstance(grads, TensorBase) else tuple(grads)
    if len(grads) != number:
        raise RuntimeError(f"{hook} returned an invalid number of {what}, got {len(grads)}, but expected {number}")
    return grads
