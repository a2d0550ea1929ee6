"""`torch.cuda` as in PyTorch without CUDA: scripts ask it before they choose a device; what needs a device raises."""

from typing import Any, NoReturn

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.cuda import amp, graphs, memory, nvtx, profiler, random, streams, types
from rushlight.cuda.graphs import *
from rushlight.cuda.memory import *
from rushlight.cuda.random import *
from rushlight.cuda.streams import *
from rushlight.cuda.types import *
from rushlight.cuda.without import ADVICE, index_of, not_built_in, not_compiled
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


def is_available() -> bool:
    """Whether CUDA is available: False.

    >>> import rushlight as torch
    >>> torch.device("cuda" if torch.cuda.is_available() else "cpu")
    device(type='cpu')
    """
    return False


def device_count() -> int:
    """The number of CUDA devices: 0."""
    return 0


def is_initialized() -> bool:
    """Whether CUDA was initialized: False."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether the current device computes in bfloat16: False, as there is none."""
    return False


def is_tf32_supported() -> bool:
    """Whether the current device computes in TF32: False, as there is none."""
    return False


def get_arch_list() -> list[str]:
    """The device architectures that this build has code for: none."""
    return []


def get_gencode_flags() -> str:
    """The compiler flags for `get_arch_list`: ""."""
    return ""


def init() -> NoReturn:
    """Raises AssertionError, as PyTorch without CUDA."""
    not_compiled()


def synchronize(device: Any = None) -> None:
    """Raises AssertionError: there is no device to wait for."""
    not_compiled()


def current_device() -> None:
    """Raises AssertionError: there is no device."""
    not_compiled()


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
        not_built_in("_cuda_setDevice")


def get_device_name(device: Any = None) -> None:
    """Raises AssertionError: there is no device."""
    not_compiled()


def get_device_properties(device: Any = None) -> None:
    """Raises AssertionError: there is no device."""
    not_compiled()


def get_device_capability(device: Any = None) -> None:
    """Raises AssertionError: there is no device."""
    not_compiled()


def can_device_access_peer(device: Any, peer_device: Any) -> None:
    """Raises AssertionError: there are no devices."""
    not_compiled()


def get_sync_debug_mode() -> None:
    """Raises AssertionError: there is no device."""
    not_compiled()


def set_sync_debug_mode(debug_mode: int | str) -> None:
    """Raises AssertionError: there is no device."""
    not_compiled()


def ipc_collect() -> None:
    """Raises AssertionError: there is no device whose memory processes could share."""
    not_compiled()


def cudart() -> None:
    """Raises AssertionError: there is no CUDA."""
    not_compiled()


def current_blas_handle() -> None:
    """Raises AssertionError: there is no CUDA."""
    not_compiled()


def current_solver_handle() -> None:
    """Raises AssertionError: there is no CUDA."""
    not_compiled()


def utilization(device: Any = None) -> None:
    """Raises ModuleNotFoundError, as PyTorch does where NVIDIA's management library is not installed.

    So do `clock_rate`, `device_memory_used`, `memory_usage`, `power_draw` and `temperature`.
    """
    raise ModuleNotFoundError(f"nvidia-ml-py does not seem to be installed or it can't be imported. {ADVICE}")


clock_rate = device_memory_used = memory_usage = power_draw = temperature = utilization


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
