"""`torch.accelerator` without an accelerator: rushlight computes on the CPU."""

from typing import Any, NoReturn

from rushlight.absent.misses import explain_misses as _explain_misses

__all__ = """
    current_accelerator current_device_idx current_device_index current_stream device_count device_index empty_cache
    empty_host_cache get_device_capability get_memory_info is_available max_memory_allocated max_memory_reserved
    memory_allocated memory_reserved memory_stats reset_accumulated_memory_stats reset_peak_memory_stats set_device_idx
    set_device_index set_stream synchronize
""".split()


def is_available() -> bool:
    """Whether there is an accelerator: False."""
    return False


def device_count() -> int:
    """The number of accelerators: 0."""
    return 0


def current_accelerator(check_available: bool = False) -> None:
    """The device of the accelerator: None, as there is none."""


def none_available(*arguments: Any) -> NoReturn:
    """Raises RuntimeError: there is no accelerator."""
    raise RuntimeError(
        "Cannot access accelerator device when none is available. rushlight computes on the CPU only: ask "
        "torch.accelerator.is_available() first."
    )


def current_device_index() -> int:
    """Raises RuntimeError, as do the functions below: there is no accelerator."""
    none_available()


def set_device_index(device: Any, /) -> None:
    """Raises RuntimeError: there is no accelerator to select."""
    none_available()


def synchronize(device: Any = None, /) -> None:
    """Raises RuntimeError: there is no accelerator to wait for."""
    none_available()


def current_stream(device: Any = None, /) -> None:
    """Raises RuntimeError: there is no accelerator."""
    none_available()


def set_stream(stream: Any) -> None:
    """Raises RuntimeError: there is no accelerator."""
    none_available()


def empty_cache() -> None:
    """Raises RuntimeError: there is no accelerator with memory."""
    none_available()


def memory_allocated(device: Any = None, /) -> int:
    """Raises RuntimeError: there is no accelerator with memory."""
    none_available()


def get_device_capability(device: Any = None, /) -> None:
    """Raises RuntimeError: there is no accelerator."""
    none_available()


class device_index:
    """A context that selects an accelerator. RuntimeError on entry: there is none."""

    def __init__(self, device: int | None, /) -> None:
        self.idx = device

    def __enter__(self) -> None:
        if self.idx is not None:
            none_available()

    def __exit__(self, *exception: object) -> None:
        pass


current_device_idx, set_device_idx, empty_host_cache = current_device_index, set_device_index, empty_cache
max_memory_allocated = memory_reserved = max_memory_reserved = memory_allocated
memory_stats = reset_peak_memory_stats = reset_accumulated_memory_stats = get_memory_info = memory_allocated

_explain_misses(globals())
