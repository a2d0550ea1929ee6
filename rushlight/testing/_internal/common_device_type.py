"""`torch.testing._internal.common_device_type`: tests with a device and a data type, made for the CPU."""

import unittest
from collections.abc import Callable, Iterable
from functools import partialmethod
from typing import Any, NamedTuple

from rushlight import dtypes as types
from rushlight.devices import device
from rushlight.dtypes import dtype
from rushlight.testing._internal.circumstances import never, skips
from rushlight.testing._internal.common_utils import instantiate_parametrized_tests, parametrize

__all__ = [
    "deviceCountAtLeast",
    "dtypes",
    "dtypesIfCPU",
    "dtypesIfCUDA",
    "expectedFailureCUDA",
    "instantiate_device_type_tests",
    "largeTensorTest",
    "onlyCPU",
    "onlyCUDA",
    "onlyNativeDeviceTypes",
    "onlyOn",
    "precisionOverride",
    "skipCPUIf",
    "skipCPUIfNoLapack",
    "skipCUDAIf",
    "skipCUDAIfNoCusolver",
    "skipCUDAIfRocm",
    "skipMeta",
    "tol",
    "toleranceOverride",
]

onlyCUDA = skips(True, "it needs a GPU")
onlyCPU = onlyNativeDeviceTypes = skipCPUIfNoLapack = skipCUDAIfNoCusolver = skipCUDAIfRocm = skipMeta = never
expectedFailureCUDA = expectedFailureMeta = expectedFailureMPS = skipCUDAIf = dtypesIfCUDA = dtypesIfMPS = never
largeTensorTest = never


class tol(NamedTuple):
    """Tolerances of a test."""

    atol: float
    rtol: float


class dtypes:
    """Decorates a test that takes `dtype`: it is made once for each of some types."""

    def __init__(self, *given: dtype | Iterable[dtype]):
        self.types = [kind for each in given for kind in ([each] if isinstance(each, dtype) else each)]

    def __call__(self, test: Any) -> Any:
        return parametrize("dtype", self.types)(test)


class dtypesIfCPU(dtypes):
    """The types of a test on the CPU, instead of those that `dtypes` gives."""

    def __call__(self, test: Any) -> Any:
        vars(test)["parameters"] = [p for p in vars(test).get("parameters", []) if p.names != ["dtype"]]
        return super().__call__(test)


def deviceCountAtLeast(num_required_devices: int) -> Callable[..., Any]:
    """Decorates a test that takes several devices: it is skipped, for there is one CPU."""
    return skips(num_required_devices > 1, f"it needs {num_required_devices} devices")


def onlyOn(device_type: str | list[str]) -> Callable[..., Any]:
    """Decorates a test for some devices: it is skipped if the CPU is none of them."""
    return skips("cpu" not in ([device_type] if isinstance(device_type, str) else device_type), f"for {device_type}")


def skipCPUIf(condition: bool, reason: str) -> Callable[..., Any]:
    """Decorates a test that is skipped on the CPU if a condition holds."""
    return skips(condition, reason)


def with_tolerances(read: Callable[[Any], tuple[float | None, float | None]], given: dict[dtype, Any]) -> Any:
    """A decorator that gives a test the tolerances of its type, while it runs."""

    def decorate(test: Any) -> Any:
        def called(self: Any, *args: Any, **kwargs: Any) -> Any:
            previous = self.tolerances
            if kwargs.get("dtype") in given:
                self.tolerances = read(given[kwargs["dtype"]])
            try:
                return test(self, *args, **kwargs)
            finally:
                self.tolerances = previous

        vars(called).update(vars(test), __wrapped__=test)
        called.__name__, called.__doc__ = test.__name__, test.__doc__
        return called

    return decorate


def toleranceOverride(overrides: dict[dtype, tol]) -> Any:
    """Decorates a test with the tolerances of some types."""
    return with_tolerances(lambda given: (given.atol, given.rtol), overrides)


def precisionOverride(overrides: dict[dtype, float]) -> Any:
    """Decorates a test with the absolute tolerances of some types."""
    return with_tolerances(lambda given: (given, None), overrides)


def instantiate_device_type_tests(
    generic_test_class: type,
    scope: dict[str, Any],
    except_for: Any = None,
    only_for: Any = None,
    include_lazy: bool = False,
    allow_mps: bool = False,
    allow_xpu: bool = False,
) -> None:
    """Makes of a class of tests that take `device` the class for the CPU, `NAMECPU`, in a namespace."""
    scope.pop(generic_test_class.__name__, None)
    if "cpu" in (except_for or ()) or (only_for is not None and "cpu" not in only_for):
        return
    name = f"{generic_test_class.__name__}CPU"
    members = dict(vars(generic_test_class)) | {"device_type": "cpu", "__qualname__": name}
    tests = {key: value for key, value in members.items() if key.startswith("test") and callable(value)}
    for key in ("__dict__", "__weakref__", *tests):
        members.pop(key, None)
    made = type(name, generic_test_class.__bases__, members)
    for key, test in tests.items():
        setattr(made, key, test)
    instantiate_parametrized_tests(made)
    for key, test in list(vars(made).items()):
        if key.startswith("test") and callable(test):
            delattr(made, key)
            on_cpu: Any = partialmethod(test, device=str(device("cpu"))).__get__(None, made)
            if getattr(test, "__unittest_skip__", False):
                on_cpu = unittest.skip(test.__unittest_skip_why__)(on_cpu)
            setattr(made, with_device(key), on_cpu)
    made.__module__ = generic_test_class.__module__
    scope[name] = made


def with_device(name: str) -> str:
    """The name of a made test with the device at its end, or before its type."""
    rest, _, last = name.rpartition("_")
    return f"{rest}_cpu_{last}" if isinstance(getattr(types, last, None), dtype) else f"{name}_cpu"
