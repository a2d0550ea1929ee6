"""Checkpointing: values that a function saves for backward are dropped, and computed again when backward needs them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib import import_module
from typing import Any

from rushlight.absent.misses import type_or_miss as _type_or_miss
from rushlight.autograd import Function, backward, enable_grad, no_grad
from rushlight.core.engine import RUN
from rushlight.core.graph import TensorBase
from rushlight.core.lines import warn
from rushlight.core.modes import CURRENT
from rushlight.random import fork_rng, get_rng_state, set_rng_state
from rushlight.tensors import Tensor
from rushlight.utils.recomputation import METADATA, CheckpointError, Frame, surroundings

__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "detach_variable",
    "get_device_states",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
    "set_device_states",
]

Contexts = tuple[AbstractContextManager[Any], AbstractContextManager[Any]]


def noop_context_fn() -> Contexts:
    """Two contexts that do nothing: for the first call, and for the recomputation.

    >>> import rushlight as torch
    >>> forward, again = torch.utils.checkpoint.noop_context_fn()
    >>> with forward:
    ...     torch.ones(1)
    tensor([1.])
    """
    return nullcontext(), nullcontext()


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], Contexts] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """Calls a function without keeping what it saves for backward: the backward pass calls the function again.

    This saves memory and costs time.

    With `use_reentrant=False`, which is recommended, saved tensors are replaced one by one: everything works as without
    checkpointing. `use_reentrant=True`, the default with a warning, makes the call one node of the graph that runs a
    backward pass of its own: it needs an argument that requires grad, and works only with `backward` without `inputs`.

    `preserve_rng_state` (True) makes both calls draw the same random numbers. Only with `use_reentrant=False`: keyword
    arguments for the function; `context_fn`, which returns a context for each of the two calls; `determinism_check`
    ("default" or "none"), whether shapes and dtypes of the tensors saved by both calls are compared; `debug`, whether
    the error for a mismatch shows the lines that saved; `early_stop`, whether the second call ends as soon as all
    needed tensors are saved.

    Raises ValueError for options that exclude each other, CheckpointError if the two calls differ.

    >>> import rushlight as torch
    >>> from rushlight.utils.checkpoint import checkpoint
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> y = checkpoint(lambda x: (x * x).exp(), x, use_reentrant=False)
    >>> y.sum().backward()
    >>> torch.allclose(x.grad, 2 * x * (x * x).exp())
    True
    """
    if use_reentrant is None:
        warn(USE_REENTRANT.format(name="checkpoint", version="Starting in PyTorch 2.9"))
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        refuse_keywords(kwargs)
        if context_fn is not noop_context_fn or debug is not False:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve, *args)
    debug = debug if _options["debug"] is None else _options["debug"]
    if debug and context_fn is not noop_context_fn:
        raise ValueError("debug=True is incompatible with non-default context_fn")
    if determinism_check not in METADATA:
        raise ValueError(f"determinism_check should be one of {list(METADATA)}, but got {determinism_check}")
    if not CURRENT.get().grad:
        return function(*args, **kwargs)
    early_stop = early_stop if _options["early_stop"] is None else _options["early_stop"]
    frame = Frame(function, args, kwargs, preserve, METADATA[determinism_check], early_stop, debug)
    return frame.run(*context_fn())


def checkpoint_sequential(
    functions: Any, segments: int, input: Tensor, use_reentrant: bool | None = None, **kwargs: Any
) -> Tensor:
    """Calls functions in sequence, or the modules of a Sequential, in checkpointed segments except the last.

    `use_reentrant` and `preserve_rng_state` are those of `checkpoint`.

    >>> import rushlight as torch
    >>> from rushlight.utils.checkpoint import checkpoint_sequential
    >>> x = torch.ones(2, requires_grad=True)
    >>> checkpoint_sequential([torch.exp, torch.log, torch.sin, torch.cos], 2, x, use_reentrant=False).sum().backward()
    """
    if use_reentrant is None:
        warn(
            USE_REENTRANT.format(name="checkpoint.checkpoint_sequential", version="In version 2.9"),
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    refuse_keywords(kwargs)
    steps = list(functions)
    size = len(steps) // segments
    last = size * (segments - 1)
    for start in range(0, last, size):
        input = checkpoint(
            chained(steps[start : start + size]),
            input,
            use_reentrant=use_reentrant,
            preserve_rng_state=preserve,
        )
    return chained(steps[last:])(input)


def chained(steps: Any) -> Callable[..., Any]:
    """The functions composed into one."""

    def run(input: Tensor) -> Tensor:
        for step in steps:
            input = step(input)
        return input

    return run


def refuse_keywords(kwargs: dict[str, Any]) -> None:
    """Raises ValueError for unexpected keyword arguments."""
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))


USE_REENTRANT = (
    "torch.utils.{name}: the use_reentrant parameter should be passed explicitly. {version}, calling checkpoint "
    "without use_reentrant will raise an exception. use_reentrant=False is recommended, but if you need to preserve "
    "the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on the differences "
    "between the two variants."
)
_options: dict[str, bool | None] = {"debug": None, "early_stop": None}


@contextmanager
def overridden(option: str, value: Any) -> Iterator[Any]:
    """A context in which an option of `checkpoint` has the same value for all calls."""
    previous = _options[option]
    _options[option] = value
    try:
        yield
    finally:
        _options[option] = previous


def set_checkpoint_early_stop(enable: bool) -> AbstractContextManager[None]:
    """A context that sets `early_stop` for all checkpointed functions.

    >>> import rushlight as torch
    >>> from rushlight.utils.checkpoint import checkpoint, set_checkpoint_early_stop
    >>> x = torch.tensor(1.0, requires_grad=True)
    >>> with set_checkpoint_early_stop(False):
    ...     checkpoint(torch.exp, x, use_reentrant=False).backward()
    >>> x.grad
    tensor(2.7183)
    """
    return overridden("early_stop", enable)


def set_checkpoint_debug_enabled(enabled: bool | None) -> AbstractContextManager[None]:
    """A context that sets `debug` for all checkpointed functions; None leaves it to each call.

    >>> import rushlight as torch
    >>> from rushlight.utils.checkpoint import checkpoint, set_checkpoint_debug_enabled
    >>> x = torch.tensor(1.0, requires_grad=True)
    >>> with set_checkpoint_debug_enabled(False):
    ...     checkpoint(torch.exp, x, use_reentrant=False).backward()
    >>> x.grad
    tensor(2.7183)
    """
    return overridden("debug", enabled)


class CheckpointFunction(Function):
    """The reentrant form: a node that calls the function again and runs a backward pass through it.

    >>> import rushlight as torch
    >>> x = torch.tensor(1.0, requires_grad=True)
    >>> torch.utils.checkpoint.checkpoint(torch.exp, x, use_reentrant=True).grad_fn.name()
    'CheckpointFunctionBackward'
    """

    @staticmethod
    def forward(ctx: Any, run_function: Callable[..., Any], preserve_rng_state: bool, *args: Any) -> Any:
        """Calls the function without recording."""
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.random_state = get_rng_state() if preserve_rng_state else None
        ctx.surroundings = surroundings()
        ctx.others = [None if isinstance(arg, TensorBase) else arg for arg in args]
        ctx.places = [i for i, arg in enumerate(args) if isinstance(arg, TensorBase)]
        ctx.save_for_backward(*(args[i] for i in ctx.places))
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *args: Any) -> Any:
        """Calls the function again with recording, and differentiates the result."""
        if not RUN.get().whole:
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` "
                "parameter to .backward(). To resolve this error, you can either set use_reentrant=False, or call "
                ".backward() without passing the `inputs` argument."
            )
        inputs = list(ctx.others)
        for i, tensor in zip(ctx.places, ctx.saved_tensors, strict=True):
            inputs[i] = tensor
        detached = detach_variable(tuple(inputs))
        with ctx.surroundings(), fork_rng(enabled=ctx.random_state is not None), enable_grad():
            if ctx.random_state is not None:
                set_rng_state(ctx.random_state)
            outputs = ctx.run_function(*detached)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        live = [i for i, out in enumerate(outputs) if isinstance(out, TensorBase) and out.requires_grad]
        if not live:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([outputs[i] for i in live], [args[i] for i in live])
        return None, None, *(x.grad if isinstance(x, TensorBase) else None for x in detached)


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Detaches the tensors of a tuple, keeping `requires_grad`; other values are unchanged.

    >>> import rushlight as torch
    >>> x = torch.tensor([1.0], requires_grad=True) * 2
    >>> copies = torch.utils.checkpoint.detach_variable((x, "text"))
    >>> copies[0].is_leaf, copies[0].requires_grad, copies[1]
    (True, True, 'text')
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError(f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}")
    return tuple(x.detach().requires_grad_(x.requires_grad) if isinstance(x, TensorBase) else x for x in inputs)


def get_device_states(*args: Any) -> tuple[list[int], list[Tensor]]:
    """The devices of tensors among arguments, and the states of their generators: none, as tensors are on the CPU.

    The state of the CPU's generator is `torch.get_rng_state()`.

    >>> import rushlight as torch
    >>> torch.utils.checkpoint.get_device_states(torch.ones(2))
    ([], [])
    """
    return [], []


def set_device_states(devices: Sequence[int], states: Sequence[Tensor], *, device_type: str | None = None) -> None:
    """Restores what `get_device_states` returned. RuntimeError for devices that do not exist.

    >>> import rushlight as torch
    >>> torch.utils.checkpoint.set_device_states(*torch.utils.checkpoint.get_device_states(torch.ones(2)))
    """
    if len(devices):
        raise RuntimeError(
            f"There is no device {devices[0]}: tensors are the CPU's. Use torch.set_rng_state for those."
        )


def check_backward_validity(inputs: Any) -> None:
    """Warns if none of some inputs requires grad.

    >>> import rushlight as torch
    >>> import warnings
    >>> with warnings.catch_warnings(action="error"):
    ...     torch.utils.checkpoint.check_backward_validity([torch.ones(1)])
    Traceback (most recent call last):
        ...
    UserWarning: None of the inputs have requires_grad=True. Gradients will be None
    """
    if not any(x.requires_grad for x in inputs if isinstance(x, TensorBase)):
        warn("None of the inputs have requires_grad=True. Gradients will be None")


SELECTIVE = {
    "SAC_IGNORED_OPS",
    "CheckpointPolicy",
    "SelectiveCheckpointContext",
    "create_selective_checkpoint_contexts",
}


def __getattr__(name: str) -> Any:
    """Loads selective checkpointing at its first use; AttributeError for an unknown name, with the reason."""
    if name in SELECTIVE:
        return getattr(import_module("rushlight.utils.selective_checkpoint"), name)
    return _type_or_miss("rushlight.utils.checkpoint", name)
