"""Random numbers: the same streams as PyTorch's CPU generator, on NumPy's Mersenne Twister."""

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
    """Begin the stream of `seed` on the default generator, and return that generator.

    Anything that `int` takes is a seed. Raises ValueError if it is not from -2**63 to 2**64 - 1.

    >>> from rushlight import random
    >>> random.manual_seed(42).initial_seed()
    42
    """
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Begin the stream of a seed from the operating system on the default generator, and return that seed.

    >>> import rushlight as torch
    >>> drawn = torch.seed()
    >>> torch.initial_seed() == drawn
    True
    """
    return default_generator.seed()


def initial_seed() -> int:
    """Return the seed with which the default generator's stream began.

    >>> import rushlight as torch
    >>> torch.manual_seed(7).initial_seed(), torch.initial_seed()
    (7, 7)
    """
    return default_generator.initial_seed()


def get_rng_state() -> Any:
    """Return the state of the default generator as a tensor of bytes.

    >>> import rushlight as torch
    >>> state = torch.get_rng_state()
    >>> a = torch.rand(2)
    >>> torch.set_rng_state(state)
    >>> torch.equal(torch.rand(2), a)
    True
    """
    return default_generator.get_state()


def set_rng_state(new_state: Any) -> None:
    """Put the default generator into a state that `get_rng_state` gave.

    >>> import rushlight as torch
    >>> state = torch.get_rng_state()
    >>> first = torch.rand(2)
    >>> torch.set_rng_state(state)
    >>> torch.equal(first, torch.rand(2))
    True
    """
    default_generator.set_state(new_state)


class Forked(Undone, ContextDecorator):
    """A context at whose end the default generator is put back to where it was at the beginning."""

    state = None

    def begin(self) -> None:
        """Notes where the generator is."""
        self.state = default_generator._state_array()

    def end(self) -> None:
        """Puts it back."""
        if self.state is not None:
            default_generator._set_state_array(self.state)

    def _recreate_cm(self):
        return Forked()


def fork_rng(
    devices: Iterable[object] | None = None, enabled: bool = True, device_type: str | None = None
) -> AbstractContextManager[Any]:
    """Put the default generator back, at the end of the block, to where it was at the beginning.

    With `enabled=False`, or for the device type "meta", the block runs as it is. Raises RuntimeError if
    `devices` names any: only the CPU has a generator, and it is always forked.

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
