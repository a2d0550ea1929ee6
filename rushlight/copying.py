"""How Python's `copy` and `pickle` see tensors: memory that several share, and what users have set on them."""

from copy import deepcopy
from copyreg import _slotnames  # type: ignore[attr-defined]  # what pickle itself asks for a class's slots
from typing import Any

import numpy as np

from rushlight.core.graph import FIELDS, TensorBase
from rushlight.core.windows import address, memory_of
from rushlight.layouts import is_dense, laid_over

OWN = {*FIELDS, "_accumulate_grad", "_memory"}  # attributes of a tensor that users did not set


def attributes_of(tensor: TensorBase) -> dict[str, Any]:
    """What users have set on a tensor."""
    return {name: value for name, value in vars(tensor).items() if name not in OWN}


def slots_of(tensor: TensorBase) -> dict[str, Any]:
    """What the slots of a tensor's class hold."""
    return {name: getattr(tensor, name) for name in slot_names(type(tensor)) if hasattr(tensor, name)}


def slot_names(cls: type) -> list[str]:
    """The names of the slots of a subclass of Tensor."""
    return [name for name in _slotnames(cls) if name not in OWN]


def state_of(tensor: TensorBase) -> Any:
    """What pickles hold besides a tensor's values: attributes, with slots as a pair, or what `__getstate__` gives."""
    if type(tensor).__getstate__ is not object.__getstate__:
        return tensor.__getstate__()
    attributes, slots = attributes_of(tensor), slots_of(tensor)
    return (attributes, slots) if slots else attributes


def set_state(tensor: TensorBase, state: Any) -> None:
    """Gives a new tensor the state that `state_of` gave of another."""
    attributes, slots = state if isinstance(state, tuple) else (state, None)
    for name, value in {**(attributes or {}), **(slots or {})}.items():
        setattr(tensor, name, value)


def copied_into(copy: TensorBase, tensor: TensorBase, memo: dict[Any, Any]) -> None:
    """Gives a deep copy of a tensor copies of its attributes, and of what is in slots."""
    set_state(copy, deepcopy((attributes_of(tensor), slots_of(tensor)), memo))


def copied_memory(tensor: TensorBase, memo: dict[Any, Any]) -> tuple[np.ndarray, np.ndarray]:
    """A copy of a tensor's array, and of all memory that it lies in: tensors that share that share the copy, too."""
    array, whole = tensor._settled(), memory_of(tensor)
    ordinary = type(array) is np.ndarray and type(whole) is np.ndarray and array.dtype == whole.dtype
    if not ordinary or not is_dense(whole):
        copy = array.copy(order="K")
        return copy, copy
    key = "memory", address(whole), whole.nbytes
    if key not in memo:
        memo[key] = whole, whole.copy(order="K")  # the first keeps its address while others are copied
    copy = memo[key][1]
    return laid_over(copy, array.shape, array.strides, address(array) - address(whole)), copy
