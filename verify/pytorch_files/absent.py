"""Placeholders for PyTorch's names that rushlight lacks, while test files are loaded; using one raises an error."""

import re
import sys
from types import ModuleType
from typing import Any

from rushlight.dtypes import dtype

FACTS = {  # what files ask for while they are loaded, and go on with
    "torch._C._get_privateuse1_backend_name": lambda: "privateuseone",
    "torch._C._len_torch_function_stack": lambda: 0,
    "torch._C._get_torch_function_state": lambda: 0,
}
MARKS = ("parametrize_fn", "passes_switch", "in_place_of")  # by which files know templates, rushlight its functions
DTYPES = r"torch\.(complex32|chalf|float[48]_\w+|q?u?int\d+(x\d)?|bits\d\w*)"  # types that rushlight lacks


class Lacking(dtype):
    """A type that rushlight lacks, of no kind of numbers."""

    __slots__ = ()
    is_floating_point = is_complex = False


def stand_in(name: str) -> Any:
    """What stands for an absent name."""
    if re.fullmatch(DTYPES, name):
        return Lacking(name.removeprefix("torch."), "V1")
    return FACTS.get(name) or Placeholder(name)


def asked_by_tools() -> bool:
    """Whether it is one of PyTorch's testing tools that asks, not a test."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename == __file__:
        frame = frame.f_back
    return "/torch/testing/_internal/" in frame.f_code.co_filename


class Absent(Exception):
    """A test has come to a name that rushlight lacks."""

    def __init__(self, name: str):
        super().__init__(name)
        self.name = name


class Placeholder(type):
    """The class of what stands for absent names: itself classes, so that they can be bases and asked for instances.

    While files are loaded, attributes and calls give further placeholders, and PyTorch's testing tools get such at any
    time. While a test runs, they raise `Absent`.
    """

    running = False

    def __new__(cls, name: str, bases: tuple = (), namespace: dict | None = None):
        """Stands for a name; for a class that a file derives from it as well."""
        return super().__new__(cls, name, (), {"absent": name} if namespace is None else {**namespace, "absent": name})

    def __init__(cls, name: str, bases: tuple = (), namespace: dict | None = None):
        super().__init__(name, (), {})

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__") or name in MARKS:
            raise AttributeError(name)
        return cls.used(f"{cls.absent}.{name}")

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """A decorator leaves its function as it is; all else is `used`."""
        if not Placeholder.running and len(args) == 1 and callable(args[0]) and not kwargs:
            return args[0]
        return cls.used(cls.absent)

    def used(cls, name: str) -> "Placeholder":
        """A further placeholder, or `Absent`."""
        if Placeholder.running and not asked_by_tools():
            raise Absent(name)
        return stand_in(name)

    def __bool__(cls) -> bool:
        return False

    def __iter__(cls):
        return iter(())

    def __or__(cls, other: Any) -> Any:
        return cls

    __ror__ = __and__ = __rand__ = __or__

    def __radd__(cls, other: Any) -> Any:
        return other

    def __lt__(cls, other: Any) -> bool:
        return False

    __le__ = __gt__ = __ge__ = __lt__

    def __getitem__(cls, key: Any) -> Any:
        return cls


class PlaceholderModule(ModuleType):
    """A module that rushlight lacks: all its names are absent."""

    __path__: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in MARKS:
            raise AttributeError(name)
        if Placeholder.running and not asked_by_tools():
            raise Absent(f"{self.__name__}.{name}")
        placeholder = stand_in(f"{self.__name__}.{name}")
        setattr(self, name, placeholder)
        return placeholder
