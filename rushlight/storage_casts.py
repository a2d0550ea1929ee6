"""What both kinds of storage share: conversion to other dtypes, and questions about devices."""

from typing import Any, Self

from rushlight import dtypes
from rushlight.core.graph import new_tensor
from rushlight.core.meta import without_data
from rushlight.devices import META, check_device, device_of
from rushlight.storage_elements import StorageElements

__all__ = ["StorageCasts"]


class StorageCasts(StorageElements):
    """The methods of a storage that convert its elements, named after the dtypes, and those about devices."""

    def _to(self, dtype: dtypes.dtype) -> Any:
        """A typed storage with the elements converted."""
        if self.device is META:
            return new_tensor(without_data(self.array.shape, dtype._numpy)).storage()
        return new_tensor(self.array.astype(dtype._numpy)).storage()

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
        """Returns the storage for its own device. PyTorch's errors for others, and for values that are not there."""
        wanted = device_of(device)
        if wanted is META and self.device is not META:
            raise AssertionError("META device module is not loaded. Make a storage there: device='meta'.")
        return self if wanted is META else self.cpu()

    def cuda(self, device: Any = None, non_blocking: Any = False) -> Self:
        """Always raises, as PyTorch without CUDA does."""
        check_device("cuda")
        return self

    def hpu(self, device: Any = None, non_blocking: Any = False) -> Self:
        """Always raises AssertionError: there is only the CPU."""
        raise AssertionError("HPU device module is not loaded. There is only the CPU: leave hpu() out.")

    def cpu(self) -> Self:
        """Returns the storage: it is on the CPU. NotImplementedError on the device meta, where there are no values."""
        if self.device is META:
            raise NotImplementedError("Cannot copy out of meta tensor; no data!")
        return self

    def get_device(self) -> Any:
        """The number of the storage's GPU: None, it is on the CPU."""
        return None

    def is_pinned(self, device: Any = None) -> Any:
        """Whether the memory is pinned: False, only GPUs need that."""
        return False

    def pin_memory(self, device: Any = None) -> Self:
        """Always raises RuntimeError, as PyTorch does without an accelerator."""
        new_tensor(self.array).pin_memory(device)
        return self

    def resizable(self) -> Any:
        """Whether `resize_` may be called: True."""
        return True

    def is_shared(self) -> Any:
        """Whether the memory is shared between processes."""
        return new_tensor(self.array).is_shared()

    def share_memory_(self) -> Self:
        """Moves the storage to memory that processes share; tensors that use it stay in theirs."""
        if not self.is_shared():
            self.array = new_tensor(self.array.copy()).share_memory_()._array
        return self
