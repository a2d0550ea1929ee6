"""Unpicklers: a safe one, which checks each step and calls only known functions, and one for trusted files."""

import io
import pickle
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from collections.abc import Callable
from importlib import import_module
from struct import unpack
from typing import Any, ClassVar

from rushlight.core.aliases import Array
from rushlight.serialization.errors import LoadError, as_damage, check_claim
from rushlight.serialization.names import UNSAFE, allowed_names, ours
from rushlight.serialization.rebuilding import MAKERS, NAMES, key

BLOCKED = ("sys", "os", "posix", "nt")  # modules that no user can allow
BLOCKS = "Trying to load unsupported GLOBAL {} whose module {} is blocked: it could do anything to this computer."

Memory = Callable[[Any], Any]


class Source:
    """A file up to some position: a read beyond it raises an error before memory is allocated."""

    left: int

    file: Any

    def __init__(self, file: Any, left: int):
        self.file, self.left = file, left

    def read(self, count: int = -1) -> bytes:
        """The next bytes."""
        count = self.left if count < 0 else count
        check_claim(count <= self.left, f"{count} bytes should follow, {self.left} do")
        self.left -= count
        data = self.file.read(count)
        check_claim(len(data) == count, f"{count} bytes should follow, {len(data)} do")
        return data

    def readline(self) -> bytes:
        """The next line."""
        line = self.file.readline(self.left)
        self.left -= len(line)
        check_claim(line.endswith(b"\n"), "a line has no end")
        return line

    def readinto(self, buffer: Array) -> int:
        """Fills a buffer with the next bytes."""
        buffer = memoryview(buffer).cast("B")
        for start in range(0, len(buffer), 1 << 20):
            part = buffer[start : start + (1 << 20)]
            part[:] = self.read(len(part))
        return len(buffer)


def safely(source: Source, memory: Memory, encoding: str = "utf-8") -> Any:
    """Loads an object of safe types. LoadError for any other, and for damage."""
    with as_damage("what it holds makes no sense"):
        return SafeUnpickler(source, memory, encoding).load()


def trustingly(source: Source, memory: Memory, **options: Any) -> Any:
    """Loads an object of any types, whose code runs. LoadError for damage; errors of that code propagate."""
    try:
        return TrustingUnpickler(source, memory, **options).load()
    except LoadError:
        raise
    except Exception as error:
        if error.__traceback__ is not None and error.__traceback__.tb_next is not None:  # outside of the unpickler
            raise
        raise LoadError(f"The file is damaged: what it holds makes no sense ({error}).") from error


def of_today(module: str, name: str) -> tuple[str, str]:
    """A name as in Python 3: pickles may contain names of Python 2."""
    return NAME_MAPPING.get((module, name), (IMPORT_MAPPING.get(module, module), name))


class TrustingUnpickler(pickle.Unpickler):
    """Loads any object, with rushlight's types in place of PyTorch's."""

    def __init__(self, source: Source, memory: Memory, **options: Any):
        super().__init__(source, **options)
        self.memory = memory

    def persistent_load(self, pid: Any) -> Any:
        """The memory that a reference names, or the class of a module, which older files have with its source."""
        if isinstance(pid, tuple) and pid[0] == "module":
            return pid[1]
        return self.memory(pid)

    def find_class(self, module: str, name: str) -> Any:
        """The object that a name in the file stands for."""
        module, name = of_today(module, name)
        if (module, name) in NAMES:
            return NAMES[module, name]
        import_module(ours(module))
        found = super().find_class(ours(module), name)
        return of_results(found) if module == "torch.return_types" else found


def of_results(kind: type) -> Callable[..., Any]:
    """The function that makes a named tuple of results as PyTorch's pickles do, with a dictionary of nothing."""
    return lambda values, unnamed=None: kind(values)


