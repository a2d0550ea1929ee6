"""CUDA, as PyTorch without it: what scripts ask before they choose a device, and errors for what needs one."""

from typing import Any as _Any

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.cuda import amp

__all__ = [
    "amp",
    "current_device",
    "device_count",
    "empty_cache",
    "get_device_name",
    "get_device_properties",
    "get_rng_state_all",
    "init",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "memory_allocated",
    "memory_reserved",
    "seed",
    "seed_all",
    "set_device",
    "set_rng_state_all",
    "synchronize",
]


def is_available() -> bool:
    """Whether there is CUDA: there is not.

    >>> import rushlight as torch
    >>> torch.device("cuda" if torch.cuda.is_available() else "cpu")
    device(type='cpu')
    """
    return False


def device_count() -> int:
    """The number of CUDA devices: 0."""
    return 0


def is_initialized() -> bool:
    """Whether CUDA was initialised: it was not."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether the current device computes in bfloat16: there is none that could."""
    return False


def manual_seed(seed: int) -> None:
    """Seeds the generator of the current device, of which there is none: nothing happens, as in PyTorch."""


def manual_seed_all(seed: int) -> None:
    """Seeds the generators of all devices, of which there are none: nothing happens, as in PyTorch."""


def seed() -> None:
    """As `manual_seed`, with a random seed."""


def seed_all() -> None:
    """As `manual_seed_all`, with a random seed."""


def get_rng_state_all() -> list:
    """The states of the generators of all devices: none."""
    return []


def set_rng_state_all(new_states: _Any) -> None:
    """Sets the states of the generators of all devices. RuntimeError for more states than there are devices: none."""
    if len(list(new_states)):
        raise RuntimeError("There is no CUDA device whose generator could be given a state: pass an empty list.")


def empty_cache() -> None:
    """Frees unused memory of devices, of which there are none: nothing happens, as in PyTorch."""


def memory_allocated(device: _Any = None) -> int:
    """The memory in use on a device: 0."""
    return 0


def max_memory_allocated(device: _Any = None) -> int:
    """The most memory that was in use on a device: 0."""
    return 0


def memory_reserved(device: _Any = None) -> int:
    """The memory held on a device: 0."""
    return 0


def init() -> None:
    """Raises AssertionError, as PyTorch without CUDA; so do all functions below."""
    raise AssertionError("Torch not compiled with CUDA enabled. rushlight computes on the CPU only.")


def synchronize(device: _Any = None) -> None:
    """Raises AssertionError: there is no device to wait for."""
    init()


def current_device() -> None:
    """Raises AssertionError: there is no device."""
    init()


def set_device(device: _Any) -> None:
    """Raises AssertionError: there is no device."""
    init()


def get_device_name(device: _Any = None) -> None:
    """Raises AssertionError: there is no device."""
    init()


def get_device_properties(device: _Any = None) -> None:
    """Raises AssertionError: there is no device."""
    init()


_explain_misses(globals())
