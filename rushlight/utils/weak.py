"""Weak references to tensors, and dictionaries by identity: tensors compare their elements, so `==` finds no keys."""

from collections.abc import Iterator, MutableMapping
from typing import Any
from weakref import ref

from rushlight.core.graph import TensorBase

__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary"]


class WeakIdRef(ref[Any]):
    """A weak reference that equals another one to the same object.

    >>> import rushlight as torch
    >>> x = torch.ones(2)
    >>> WeakIdRef(x) == WeakIdRef(x), WeakIdRef(x) == WeakIdRef(torch.ones(2))
    (True, False)
    """

    __slots__ = ("_id",)

    _id: int

    def __new__(cls, key: Any, callback: Any = None) -> "WeakIdRef":
        """A reference; `callback` is called with it when the object is freed."""
        made = super().__new__(cls, key, callback)
        made._id = id(key)
        return made

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        mine, others = self(), other() if isinstance(other, ref) else None
        return self is other if mine is None or others is None else mine is others

    def __ne__(self, other: object) -> bool:
        return not self == other


class WeakIdKeyDictionary(MutableMapping[Any, Any]):
    """A dictionary whose keys are objects themselves, whatever they equal; an entry goes when its key is freed.

    >>> import rushlight as torch
    >>> x, y = torch.ones(2), torch.ones(2)
    >>> names = WeakIdKeyDictionary({x: "x", y: "y"})
    >>> del y
    >>> names[x], len(names)
    ('x', 1)
    """

    def __init__(self, dict: Any = None, ref_type: Any = WeakIdRef):
        self.data: Any = {}
        self.ref_type = ref_type
        self.update(dict or {})

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[self.ref_type(key, lambda dead: self.data.pop(dead, None))] = value

    def __getitem__(self, key: Any) -> Any:
        return self.data[self.ref_type(key)]

    def __delitem__(self, key: Any) -> None:
        del self.data[self.ref_type(key)]

    def __iter__(self) -> Iterator[Any]:
        return iter([key for key in (reference() for reference in list(self.data)) if key is not None])

    def __len__(self) -> int:
        return len(self.data)

    def __contains__(self, key: object) -> bool:
        return self.ref_type(key) in self.data

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {id(self):#x}>"

    def pop(self, key: Any, *args: Any) -> Any:
        """Removes a key and returns its value; the default, if that is given, for a key that is not there."""
        return self.data.pop(self.ref_type(key), *args)

    def keyrefs(self) -> list[Any]:
        """The references to the keys."""
        return list(self.data)

    def copy(self) -> "WeakIdKeyDictionary":
        """A dictionary of the same keys and values."""
        return type(self)(self, self.ref_type)


WeakTensorKeyDictionary = WeakIdKeyDictionary


class TensorWeakRef:
    """A weak reference to a tensor. TypeError for anything else.

    >>> import rushlight as torch
    >>> x = torch.ones(2)
    >>> reference = TensorWeakRef(x)
    >>> reference() is x
    True
    """

    def __init__(self, tensor: Any):
        if not isinstance(tensor, TensorBase):
            raise TypeError(f"expected a tensor, not {type(tensor).__name__}")
        self.ref = ref(tensor)

    def __call__(self) -> Any:
        """The tensor, or None once it is freed."""
        return self.ref()
