"""Modules that contain modules: `Sequential`, `ModuleList` and `ModuleDict`."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, groupby
from operator import index
from typing import Any, Self, SupportsIndex

from rushlight.core.advice import advised
from rushlight.core.lines import warn
from rushlight.nn.modules.module import Module, _addindent

__all__ = ["Container", "ModuleDict", "ModuleList", "Sequential"]


class Numbered(Module):
    """Base class of `Sequential` and `ModuleList`: modules in order, named by their index."""

    _modules: dict[str, Module]  # type: ignore[assignment]  # none is None here

    def __getitem__(self, idx: int | slice) -> Any:
        raise NotImplementedError

    def _key(self, idx: SupportsIndex) -> str:
        """The name of the module at an index; IndexError if it is out of range."""
        size = len(self)
        position = index(idx)
        if not -size <= position < size:
            raise IndexError(advised(f"index {idx} is out of range: there are {len(self)}"))
        return list(self._modules)[position]

    def _renumber(self, modules: Iterable[Module]) -> None:
        """Names the modules by their indices."""
        self._modules = {str(i): module for i, module in enumerate(modules)}

    def __setitem__(self, idx: int, module: Any) -> None:
        setattr(self, self._key(idx), module)

    def __delitem__(self, idx: Any) -> None:
        for key in list(self._modules)[idx] if isinstance(idx, slice) else [self._key(idx)]:
            delattr(self, key)
        self._renumber(self._modules.values())

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Any:
        return iter(self._modules.values())

    def append(self, module: Module) -> Self:
        """Adds a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: int | slice) -> Module:
        """Removes the module at an index and returns it."""
        module = self[key]
        del self[key]
        return module


class Container(Module):
    """A module with submodules given by name, from the time before modules had submodules as attributes.

    Deprecated in PyTorch, with a FutureWarning: subclass `Module` instead.

    >>> import warnings
    >>> import rushlight as torch
    >>> warnings.simplefilter("ignore")
    >>> torch.nn.Container(first=torch.nn.ReLU()).first
    ReLU()
    """

    def __init__(self, **kwargs: Any):
        warn(
            "`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. Subclass that "
            "instead.",
            FutureWarning,
        )
        super().__init__()
        for name, module in kwargs.items():
            self.add_module(name, module)


