"""`save` and `load`, in PyTorch's own file formats: files go from one to the other in both directions.

A file is a ZIP archive: `data.pkl` pickles the object, with a reference in the place of each tensor's memory, and
`data/0`, `data/1`, ... hold that memory. Inside, all is named as PyTorch names it. The format of PyTorch before 1.6, a
pickle with the memory behind it, is read and written too.
"""

import os as _os
from collections.abc import Callable as _Callable
from typing import TypeAlias as _TypeAlias

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.devices import device as _device
from rushlight.serialization.errors import LoadError
from rushlight.serialization.loading import load
from rushlight.serialization.names import add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals
from rushlight.serialization.saving import save

__all__ = ["LoadError", "add_safe_globals", "clear_safe_globals", "get_safe_globals", "load", "safe_globals", "save"]

MAP_LOCATION: _TypeAlias = _Callable | _device | str | dict[str, str] | None
FILE_LIKE: _TypeAlias = str | _os.PathLike[str]

_explain_misses(globals())
