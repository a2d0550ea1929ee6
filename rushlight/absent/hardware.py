"""What functions of devices do where there are none: the modules of devices are tables of names and these outcomes."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from rushlight.absent.misses import no_such_name

CPU_ONLY = "rushlight computes on the CPU only"


def is_available() -> bool:
    """Whether there is such a device: False."""
    return False


def is_initialized() -> bool:
    """Whether the device was initialized: False, as there is none."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether the current device computes in bfloat16: False, as there is none."""
    return False


def device_count() -> int:
    """The number of such devices: 0."""
    return 0


def memory_allocated(device: Any = None) -> int:
    """The bytes that tensors take on a device: 0, as there is none. So are their peak and the reserved memory."""
    return 0


def empty_cache() -> None:
    """Does nothing, as in PyTorch: there is no device with memory to free."""


def manual_seed(seed: int) -> None:
    """Does nothing, as in PyTorch: there is no device whose generator could be seeded. TypeError for no number."""
    int(seed)


def seed() -> None:
    """Does nothing, as in PyTorch: there is no device whose generator could be seeded."""


class Needed:
    """Makes functions that need a device, and so raise an error. The message ends with advice.

    >>> absent = Needed(RuntimeError, "There is no GPU.", "Use the CPU.")
    >>> wait = absent("device=None")
    >>> wait()
    Traceback (most recent call last):
    ...
    RuntimeError: There is no GPU. Use the CPU.
    """

    def __init__(self, error: type[Exception], said: str, advice: str) -> None:
        self.error, self.message = error, f"{said} {advice}"

    def __call__(self, parameters: str = "") -> Callable[..., NoReturn]:
        """A function of these parameters. TypeError for arguments that do not fit them."""
        return failing(parameters, lambda: self.error(self.message), self.error.__name__)


def not_in_build(name: str, parameters: str = "") -> Callable[..., NoReturn]:
    """A function that raises AttributeError: a part of PyTorch's builds with CUDA that it calls is not there."""
    return failing(parameters, lambda: no_such_name("rushlight._C", name), "AttributeError")


def failing(parameters: str, error: Callable[[], Exception], kind: str) -> Callable[..., NoReturn]:
    """A function of these parameters that raises what `error` makes."""
    signature = inspect.signature(eval(f"lambda {parameters}: None"))

    def needs_device(*args: Any, **kwargs: Any) -> NoReturn:
        signature.bind(*args, **kwargs)
        raise error()

    needs_device.__signature__ = signature  # type: ignore[attr-defined]
    needs_device.__doc__ = f"Raises {kind}, as PyTorch without such devices."
    return needs_device


def entered(function: Callable[..., NoReturn]) -> Callable[..., Any]:
    """A context manager that calls a function when it is entered, and so raises its error."""

    @contextmanager
    def calling(*args: Any, **kwargs: Any) -> Iterator[None]:
        function(*args, **kwargs)
        yield

    def context(*args: Any, **kwargs: Any) -> Any:
        inspect.signature(function).bind(*args, **kwargs)
        return calling(*args, **kwargs)

    context.__doc__ = f"A context. {function.__doc__}"
    return context
