"""What both kinds of storage share: conversion to other dtypes, and questions about devices."""

from typing import Any, Self

import numpy as np

from rushlight import dtypes
from rushlight.core.graph import new_tensor
from rushlight.devices import check_device

__all__ = ["StorageCasts"]


class StorageCasts:
    """The methods of a storage that convert its elements, named after the dtypes, and those about devices."""

    def _elements(self) -> np.ndarray:
        """The memory as a one-dimensional array of the storage's own elements."""
        raise NotImplementedError

    def _replace(self, elements: np.ndarray) -> None:
        """Gives the storage other memory."""
        raise NotImplementedError

    def _to(self, dtype: dtypes.dtype) -> Any:
        """A typed storage with the elements converted."""
        return new_tensor(self._elements().astype(dtype._numpy)).storage()

    def bfloat16(self) -> Any:
        """The elements as bfloat16."""
        return self._to(dtypes.bfloat16)

    def bool(self) -> Any:
        """The elements as bool."""
        return self._to(dtypes.bool)

    def byte(self) -> Any:
        """The elements as uint8."""
        return self._to(dtypes.uint8)

    def char(self) -> Any:
        """The elements as int8."""
        return self._to(dtypes.int8)

    def complex_double(self) -> Any:
        """The elements as complex128."""
        return self._to(dtypes.complex128)

    def complex_float(self) -> Any:
        """The elements as complex64."""
        return self._to(dtypes.complex64)

    def double(self) -> Any:
        """The elements as float64."""
        return self._to(dtypes.float64)

    def float(self) -> Any:
        """The elements as float32."""
        return self._to(dtypes.float32)

    def float8_e4m3fn(self) -> Any:
        """The elements as float8_e4m3fn."""
        return self._to(dtypes.float8_e4m3fn)

    def float8_e4m3fnuz(self) -> Any:
        """The elements as float8_e4m3fnuz."""
        return self._to(dtypes.float8_e4m3fnuz)

    def float8_e5m2(self) -> Any:
        """The elements as float8_e5m2."""
        return self._to(dtypes.float8_e5m2)

    def float8_e5m2fnuz(self) -> Any:
        """The elements as float8_e5m2fnuz."""
        return self._to(dtypes.float8_e5m2fnuz)

    def half(self) -> Any:
        """The elements as float16."""
        return self._to(dtypes.float16)

    def int(self) -> Any:
        """The elements as int32."""
        return self._to(dtypes.int32)

    def long(self) -> Any:
        """The elements as int64."""
        return self._to(dtypes.int64)

    def short(self) -> Any:
        """The elements as int16."""
        return self._to(dtypes.int16)

    def to(self, *, device: Any, non_blocking: Any = False) -> Self:
        """Returns the storage for the CPU. RuntimeError for another device."""
        check_device(device)
        return self

    def cuda(self, device: Any = None, non_blocking: Any = False) -> Self:
        """Always raises, as PyTorch without CUDA does."""
        check_device("cuda")
        return self

    def hpu(self, device: Any = None, non_blocking: Any = False) -> Self:
        """Always raises AssertionError: there is only the CPU."""
        raise AssertionError("HPU device module is not loaded. There is only the CPU: leave hpu() out.")

    def cpu(self) -> Self:
        """Returns the storage: it is on the CPU."""
        return self

    def get_device(self) -> Any:
        """The number of the storage's GPU: None, it is on the CPU."""
        return None

    def is_pinned(self, device: Any = None) -> Any:
        """Whether the memory is pinned: False, only GPUs need that."""
        return False

    def pin_memory(self, device: Any = None) -> Self:
        """Always raises RuntimeError, as PyTorch does without an accelerator."""
        new_tensor(self._elements()).pin_memory(device)
        return self

    def resizable(self) -> Any:
        """Whether `resize_` may be called: True."""
        return True

    def is_shared(self) -> Any:
        """Whether the memory is shared between processes."""
        return new_tensor(self._elements()).is_shared()

    def share_memory_(self) -> Self:
        """Moves the storage to memory that processes share; tensors that use it stay in theirs."""
        if not self.is_shared():
            self._replace(new_tensor(self._elements().copy()).share_memory_()._array)
        return self
