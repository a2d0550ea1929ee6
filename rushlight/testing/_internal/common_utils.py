"""Test cases as PyTorch's own test files write them: comparisons of tensors, and tests with parameters."""

import sys
import unittest
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partialmethod
from itertools import product
from typing import Any

import numpy as np

from rushlight.core.graph import TensorBase, new_tensor
from rushlight.devices import device
from rushlight.dtypes import dtype
from rushlight.random import manual_seed
from rushlight.testing import assert_close, make_tensor

__all__ = [
    "IS_LINUX",
    "IS_MACOS",
    "IS_WINDOWS",
    "SEED",
    "TEST_CUDA",
    "TEST_MPS",
    "TEST_XPU",
    "TestCase",
    "instantiate_parametrized_tests",
    "make_tensor",
    "parametrize",
    "run_tests",
    "subtest",
]

IS_LINUX, IS_MACOS, IS_WINDOWS = (sys.platform == name for name in ("linux", "darwin", "win32"))
TEST_CUDA = TEST_MPS = TEST_XPU = False
SEED = 1234
EQUAL = unittest.TestCase.assertEqual
COMPARED = (TensorBase, np.ndarray, np.number, int, float, complex)


class TestCase(unittest.TestCase):
    """A test case that compares tensors, and seeds the random numbers before each test."""

    def setUp(self) -> None:
        """Seeds the random numbers."""
        super().setUp()
        manual_seed(SEED)

    def assertEqual(
        self,
        first: Any,
        second: Any,
        msg: Any = None,
        *,
        atol: float | None = None,
        rtol: float | None = None,
        equal_nan: bool = True,
        exact_dtype: bool = True,
    ) -> None:
        """Asserts that two values are equal: tensors and numbers closely, also within sequences and mappings."""
        options = {"atol": atol, "rtol": rtol, "equal_nan": equal_nan, "check_dtype": exact_dtype, "msg": msg}
        self.compare(first, second, options)

    def compare(self, first: Any, second: Any, options: dict[str, Any]) -> None:
        """Compares two values, or their items."""
        mappings = isinstance(first, Mapping) and isinstance(second, Mapping)
        if mappings and first.keys() == second.keys():
            for key in first:
                self.compare(first[key], second[key], options)
        elif is_sequence(first) and is_sequence(second) and len(first) == len(second):
            for one, other in zip(first, second, strict=True):
                self.compare(one, other, options)
        elif isinstance(first, COMPARED) and isinstance(second, COMPARED):
            if isinstance(first, TensorBase) != isinstance(second, TensorBase):
                first, second, options = as_tensor(first), as_tensor(second), options | {"check_dtype": False}
            assert_close(first, second, **options)
        else:
            EQUAL(self, first, second, options["msg"])


def as_tensor(value: Any) -> Any:
    """A tensor as it is, an array or number as a tensor."""
    return value if isinstance(value, TensorBase) else new_tensor(np.asarray(value))


def is_sequence(value: Any) -> bool:
    """Whether a value has items to compare one by one."""
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


class subtest:
    """The values of one test of `parametrize`, with the end of its name and decorators of its own."""

    def __init__(self, arg_values: Any, name: str | None = None, decorators: Iterable[Callable[..., Any]] = ()):
        self.arg_values, self.name, self.decorators = arg_values, name, list(decorators)


class parametrize:
    """Decorates a test: `instantiate_parametrized_tests` makes one of it for each of some values.

    `arg_str` names the parameters, separated by commas; `name_fn` makes the end of a test's name of their values.
    """

    def __init__(self, arg_str: str, arg_values: Iterable[Any], name_fn: Callable[..., str] | None = None):
        self.names = [name.strip() for name in arg_str.split(",") if name.strip()]
        self.values, self.name_fn = list(arg_values), name_fn

    def __call__(self, test: Callable[..., Any]) -> Callable[..., Any]:
        vars(test).setdefault("parameters", []).insert(0, self)
        return test

    def cases(self) -> list[tuple[str, dict[str, Any], list[Callable[..., Any]]]]:
        """The end of the name, the arguments and the decorators of each test."""
        found = []
        for i, given in enumerate(self.values):
            case = given if isinstance(given, subtest) else subtest(given)
            values = [case.arg_values] if len(self.names) == 1 else list(case.arg_values)
            end = case.name or (self.name_fn(*values) if self.name_fn else self.named(i, values))
            found.append((end, dict(zip(self.names, values, strict=True)), case.decorators))
        return found

    def named(self, i: int, values: list[Any]) -> str:
        """The end of the i-th test's name, made of the parameters and their values."""
        return "_".join(shown(i, name, value) for name, value in zip(self.names, values, strict=True))


def shown(i: int, name: str, value: Any) -> str:
    """A parameter of the i-th test within its name."""
    if isinstance(value, dtype):
        return str(value).removeprefix("torch.")
    if isinstance(value, device):
        return str(value)
    return f"{name}_{value}".replace(".", "_") if isinstance(value, (int, float, str)) else f"{name}{i}"


def instantiate_parametrized_tests(cls: type) -> type:
    """Replaces the tests of a class that have parameters by one test for each combination of values."""
    for name, test in list(vars(cls).items()):
        if not hasattr(test, "parameters"):
            continue
        delattr(cls, name)
        for combination in product(*[parameters.cases() for parameters in test.parameters]):
            arguments = {key: value for _, values, _ in combination for key, value in values.items()}
            made: Any = partialmethod(test, **arguments).__get__(None, cls)
            for _, _, decorators in combination:
                for decorate in decorators:
                    made = decorate(made)
            made.__name__ = "_".join([name, *[end for end, _, _ in combination]])
            if hasattr(cls, made.__name__):
                raise RuntimeError(f"{made.__name__} is made twice by {cls.__name__}.{name}: give subtests other names")
            setattr(cls, made.__name__, made)
    return cls


def run_tests(argv: list[str] | None = None) -> None:
    """Runs the tests of the program, as `unittest.main` does."""
    unittest.main(argv=argv)
