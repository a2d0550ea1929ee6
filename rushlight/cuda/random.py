"""Random numbers on CUDA devices, of which there are none: seeds and states are accepted, as in PyTorch."""

from typing import Any

from rushlight.cuda.without import not_compiled
from rushlight.tensors import Tensor

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
    """Does nothing, as in PyTorch: there is no device whose generator could be seeded."""
    int(seed)


def manual_seed_all(seed: int) -> None:
    """Does nothing, as in PyTorch: there are no devices whose generators could be seeded."""
    int(seed)


def seed() -> None:
    """Does nothing, as `manual_seed`."""


def seed_all() -> None:
    """Does nothing, as `manual_seed_all`."""


def initial_seed() -> None:
    """Raises AssertionError: there is no generator."""
    not_compiled()


def get_rng_state(device: Any = "cuda") -> None:
    """Raises AssertionError: there is no generator."""
    not_compiled()


def get_rng_state_all() -> list[Tensor]:
    """The states of the generators of all devices: an empty list."""
    return []


def set_rng_state(new_state: Any, device: Any = "cuda") -> None:
    """Does nothing, as in PyTorch: there is no device whose generator could have the state.

    So programs that were saved with devices can continue. AttributeError for a value that is not a tensor.
    """
    new_state.clone()


def set_rng_state_all(new_states: Any) -> None:
    """Does nothing for a list of states, as `set_rng_state`."""
    for state in new_states:
        set_rng_state(state)
