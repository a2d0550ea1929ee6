"""`torch.xpu` as in PyTorch without Intel's GPUs: scripts ask for a device; what needs one raises."""

from typing import Any, NoReturn

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.accelerator import device_count, is_available

__all__ = ["device_count", "is_available"]
__all__ += """
    current_device empty_cache get_device_capability get_device_name get_device_properties
    is_bf16_supported is_initialized manual_seed manual_seed_all max_memory_allocated max_memory_reserved
    memory_allocated memory_reserved seed seed_all set_device synchronize
""".split()


def is_initialized() -> bool:
    """Whether the device was initialized: False."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether the current device computes in bfloat16: False, as there is none."""
    return False


def manual_seed(seed: int) -> None:
    """Does nothing, as in PyTorch: there is no device whose generator could be seeded."""
    int(seed)


def seed() -> None:
    """Does nothing, as `manual_seed`."""


def empty_cache() -> None:
    """Does nothing, as in PyTorch: there is no device with memory."""


def memory_allocated(device: Any = None) -> int:
    """The memory that tensors take on a device: 0, as there is none.

    >>> import rushlight as torch
    >>> torch.xpu.memory_allocated()
    0
    """
    return 0


def not_compiled(*arguments: Any) -> NoReturn:
    """Raises AssertionError: there is no such device."""
    raise AssertionError(
        "Torch not compiled with XPU enabled. rushlight computes on the CPU only: ask torch.xpu.is_available() first."
    )


def synchronize(device: Any = None) -> None:
    """Raises AssertionError, as do the functions below: there is no device to wait for."""
    not_compiled()


def current_device() -> None:
    """Raises AssertionError: there is no device."""
    not_compiled()


def set_device(device: Any) -> None:
    """Raises AssertionError: there is no device to select."""
    not_compiled()


def get_device_name(device: Any = None) -> None:
    """Raises AssertionError: there is no device."""
    not_compiled()


manual_seed_all, seed_all = manual_seed, seed
max_memory_allocated = memory_reserved = max_memory_reserved = memory_allocated
get_device_properties = get_device_capability = get_device_name

_explain_misses(globals())