class Sequential(Numbered):
    """Calls modules one after the other, each with the result of the previous one.

    The modules are given as arguments, or as an ordered dictionary with their names. TypeError for anything that is not
    a module, IndexError for an index out of range.

    >>> import rushlight as torch
    >>> torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): ReLU()
    )
    """

    def __init__(self, *args: Any):
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], OrderedDict) else enumerate(args)
        for name, module in named:
            self.add_module(name if isinstance(name, str) else str(name), module)

    def forward(self, input: Any) -> Any:
        """The result of the last module."""
        for module in self._modules.values():
            input = module(input)
        return input

    def __getitem__(self, idx: int | slice) -> Any:
        if isinstance(idx, slice):
            return type(self)(OrderedDict(list(self._modules.items())[idx]))
        return self._modules[self._key(idx)]

    def __add__(self, other: "Sequential") -> "Sequential":
        return Sequential(*self, *sequential(other))

    def __iadd__(self, other: "Sequential") -> Self:
        return self.extend(list(sequential(other)))

    def __mul__(self, other: int) -> "Sequential":
        return Sequential(*list(self) * self._times(other))

    __rmul__ = __mul__

    def __imul__(self, other: int) -> Self:
        return self.extend(list(self) * (self._times(other) - 1))

    def _times(self, number: int) -> int:
        """Checks the number of repetitions; TypeError or ValueError if it is not a positive integer."""
        if not isinstance(number, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(number)}")
        if number <= 0:
            raise ValueError(f"Non-positive multiplication factor {number} for {type(self)}")
        return number

    def insert(self, index: int, module: Module) -> Self:
        """Inserts a module before the one at an index. IndexError if it is out of range."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        size = len(self)
        if not -size <= index <= size:
            raise IndexError(f"Index out of range: {index}")
        modules = list(self)
        modules.insert(index + size if index < 0 else index, module)
        self._renumber(modules)
        return self

    def extend(self, sequential: Iterable[Module]) -> Self:
        """Adds modules at the end."""
        for module in sequential:
            self.append(module)
        return self


def sequential(other: Any) -> Any:
    """The argument if it is a `Sequential`; else ValueError."""
    if not isinstance(other, Sequential):
        raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
    return other


class ModuleList(Numbered):
    """A list of modules; the module that contains it decides how they are called.

    TypeError for anything that is not a module, IndexError for an index out of range, NotImplementedError if the list
    itself is called.

    >>> import rushlight as torch
    >>> torch.nn.ModuleList(torch.nn.Linear(2, 2) for _ in range(3))
    ModuleList(
      (0-2): 3 x Linear(in_features=2, out_features=2, bias=True)
    )
    """

    def __init__(self, modules: Iterable[Module] | None = None):
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, idx: int | slice) -> Any:
        if isinstance(idx, slice):
            return type(self)(list(self._modules.values())[idx])
        return self._modules[self._key(idx)]

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> "ModuleList":
        return ModuleList(chain(self, other))

    def insert(self, index: int, module: Module) -> None:
        """Inserts a module before the one at an index."""
        modules = list(self)
        modules.insert(index, module)
        self._renumber(modules)

    def extend(self, modules: Iterable[Module]) -> Self:
        """Adds modules at the end. TypeError for an argument that is not iterable."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        for module in list(modules):
            self.append(module)
        return self

    def __repr__(self) -> str:
        lines, first = [], 0
        for text, block in groupby(repr(module) for module in self):
            count = len(list(block))
            name = f"({first}): " if count == 1 else f"({first}-{first + count - 1}): {count} x "
            lines.append(_addindent(name + text, 2))
            first += count
        inside = "\n  " + "\n  ".join(lines) + "\n" if lines else ""
        return f"{self._get_name()}({inside})"


class ModuleDict(Module):
    """A dictionary of modules, in the order in which they were added.

    TypeError for values that are not modules and names that are not strings; KeyError for a name that is empty or has a
    dot, and for one that is missing.

    >>> import rushlight as torch
    >>> choices = torch.nn.ModuleDict({"relu": torch.nn.ReLU(), "tanh": torch.nn.Tanh()})
    >>> choices["tanh"]
    Tanh()
    """

    _modules: dict[str, Module]  # type: ignore[assignment]  # none is None here

    def __init__(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] | None = None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Module:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: object) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Removes all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Removes a module and returns it."""
        return self._modules.pop(key)

    def keys(self) -> Iterable[str]:
        """The names of the modules."""
        return self._modules.keys()

    def items(self) -> Iterable[tuple[str, Module]]:
        """The names and modules, in order."""
        return self._modules.items()

    def values(self) -> Iterable[Module]:
        """The modules, in order."""
        return self._modules.values()

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Adds modules from another dictionary, or from pairs of names and modules."""
        for key, module in pairs(modules, "ModuleDict"):
            self[key] = module


def pairs(source: Any, kind: str) -> Iterator[Any]:
    """The keys and values of a mapping, or of an iterable of pairs; raises PyTorch's errors for anything else."""
    if not isinstance(source, Iterable):
        raise TypeError(
            f"{kind}.update should be called with an iterable of key/value pairs, but got {type(source).__name__}"
        )
    if isinstance(source, Mapping) or hasattr(source, "items"):
        yield from source.items()
        return
    for j, item in enumerate(source):
        if not isinstance(item, Iterable):
            raise TypeError(f"{kind} update sequence element #{j} should be Iterable; is{type(item).__name__}")
        item = tuple(item)
        if len(item) != 2:
            raise ValueError(f"{kind} update sequence element #{j} has length {len(item)}; 2 is required")
        yield item
