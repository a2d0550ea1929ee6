"""Serialization of calls: functions by name, objects pickled, large arrays as separate buffers.

Two kinds of objects are handled separately: references to values of other workers, and, in a context of distributed
autograd, tensors whose history continues in the receiver.
"""

import io
import pickle
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from rushlight.dtypes import FROM_NUMPY, dtype
from rushlight.nn.parameter import Parameter
from rushlight.tensors import Tensor

__all__ = ["Packed", "pack", "unpack"]

LARGE = 4096  # bytes from which on an array is sent as a separate buffer, without a copy
NO_CODE = (
    " Default RPC pickler does not serialize function code. Ensure that UDFs are defined on both caller and callee "
    "modules."
)


class Packed(NamedTuple):
    """An object as bytes, with separate buffers, and the tensors that are referred to by number."""

    body: bytes
    buffers: list[Any]
    tensors: list[Tensor]


class Packer(pickle.Pickler):
    """Pickles the content of a call. `refer` returns what stands for a reference, None for other objects."""

    def __init__(self, file: Any, refer: Callable[[Any], Any], kinds: tuple[type, ...]):
        self.buffers: list[Any] = []
        super().__init__(file, protocol=5, buffer_callback=self.beside)
        self.refer, self.kinds = refer, kinds
        self.tensors: list[Tensor] = []
        self.numbers: dict[int, int] = {}

    def beside(self, buffer: pickle.PickleBuffer) -> bool:
        """Separates the memory of a large array; smaller ones stay in the bytes."""
        if buffer.raw().nbytes < LARGE:
            return True
        self.buffers.append(buffer)
        return False

    def persistent_id(self, value: Any) -> Any:
        """What stands for a tensor with a history, or for a reference."""
        if type(value) in self.kinds and value.requires_grad:
            if id(value) not in self.numbers:
                self.numbers[id(value)] = len(self.tensors)
                self.tensors.append(value)
            return self.numbers[id(value)]
        return self.refer(value)

    def reducer_override(self, value: Any) -> Any:
        """Arrays are sent with their memory layout; objects with a reducer of their own use that."""
        if hasattr(type(value), "_sent"):
            return value._sent()
        if type(value) is not np.ndarray or value.dtype.hasobject or value.dtype.names:
            return NotImplemented
        order = np.argsort([-stride for stride in value.strides], kind="stable")
        lying = np.asarray(value.transpose(order), order="C")
        memory: Any = lying.reshape(-1).view(np.uint8)
        if not memory.flags.writeable:
            memory = memory.copy()
        kind = FROM_NUMPY.get(value.dtype, value.dtype)
        return array_of, (pickle.PickleBuffer(memory), kind, lying.shape, np.argsort(order).tolist())


def array_of(memory: Any, kind: dtype | np.dtype, shape: tuple[int, ...], order: list[int]) -> np.ndarray:
    """The array in some memory."""
    return np.ndarray(shape, kind._numpy if isinstance(kind, dtype) else kind, memory).transpose(order)


class Unpacker(pickle.Unpickler):
    """Unpickles the content of a call. `resolve` returns the reference for what stands for one."""

    def __init__(self, packed: Packed, resolve: Callable[[Any], Any]):
        super().__init__(io.BytesIO(packed.body), buffers=packed.buffers)
        self.resolve, self.tensors = resolve, packed.tensors

    def persistent_load(self, pid: Any) -> Any:
        """The tensor or reference for what stands for it."""
        return self.tensors[pid] if isinstance(pid, int) else self.resolve(pid)


def pack(value: Any, refer: Callable[[Any], Any], with_history: bool, of_parameters: bool = False) -> Packed:
    """An object as bytes. With a history, tensors that require grad are listed; parameters only if asked for."""
    file = io.BytesIO()
    kinds = (Tensor, Parameter) if of_parameters else (Tensor,)
    packer = Packer(file, refer, kinds if with_history else ())
    packer.dump(value)
    return Packed(file.getvalue(), packer.buffers, packer.tensors)


def pack_arrays(tensors: Sequence[Tensor]) -> Packed:
    """The elements of tensors as bytes."""
    return pack([tensor._settled() for tensor in tensors], lambda value: None, False)


def unpack(packed: Packed, resolve: Callable[[Any], Any]) -> Any:
    """The object from bytes. AttributeError if this process lacks a function of a name."""
    try:
        return Unpacker(packed, resolve).load()
    except AttributeError as error:
        raise AttributeError(f"{error}{NO_CODE}") from error
