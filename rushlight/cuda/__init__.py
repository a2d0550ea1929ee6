"""`torch.cuda` as in PyTorch without CUDA: scripts ask it before they choose a device; what needs a device raises."""

from typing import Any

from rushlight.absent.hardware import (
    Needed,
    device_count,
    is_available,
    is_bf16_supported,
    is_initialized,
    not_in_build,
)
from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.cuda import amp, graphs, memory, nvtx, profiler, random, streams, types
from rushlight.cuda.graphs import *
from rushlight.cuda.memory import *
from rushlight.cuda.random import *
from rushlight.cuda.streams import *
from rushlight.cuda.types import *
from rushlight.cuda.without import ADVICE, index_of, not_compiled
from rushlight.devices import AcceleratorError, OutOfMemoryError

__all__ = """
    AcceleratorError OutOfMemoryError amp can_device_access_peer clock_rate cudart current_blas_handle
    current_device current_solver_handle default_generators device device_count device_memory_used device_of
    get_arch_list get_device_capability get_device_name get_device_properties get_gencode_flags get_sync_debug_mode
    graphs has_half has_magma init ipc_collect is_available is_bf16_supported is_initialized is_tf32_supported
    memory memory_usage nvtx power_draw profiler random set_device set_sync_debug_mode streams synchronize
    temperature utilization
""".split()
__all__ += graphs.__all__ + memory.__all__ + random.__all__ + streams.__all__ + types.__all__

default_generators: tuple[()] = ()
has_half, has_magma = True, False


def is_tf32_supported() -> bool:
    """Whether the current device computes in TF32: False, as there is none."""
    return False


def get_arch_list() -> list[str]:
    """The device architectures that this build has code for: none."""
    return []


def get_gencode_flags() -> str:
    """The compiler flags for `get_arch_list`: ""."""
    return ""


def set_device(device: Any) -> None:
    """Raises AttributeError, as in PyTorch: there is no device. For -1, which means no device, nothing happens.

    ValueError for a value that does not name a CUDA device.

    >>> import rushlight as torch
    >>> torch.cuda.set_device(0)
    Traceback (most recent call last):
    ...
    AttributeError: module 'torch._C' has no attribute '_cuda_setDevice' in rushlight: it needs a GPU, ...
    """
    if index_of(device) != -1:
        not_in_build("_cuda_setDevice")()


init = current_device = get_sync_debug_mode = ipc_collect = not_compiled()
cudart = current_blas_handle = current_solver_handle = not_compiled()
synchronize = get_device_name = get_device_properties = get_device_capability = not_compiled("device=None")
can_device_access_peer = not_compiled("device, peer_device")
set_sync_debug_mode = not_compiled("debug_mode")

_needs_nvml = Needed(ModuleNotFoundError, "nvidia-ml-py does not seem to be installed or it can't be imported.", ADVICE)
utilization = clock_rate = device_memory_used = memory_usage = power_draw = temperature = _needs_nvml("device=None")


class device:
    """A context that selects a device. As there is none, it raises for any device but -1, which means none.

    >>> import rushlight as torch
    >>> with torch.cuda.device(0):
    ...     pass
    Traceback (most recent call last):
    ...
    RuntimeError: PyTorch was compiled without CUDA support. rushlight computes on the CPU only: ...
    """

    def __init__(self, device: Any) -> None:
        self.idx: int | None = index_of(device, optional=True)

    def __enter__(self) -> None:
        if self.idx is None:
            raise TypeError(f"'<' not supported between instances of 'NoneType' and 'int': which device? {ADVICE}")
        if self.idx >= 0:
            raise RuntimeError(f"PyTorch was compiled without CUDA support. {ADVICE}")

    def __exit__(self, *exception: object) -> None:
        pass


class device_of(device):
    """A context that selects the device of a tensor: the CPU, so nothing changes."""

    def __init__(self, obj: Any) -> None:
        super().__init__(-1 if not obj.is_cuda else obj.get_device())


_explain_misses(globals())
