"""The options of workers for their calls, and their identities."""

import re
from dataclasses import dataclass
from enum import Enum
from typing import Any

__all__ = ["BackendType", "RpcBackendOptions", "TensorPipeRpcBackendOptions", "WorkerInfo"]

DEFAULT_TIMEOUT = 60.0  # seconds
UNSET_TIMEOUT = -1.0


class BackendType(Enum):
    """The names of RPC backends; all are implemented over MPI.

    >>> from rushlight.distributed import rpc
    >>> rpc.BackendType.TENSORPIPE
    BackendType.TENSORPIPE
    """

    TENSORPIPE = "TENSORPIPE"

    def __repr__(self) -> str:
        return f"BackendType.{self.name}"


class RpcBackendOptions:
    """The timeout of calls, and where the workers meet."""

    rpc_timeout: float
    init_method: str

    def __init__(self, rpc_timeout: float = DEFAULT_TIMEOUT, init_method: str = "env://"):
        self.rpc_timeout, self.init_method = float(rpc_timeout), init_method


class TensorPipeRpcBackendOptions(RpcBackendOptions):
    """Options of `init_rpc`: threads that answer calls, timeout in seconds, and where workers meet.

    `rpc_timeout` 0 is no limit. Device options are for GPUs, which rushlight does not use: ValueError.

    >>> from rushlight.distributed import rpc
    >>> options = rpc.TensorPipeRpcBackendOptions(num_worker_threads=8)
    >>> options.num_worker_threads, options.rpc_timeout, options.init_method
    (8, 60.0, 'env://')
    """

    num_worker_threads: int
    device_maps: dict[str, Any]
    devices: list[Any]

    def __init__(
        self,
        *,
        num_worker_threads: int = 16,
        rpc_timeout: float = DEFAULT_TIMEOUT,
        init_method: str = "env://",
        device_maps: dict[str, Any] | None = None,
        devices: list[Any] | None = None,
        _transports: Any = None,
        _channels: Any = None,
    ):
        super().__init__(rpc_timeout, init_method)
        if num_worker_threads < 1:
            raise ValueError(f"num_worker_threads has to be at least 1, but got {num_worker_threads}")
        self.num_worker_threads = num_worker_threads
        self.device_maps, self.devices = {}, []
        for to, device_map in (device_maps or {}).items():
            self.set_device_map(to, device_map)
        self.set_devices(devices or [])

    def set_device_map(self, to: str, device_map: dict[Any, Any]) -> None:
        """ValueError for any device: tensors are on the CPU in both workers."""
        if device_map:
            raise ValueError(f"device_maps: {to} has no GPU, as rushlight computes on the CPU. Leave them out.")

    def set_devices(self, devices: list[Any]) -> None:
        """ValueError for any device: calls use tensors on the CPU."""
        if devices:
            raise ValueError(f"`set_devices` expect a list of CUDA devices, but there are none: leave out {devices}.")


@dataclass(frozen=True)
class WorkerInfo:
    """The identity of a worker: name and number. RuntimeError for an invalid name.

    >>> from rushlight.distributed import rpc
    >>> rpc.WorkerInfo("trainer", 1)
    WorkerInfo(id=1, name=trainer)
    """

    name: str
    id: int

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z0-9\-_:]{1,127}", self.name):
            raise RuntimeError(
                "Worker name must match ^[A-Za-z0-9-_:]*$, and must be non-empty and shorter than 128 chars, but got "
                f"{self.name}"
            )

    def __repr__(self) -> str:
        return f"WorkerInfo(id={self.id}, name={self.name})"
