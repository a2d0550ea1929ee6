"""Type aliases for arguments, as `torch.types`."""

import os
from collections.abc import Sequence
from typing import IO, Any, TypeAlias

from rushlight import dtypes
from rushlight.devices import device
from rushlight.size import Size
from rushlight.tensors import Tensor

__all__ = ["Device", "FileLike", "Number", "Storage"]

Number: TypeAlias = int | float | bool
Device: TypeAlias = device | str | int | None
FileLike: TypeAlias = str | os.PathLike[str] | IO[bytes]
Storage: TypeAlias = Any
_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]
_dtype = dtypes.dtype
_device = device
_size: TypeAlias = Size | list[int] | tuple[int, ...]
_bool, _int, _float, _complex = bool, int, float, complex
