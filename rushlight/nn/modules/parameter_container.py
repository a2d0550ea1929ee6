"""`ParameterList` and `ParameterDict`, which contain parameters."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from operator import index
from typing import Any, Self, SupportsIndex

from rushlight.core.advice import advised
from rushlight.core.graph import TensorBase
from rushlight.naming import typename
from rushlight.nn.modules.container import pairs
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from rushlight.tensors import Tensor

__all__ = ["ParameterDict", "ParameterList"]


def as_parameter(value: Any) -> Any:
    """A tensor as a parameter; any other value unchanged."""
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def line_of_key(key: Any, value: Any, kind: Any) -> str:
    """A line of `repr` for the value of a key; `kind` formats its dtype."""
    if not isinstance(value, TensorBase):
        return f"  ({key}): Object of type: {type(value).__name__}"
    name = "Parameter" if isinstance(value, Parameter) else "Tensor"
    return f"  ({key}): {name} containing: [{kind(value)} of size {'x'.join(map(str, value.shape))}]"


class ParameterList(Module):
    """A list of parameters. Tensors become parameters; any other value is kept unchanged.

    IndexError for an index out of range, TypeError for values that are not iterable.

    >>> import rushlight as torch
    >>> torch.nn.ParameterList([torch.ones(2, 3)])
    ParameterList(  (0): Parameter containing: [torch.float32 of size 2x3])
    """

    def __init__(self, values: Iterable[Any] | None = None):
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def _key(self, idx: SupportsIndex) -> str:
        """The name of the value at an index; IndexError if it is out of range."""
        position = index(idx)
        if not -len(self) <= position < len(self):
            raise IndexError(advised(f"index {idx} is out of range: there are {len(self)}"))
        return str(position % len(self))

    def __getitem__(self, idx: int | slice) -> Any:
        if isinstance(idx, slice):
            return type(self)(self[i] for i in range(*idx.indices(len(self))))
        return getattr(self, self._key(idx))

    def __setitem__(self, idx: int, param: Any) -> None:
        setattr(self, self._key(idx), as_parameter(param))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter(self[i] for i in range(len(self)))

    def __iadd__(self, parameters: Iterable[Any]) -> Self:
        return self.extend(parameters)

    def append(self, value: Any) -> Self:
        """Adds a value at the end."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Adds values at the end. TypeError for a tensor, and for an argument that is not iterable."""
        if not isinstance(values, Iterable) or isinstance(values, TensorBase):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        """A line for each value."""
        return "\n".join(line_of_key(i, value, lambda tensor: tensor.dtype) for i, value in enumerate(self))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Raises RuntimeError: a parameter list cannot be called."""
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dictionary of parameters. Tensors become parameters; any other value is kept unchanged.

    AttributeError for a key that is missing, TypeError for values that are not a dictionary, pairs or keys.

    >>> import rushlight as torch
    >>> list(torch.nn.ParameterDict({"left": torch.ones(2)}))
    ['left']
    """

    def __init__(self, parameters: Any = None):
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        return getattr(self, require_string(key))

    def __setitem__(self, key: str, value: Any) -> None:
        setattr(self, require_string(key), as_parameter(value))
        self._keys[key] = None

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def copy(self) -> "ParameterDict":
        """Another dictionary with the same parameters."""
        return ParameterDict(OrderedDict(self.items()))

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value of a key; if it is missing, it is set to `default` first."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Removes all entries."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key: str) -> Any:
        """Removes a key and returns its value."""
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Removes the last key and value, and returns them."""
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key, or `default`."""
        return self[key] if key in self._keys else default

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> "ParameterDict":
        """Another dictionary with these keys, all with the same value."""
        return ParameterDict((key, default) for key in keys)

    def keys(self) -> Iterable[str]:
        """The keys."""
        return self._keys.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """The keys and values, in order."""
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterable[Any]:
        """The values."""
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Adds entries from another dictionary (a plain one in the order of its keys), or from pairs."""
        if isinstance(parameters, Mapping) and not isinstance(parameters, OrderedDict):
            parameters = sorted(parameters.items())
        for key, value in pairs(parameters, "ParametersDict"):
            self[key] = value

    def extra_repr(self) -> str:
        """A line for each value."""
        return "\n".join(line_of_key(key, value, typename) for key, value in self.items())

    def __call__(self, input: Any) -> Any:
        """Raises RuntimeError: a parameter dictionary cannot be called."""
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other: Any) -> "ParameterDict":
        copy = self.copy()
        copy.update(other)
        return copy

    def __ror__(self, other: Any) -> Any:
        copy = other.copy()
        copy.update(self)
        return copy

    def __ior__(self, other: Any) -> Self:
        self.update(other)
        return self


def require_string(key: Any) -> Any:
    """Returns the key; TypeError unless it is a string."""
    if not isinstance(key, str):
        raise TypeError(
            "Index given to ParameterDict cannot be used as a key as it is not a string "
            f"(type is '{type(key).__name__}'). Use str(key)."
        )
    return key