class SafeUnpickler(pickle._Unpickler):
    """Python's own unpickler, with each step that could do harm replaced."""

    to_copy: int
    stack: list[Any]  # this, and the next three, are Python's, which its stubs leave out
    append: Callable[[Any], None]
    pop_mark: Callable[[], list[Any]]
    read: Callable[[int], bytes]

    dispatch: ClassVar[dict[Any, Any]] = dict(pickle._Unpickler.dispatch)

    def __init__(self, source: Source, memory: Memory, encoding: str):
        super().__init__(source, encoding=encoding)
        self.memory = memory
        self.allowed: dict[str, Callable[..., Any]] = allowed_names()
        self.callable: set[Any] = {*MAKERS, *self.allowed.values()}
        self.to_copy = source.left  # a pickle has at least one byte for each object that is copied once

    def persistent_load(self, pid: Any) -> Any:
        """The memory that a reference names."""
        return self.memory(pid)

    def charge(self, items: Any) -> Any:
        """Counts objects that will be copied. LoadError if all copies together exceed the file's size."""
        self.to_copy -= len(items)
        check_claim(self.to_copy >= 0, "it holds less than it says")
        return items

    def find_class(self, module: str, name: str) -> Any:
        """The object that a name in the file stands for. LoadError for one that could do harm."""
        module, name = of_today(module, name)
        full = f"{module}.{name}"
        if module in BLOCKED:
            raise LoadError(f"Weights only load failed. {BLOCKS.format(full, module)}")
        if (module, name) in NAMES:
            return NAMES[module, name]
        if full in self.allowed:
            return self.allowed[full]
        raise LoadError(UNSAFE.format(full.removeprefix("builtins.")))

    def made(self, function: Any, arguments: Any) -> Any:
        """The result of calling a known function."""
        check_claim(isinstance(arguments, tuple), "the arguments of a call are no tuple")
        check_claim(callable(function) and function in self.callable, f"it calls {type(function)}")
        maker = MAKERS.get(function)
        return function(*arguments) if maker is None else maker(self.charge, *arguments)

    def load_reduce(self) -> None:
        """Handles a function call."""
        arguments = self.stack.pop()
        self.stack[-1] = self.made(self.stack[-1], arguments)

    def load_newobj(self) -> None:
        """Handles a new object of a class."""
        arguments, kind = self.stack.pop(), self.stack.pop()
        plain = kind in MAKERS or not isinstance(kind, type) or kind not in self.callable
        self.append(self.made(kind, arguments) if plain else kind.__new__(kind, *arguments))

    def load_newobj_ex(self) -> None:
        """Handles a new object of a class, with keyword arguments."""
        named, arguments, kind = self.stack.pop(), self.stack.pop(), self.stack.pop()
        check_claim(
            isinstance(kind, type) and kind in self.callable and kind not in MAKERS, "it makes an object of no class"
        )
        self.append(kind.__new__(kind, *arguments, **named))

    def _instantiate(self, klass: Any, args: Any) -> None:
        """Handles a new object, in the oldest form."""
        self.append(self.made(klass, tuple(args)))

    def load_build(self) -> None:
        """Handles setting the attributes of an object."""
        state, obj = self.stack.pop(), self.stack[-1]
        kind = type(obj)
        if kind in self.callable and kind not in MAKERS:
            self.append(state)
            plain: Any = super()
            plain.load_build()
            return
        check_claim(hasattr(obj, "__dict__") and kind in MAKERS, f"it gives attributes to {kind}")
        check_claim(
            isinstance(state, dict) and all(isinstance(name, str) for name in state), "attributes have no names"
        )
        obj.__dict__.update(state)

    def load_append(self) -> None:
        """Handles appending to a list."""
        value = self.stack.pop()
        check_claim(isinstance(self.stack[-1], list), "it appends to what is no list")
        self.stack[-1].append(value)

    def load_appends(self) -> None:
        """Handles extending a list."""
        values = self.pop_mark()
        check_claim(isinstance(self.stack[-1], list), "it appends to what is no list")
        self.stack[-1].extend(values)

    def load_setitem(self) -> None:
        """Handles setting an item of a dictionary."""
        value, name = self.stack.pop(), self.stack.pop()
        self.set_items([name, value])

    def load_setitems(self) -> None:
        """Handles setting items of a dictionary."""
        self.set_items(self.pop_mark())

    def load_dict(self) -> None:
        """Handles a dictionary from the items on the stack."""
        items = self.pop_mark()
        self.append({})
        self.set_items(items)

    def set_items(self, items: list[Any]) -> None:
        """Sets alternating keys and values in the dictionary on top of the stack."""
        target = self.stack[-1]
        check_claim(isinstance(target, dict) and len(items) % 2 == 0, "it sets items of what is no dictionary")
        for i in range(0, len(items), 2):
            target[key(items[i])] = items[i + 1]

    def load_additems(self) -> None:
        """Handles adding elements to a set."""
        items = self.pop_mark()
        check_claim(type(self.stack[-1]) is set, "it adds to what is no set")
        self.stack[-1].update(map(key, items))

    def load_frozenset(self) -> None:
        """Handles a frozen set from the items on the stack."""
        items = self.pop_mark()
        self.append(frozenset(map(key, items)))

    def load_bytearray8(self) -> None:
        """Handles a bytearray; its bytes are read before memory is allocated for it."""
        (length,) = unpack("<Q", self.read(8))
        self.append(bytearray(self.read(length)))

    def get_extension(self, code: Any) -> Any:
        """Refuses extension codes, by which programs can register names."""
        raise LoadError(UNSAFE.format(f"number {code} of copyreg's extensions"))


CHECKED = (
    "reduce",
    "newobj",
    "newobj_ex",
    "build",
    "append",
    "appends",
    "setitem",
    "setitems",
    "dict",
    "additems",
    "frozenset",
    "bytearray8",
)
SafeUnpickler.dispatch.update(
    {getattr(pickle, name.upper())[0]: getattr(SafeUnpickler, f"load_{name}") for name in CHECKED}
)


def source_of(content: bytes) -> Source:
    """A source for bytes."""
    return Source(io.BytesIO(content), len(content))
