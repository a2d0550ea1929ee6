"""The memory of CUDA devices, of which there are none: nothing is in use, and nothing can be set."""

from collections import OrderedDict
from typing import Any

from rushlight.absent.hardware import empty_cache, entered, memory_allocated, not_in_build
from rushlight.cuda.without import ADVICE, index_of, not_compiled, only_a_name

__all__ = ["empty_cache", "memory_allocated"]
__all__ += """
    CUDAPluggableAllocator MemPool caching_allocator_alloc caching_allocator_delete caching_allocator_disabled
    caching_allocator_enable change_current_allocator get_allocator_backend get_per_process_memory_fraction
    host_memory_stats host_memory_stats_as_nested_dict list_gpu_processes max_memory_allocated max_memory_cached
    max_memory_reserved mem_get_info memory_cached memory_reserved memory_snapshot memory_stats
    memory_stats_as_nested_dict memory_summary reset_accumulated_host_memory_stats reset_accumulated_memory_stats
    reset_max_memory_allocated reset_max_memory_cached reset_peak_host_memory_stats reset_peak_memory_stats
    set_per_process_memory_fraction use_mem_pool
""".split()

max_memory_allocated = memory_reserved = max_memory_reserved = memory_cached = max_memory_cached = memory_allocated


def memory_stats(device: Any = None) -> OrderedDict[str, Any]:
    """The memory statistics of a device: empty, as there is none."""
    return OrderedDict()


def memory_stats_as_nested_dict(device: Any = None) -> dict[str, Any]:
    """`memory_stats` as nested dictionaries: empty."""
    return {}


def host_memory_stats() -> OrderedDict[str, Any]:
    """The statistics of pinned host memory: empty."""
    return OrderedDict()


def host_memory_stats_as_nested_dict() -> dict[str, Any]:
    """`host_memory_stats` as nested dictionaries: empty."""
    return {}


def memory_summary(device: Any = None, abbreviated: bool = False) -> None:
    """Raises KeyError, as in PyTorch: `memory_stats` is empty."""
    index_of(device, optional=True)
    raise KeyError(f"allocated_bytes.all.current: there is no device whose memory could be shown. {ADVICE}")


def list_gpu_processes(device: Any = None) -> str:
    """The processes that use a device, as text: says that they are unknown."""
    return "pynvml module not found, please install nvidia-ml-py"


def mem_get_info(device: Any = None) -> None:
    """Raises AssertionError: there is no device with free memory."""
    index_of(device, optional=True)
    not_compiled()()


def reset_peak_memory_stats(device: Any = None) -> None:
    """Raises AttributeError, as in PyTorch: there are no peaks to reset."""
    index_of(device, optional=True)
    not_in_build("_cuda_resetPeakMemoryStats")()


reset_max_memory_allocated = reset_max_memory_cached = reset_peak_memory_stats


def reset_accumulated_memory_stats(device: Any = None) -> None:
    """Raises AttributeError, as in PyTorch: there are no statistics to reset."""
    index_of(device, optional=True)
    not_in_build("_cuda_resetAccumulatedMemoryStats")()


memory_snapshot = not_in_build("_cuda_memorySnapshot", "mempool_id=None, include_traces=True")
reset_peak_host_memory_stats = not_in_build("_cuda_resetPeakHostMemoryStats")
reset_accumulated_host_memory_stats = not_in_build("_cuda_resetAccumulatedHostMemoryStats")
get_per_process_memory_fraction = not_compiled("device=None")
set_per_process_memory_fraction = not_compiled("fraction, device=None")
caching_allocator_alloc = not_compiled("size, device=None, stream=None")
caching_allocator_delete = not_in_build("_cuda_cudaCachingAllocator_raw_delete", "mem_ptr")
caching_allocator_disabled = entered(not_in_build("_cuda_cudaCachingAllocator_is_enabled"))
get_allocator_backend = not_in_build("_cuda_getAllocatorBackend")
change_current_allocator = not_in_build("_cuda_changeCurrentAllocator", "allocator")
use_mem_pool = entered(not_compiled("pool, device=None"))


def caching_allocator_enable(value: bool = True) -> None:
    """Does nothing: there is no device whose allocator caches memory."""


class MemPool:
    """A pool of memory on a device. RuntimeError when it is made: there is no device."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        only_a_name("MemPool")


class CUDAPluggableAllocator:
    """An allocator from a library. RuntimeError when it is made: there is no device."""

    def __init__(self, path_to_so_file: str, alloc_fn_name: str, free_fn_name: str) -> None:
        only_a_name("_CUDAAllocator")
