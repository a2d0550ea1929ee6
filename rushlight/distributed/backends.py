"""PyTorch's names of backends, and which of them work here: MPI implements all that run on a CPU."""

from typing import Any, ClassVar

from rushlight.devices import device as device_type
from rushlight.distributed import mpi

__all__ = [
    "Backend",
    "get_default_backend_for_device",
    "is_available",
    "is_backend_available",
    "is_gloo_available",
    "is_mpi_available",
    "is_nccl_available",
    "is_ucc_available",
    "is_xccl_available",
]


class Backend(str):
    """The name of a backend, in lower case. All backends for the CPU are implemented by MPI.

    >>> import rushlight.distributed as dist
    >>> dist.Backend("GLOO")
    'gloo'
    """

    MPI = "mpi"
    GLOO = "gloo"
    NCCL = "nccl"
    UCC = "ucc"
    XCCL = "xccl"
    UNDEFINED = "undefined"
    backend_list: ClassVar[list[str]] = [UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI]

    def __new__(cls, name: str) -> Any:
        """The backend of a name. ValueError for a name that PyTorch does not know either."""
        if not isinstance(name, str):
            raise ValueError(f"Backend constructor parameter must be string-ish, but got: {name}")
        value = str.__new__(cls, name.lower())
        for part in (part.split(":")[-1] for part in value.split(",")):
            if part not in cls.backend_list:
                raise ValueError(f"Invalid backend: '{name}'. Use 'mpi' or 'gloo': MPI serves both.")
            if part in (cls.NCCL, cls.UCC, cls.XCCL) and "cpu:" not in value:
                raise RuntimeError(
                    f"Distributed package doesn't have {part.upper()} built in, which needs a GPU. Use 'gloo' or 'mpi'."
                )
        return value


def is_available() -> bool:
    """Whether `torch.distributed` is available: True. For MPI itself see `is_mpi_available()`.

    >>> import rushlight.distributed as dist
    >>> dist.is_available()
    True
    """
    return True


def is_mpi_available() -> bool:
    """Whether MPI can be loaded: mpi4py and its MPI library.

    >>> import rushlight.distributed as dist
    >>> dist.is_gloo_available()
    True
    """
    return mpi.available()


is_gloo_available = is_mpi_available


def is_nccl_available() -> bool:
    """Whether NCCL is available: False, as there are no GPUs.

    >>> import rushlight.distributed as dist
    >>> dist.is_nccl_available()
    False
    """
    return False


is_ucc_available = is_xccl_available = is_nccl_available


def is_backend_available(backend: str) -> bool:
    """Whether the backend of a name works.

    >>> import rushlight.distributed as dist
    >>> dist.is_backend_available("gloo"), dist.is_backend_available("nccl")
    (True, False)
    """
    return backend.lower() in ("mpi", "gloo") and mpi.available()


def get_default_backend_for_device(device: str | device_type) -> str:
    """The default backend for a device: "gloo" for the CPU. ValueError for a device without one.

    >>> import rushlight.distributed as dist
    >>> dist.get_default_backend_for_device("cpu")
    'gloo'
    """
    name = (device if isinstance(device, device_type) else device_type(device)).type
    found = {"cpu": "gloo", "cuda": "nccl", "mps": "gloo", "xpu": "xccl"}.get(name)
    if found is None:
        raise ValueError(f"Default backend not registered for device : {device}")
    return found
