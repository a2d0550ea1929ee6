"""`torch.mps` as in PyTorch without Apple's Metal: scripts ask for a device; what needs one raises."""

from typing import NoReturn

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.accelerator import device_count, is_available
from rushlight.core.graph import TensorBase

__all__ = ["device_count", "is_available"]
__all__ += """
    current_allocated_memory driver_allocated_memory empty_cache get_rng_state manual_seed
    recommended_max_memory seed set_rng_state synchronize
""".split()


def manual_seed(seed: int) -> None:
    """Does nothing, as in PyTorch: there is no device whose generator could be seeded."""
    int(seed)


def not_built(function: str) -> NoReturn:
    """Raises RuntimeError: there is no such device."""
    raise RuntimeError(
        f"Cannot execute {function}() without MPS backend. rushlight computes on the CPU only: ask "
        "torch.backends.mps.is_available() first."
    )


def synchronize() -> None:
    """Raises RuntimeError, as do the functions below: there is no device to wait for."""
    not_built("deviceSynchronize")


def empty_cache() -> None:
    """Raises RuntimeError: there is no device with memory."""
    not_built("emptyCache")


def current_allocated_memory() -> int:
    """Raises RuntimeError: there is no device with memory."""
    not_built("getCurrentAllocatedMemory")


def driver_allocated_memory() -> int:
    """Raises RuntimeError: there is no device with memory."""
    not_built("getDriverAllocatedMemory")


def recommended_max_memory() -> int:
    """Raises RuntimeError: there is no device with memory."""
    not_built("getRecommendedMaxMemory")


def seed() -> None:
    """Raises RuntimeError: there is no generator."""
    not_built("getDefaultGenerator")


def get_rng_state() -> TensorBase:
    """Raises RuntimeError: there is no generator."""
    not_built("getDefaultGenerator")


def set_rng_state(new_state: TensorBase) -> None:
    """Raises RuntimeError: there is no generator."""
    not_built("getDefaultGenerator")


_explain_misses(globals())
