"""Random numbers on CUDA devices, of which there are none: seeds and states for them are taken, as in PyTorch."""

from typing import Any

from rushlight.cuda.without import not_compiled

__all__ = [
    "get_rng_state",
    "get_rng_state_all",
    "initial_seed",
    "manual_seed",
    "manual_seed_all",
    "seed",
    "seed_all",
    "set_rng_state",
    "set_rng_state_all",
]


def manual_seed(seed: int) -> None:
    """Seeds the generator of the current device, of which there is none: nothing happens, as in PyTorch."""
    int(seed)


def manual_seed_all(seed: int) -> None:
    """Seeds the generators of all devices, of which there are none: nothing happens, as in PyTorch."""
    int(seed)


def seed() -> None:
    """As `manual_seed`, with a random seed."""


def seed_all() -> None:
    """As `manual_seed_all`, with a random seed."""


def initial_seed() -> None:
    """Raises AssertionError: there is no generator that could have a seed."""
    not_compiled()


def get_rng_state(device: Any = "cuda") -> None:
    """Raises AssertionError: there is no generator that could have a state."""
    not_compiled()


def get_rng_state_all() -> list:
    """The states of the generators of all devices: none."""
    return []


def set_rng_state(new_state: Any, device: Any = "cuda") -> None:
    """Sets the state of a device's generator. There is none: the state waits for one, as in PyTorch, that never comes.

    So a program goes on that was saved where there were devices. AttributeError for what is no tensor.
    """
    new_state.clone()


def set_rng_state_all(new_states: Any) -> None:
    """Sets the states of the generators of all devices, as `set_rng_state` does."""
    for state in new_states:
        set_rng_state(state)
