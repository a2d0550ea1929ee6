"""Random numbers on CUDA devices, of which there are none: seeds and states are accepted, as in PyTorch."""

from typing import Any

from rushlight.absent.hardware import manual_seed, seed
from rushlight.cuda.without import not_compiled
from rushlight.tensors import Tensor

__all__ = ["manual_seed", "seed"]
__all__ += """
    get_rng_state get_rng_state_all initial_seed manual_seed_all seed_all set_rng_state set_rng_state_all
""".split()

manual_seed_all, seed_all = manual_seed, seed
initial_seed, get_rng_state = not_compiled(), not_compiled("device='cuda'")


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
