"""`save` and `load`, in PyTorch's own file formats: files can be exchanged in both directions.

A file is a ZIP archive: `data.pkl` is a pickle of the object with references to the tensors' memory, and `data/0`,
`data/1`, ... contain that memory. All names in it are PyTorch's. The format of PyTorch before 1.6, a pickle followed by
the memory, is also supported.
"""

import os as _os
from collections.abc import Callable as _Callable
from typing import Any as _Any
from typing import TypeAlias as _TypeAlias

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.devices import device as _device
from rushlight.serialization.errors import LoadError
from rushlight.serialization.inspecting import get_unsafe_globals_in_checkpoint
from rushlight.serialization.loading import load
from rushlight.serialization.names import add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals
from rushlight.serialization.rebuilding import get_layout as _get_layout  # pickles name it
from rushlight.serialization.saving import save
from rushlight.serialization.skipping import skip_data

__all__ = [
    "LoadError",
    "add_safe_globals",
    "clear_safe_globals",
    "get_safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "load",
    "safe_globals",
    "save",
    "skip_data",
]

MAP_LOCATION: _TypeAlias = _Callable[..., _Any] | _device | str | dict[str, str] | None
FILE_LIKE: _TypeAlias = str | _os.PathLike[str]

_explain_misses(globals())
