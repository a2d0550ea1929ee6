"""Random numbers: the same streams as PyTorch's CPU generator, from NumPy's Mersenne Twister."""

from collections.abc import Iterable
from contextlib import AbstractContextManager, ContextDecorator, nullcontext
from typing import Any

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.core.modes import Undone
from rushlight.random.generator import Generator, default_generator

__all__ = [
    "Generator",
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]


def manual_seed(seed: int) -> Generator:
    """Seed the default generator, and return that generator.

    Any value that `int` accepts is a seed. Raises ValueError if it is not from -2**63 to 2**64 - 1.

    >>> from rushlight import random
    >>> random.manual_seed(42).initial_seed()
    42
    """
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Seed the default generator with a number from the operating system, and return that number.

    >>> import rushlight as torch
    >>> drawn = torch.seed()
    >>> torch.initial_seed() == drawn
    True
    """
    return default_generator.seed()


def initial_seed() -> int:
    """Return the seed of the default generator.

    >>> import rushlight as torch
    >>> torch.manual_seed(7).initial_seed(), torch.initial_seed()
    (7, 7)
    """
    return default_generator.initial_seed()


def get_rng_state() -> Any:
    """Return the state of the default generator as a uint8 tensor.

    >>> import rushlight as torch
    >>> state = torch.get_rng_state()
    >>> a = torch.rand(2)
    >>> torch.set_rng_state(state)
    >>> torch.equal(torch.rand(2), a)
    True
    """
    return default_generator.get_state()


def set_rng_state(new_state: Any) -> None:
    """Set the state of the default generator to a state that `get_rng_state` returned.

    >>> import rushlight as torch
    >>> state = torch.get_rng_state()
    >>> first = torch.rand(2)
    >>> torch.set_rng_state(state)
    >>> torch.equal(first, torch.rand(2))
    True
    """
    default_generator.set_state(new_state)


class Forked(Undone, ContextDecorator):
    """A context at whose end the state of the default generator is restored."""

    state = None

    def begin(self) -> None:
        """Saves the state of the generator."""
        self.state = default_generator._state_array()

    def end(self) -> None:
        """Restores the saved state."""
        if self.state is not None:
            default_generator._set_state_array(self.state)

    def _recreate_cm(self) -> "Forked":
        return Forked()


def fork_rng(
    devices: Iterable[object] | None = None, enabled: bool = True, device_type: str | None = None
) -> AbstractContextManager[Any]:
    """Restore the state of the default generator at the end of the block.

    With `enabled=False`, or for the device type "meta", nothing is restored. Raises RuntimeError if `devices` is not
    empty: only the CPU has a generator, and its state is always restored.

    >>> from rushlight import random
    >>> start = random.initial_seed()
    >>> with random.fork_rng():
    ...     _ = random.manual_seed(0)
    >>> random.initial_seed() == start
    True
    """
    if not enabled or device_type == "meta":
        return nullcontext()
    if devices is not None and (named := list(devices)):
        raise RuntimeError(f"fork_rng has no generator for devices {named}: leave them out for the CPU's")
    return Forked()


_explain_misses(globals())
