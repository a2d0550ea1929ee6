"""The standard's inspection functions."""

import sys
from types import ModuleType
from typing import Any

import rushlight as torch
from rushlight.array_api.types import DTYPES, isdtype
from rushlight.core.above import above


@above
def array_namespace() -> ModuleType:
    """The namespace itself."""
    return sys.modules["rushlight.array_api"]


class __array_namespace_info__:
    """Information on the namespace: capabilities, devices and dtypes.

    >>> from rushlight import array_api as xp
    >>> xp.__array_namespace_info__().default_dtypes()["real floating"]
    torch.float32
    """

    def capabilities(self) -> dict[Any, Any]:
        """The optional features of the standard that are supported."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Any:
        """The device on which arrays are created."""
        return torch.get_default_device()

    def default_dtypes(self, *, device: Any = None) -> dict[Any, Any]:
        """The dtypes of arrays that are created without a `dtype`."""
        real = torch.get_default_dtype()
        return {
            "real floating": real,
            "complex floating": real.to_complex(),
            "integral": torch.int64,
            "indexing": torch.int64,
        }

    def devices(self) -> list[Any]:
        """All devices."""
        return [torch.device("cpu")]

    def dtypes(self, *, device: Any = None, kind: str | None = None) -> dict[Any, Any]:
        """The dtypes of a kind, of several kinds, or all, by name."""
        return {name: dtype for name, dtype in DTYPES.items() if kind is None or isdtype(dtype, kind)}
