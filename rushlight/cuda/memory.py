"""Memory on CUDA devices, of which there are none: nothing is in use, and nothing can be set."""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.cuda.without import ADVICE, index_of, not_built_in, not_compiled, only_a_name

__all__ = """
    CUDAPluggableAllocator MemPool caching_allocator_alloc caching_allocator_delete caching_allocator_disabled
    caching_allocator_enable change_current_allocator empty_cache get_allocator_backend get_per_process_memory_fraction
    host_memory_stats host_memory_stats_as_nested_dict list_gpu_processes max_memory_allocated max_memory_cached
    max_memory_reserved mem_get_info memory_allocated memory_cached memory_reserved memory_snapshot memory_stats
    memory_stats_as_nested_dict memory_summary reset_accumulated_host_memory_stats reset_accumulated_memory_stats
    reset_max_memory_allocated reset_max_memory_cached reset_peak_host_memory_stats reset_peak_memory_stats
    set_per_process_memory_fraction use_mem_pool
""".split()


def empty_cache() -> None:
    """Frees unused memory of devices, of which there are none: nothing happens, as in PyTorch."""


def memory_allocated(device: Any = None) -> int:
    """The memory in use on a device: 0. So are the most of it, what is reserved, and the most of that."""
    return 0


max_memory_allocated = memory_reserved = max_memory_reserved = memory_cached = max_memory_cached = memory_allocated


def memory_stats(device: Any = None) -> OrderedDict[str, Any]:
    """The counts of a device's memory: none, as there is no device."""
    return OrderedDict()


def memory_stats_as_nested_dict(device: Any = None) -> dict[str, Any]:
    """`memory_stats` as dictionaries in each other: none."""
    return {}


def host_memory_stats() -> OrderedDict[str, Any]:
    """The counts of memory that copies to devices go through: none."""
    return OrderedDict()


def host_memory_stats_as_nested_dict() -> dict[str, Any]:
    """`host_memory_stats` as dictionaries in each other: none."""
    return {}


def memory_summary(device: Any = None, abbreviated: bool = False) -> None:
    """Raises KeyError, as in PyTorch: `memory_stats` has no counts that could be shown."""
    index_of(device, optional=True)
    raise KeyError(f"allocated_bytes.all.current: there is no device whose memory could be shown. {ADVICE}")


def list_gpu_processes(device: Any = None) -> str:
    """The processes that use a device, as text: that nothing here could tell them."""
    return "pynvml module not found, please install nvidia-ml-py"


def mem_get_info(device: Any = None) -> None:
    """Raises AssertionError: there is no device with free memory."""
    index_of(device, optional=True)
    not_compiled()


def memory_snapshot(mempool_id: Any = None, include_traces: bool = True) -> None:
    """Raises AttributeError, as in PyTorch: there is no allocator to look at."""
    not_built_in("_cuda_memorySnapshot")


def reset_peak_memory_stats(device: Any = None) -> None:
    """Raises AttributeError, as in PyTorch: there is no most that could be forgotten."""
    index_of(device, optional=True)
    not_built_in("_cuda_resetPeakMemoryStats")


reset_max_memory_allocated = reset_max_memory_cached = reset_peak_memory_stats


def reset_accumulated_memory_stats(device: Any = None) -> None:
    """Raises AttributeError, as in PyTorch: there are no counts that could be forgotten."""
    index_of(device, optional=True)
    not_built_in("_cuda_resetAccumulatedMemoryStats")


def reset_peak_host_memory_stats() -> None:
    """Raises AttributeError, as `reset_peak_memory_stats`."""
    not_built_in("_cuda_resetPeakHostMemoryStats")


def reset_accumulated_host_memory_stats() -> None:
    """Raises AttributeError, as `reset_accumulated_memory_stats`."""
    not_built_in("_cuda_resetAccumulatedHostMemoryStats")


def get_per_process_memory_fraction(device: Any = None) -> None:
    """Raises AssertionError: there is no device whose memory could be shared out."""
    not_compiled()


def set_per_process_memory_fraction(fraction: float, device: Any = None) -> None:
    """Raises AssertionError: there is no device whose memory could be shared out."""
    not_compiled()


def caching_allocator_alloc(size: int, device: Any = None, stream: Any = None) -> None:
    """Raises AssertionError: there is no device to take memory from."""
    not_compiled()


def caching_allocator_delete(mem_ptr: int) -> None:
    """Raises AttributeError, as in PyTorch: there is no allocator."""
    not_built_in("_cuda_cudaCachingAllocator_raw_delete")


def caching_allocator_enable(value: bool = True) -> None:
    """Whether memory is kept for later is a matter of devices, of which there are none: nothing happens."""


@contextmanager
def caching_allocator_disabled() -> Iterator[None]:
    """A context that raises AttributeError, as in PyTorch: there is no allocator."""
    not_built_in("_cuda_cudaCachingAllocator_is_enabled")
    yield


def get_allocator_backend() -> None:
    """Raises AttributeError, as in PyTorch: there is no allocator."""
    not_built_in("_cuda_getAllocatorBackend")


def change_current_allocator(allocator: Any) -> None:
    """Raises AttributeError, as in PyTorch: there is no allocator that could be changed."""
    not_built_in("_cuda_changeCurrentAllocator")


@contextmanager
def use_mem_pool(pool: Any, device: Any = None) -> Iterator[None]:
    """A context that raises AssertionError: there is no device to take memory from."""
    not_compiled()
    yield


class MemPool:
    """Memory of its own on a device. RuntimeError for each: there is no device."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        only_a_name("MemPool")


class CUDAPluggableAllocator:
    """An allocator from a library. RuntimeError for each: there is no device."""

    def __init__(self, path_to_so_file: str, alloc_fn_name: str, free_fn_name: str) -> None:
        only_a_name("_CUDAAllocator")
