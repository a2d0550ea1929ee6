"""Measuring the run time of code, as `torch.utils.benchmark`."""

from typing import Any

from rushlight.absent.misses import no_such_name as _no_such_name
from rushlight.utils.benchmark.comparing import Compare
from rushlight.utils.benchmark.fuzzing import FuzzedParameter, FuzzedTensor, Fuzzer, ParameterAlias
from rushlight.utils.benchmark.measurements import Measurement, TaskSpec, select_unit, trim_sigfig, unit_to_english
from rushlight.utils.benchmark.timing import Timer, timer

__all__ = [
    "Compare",
    "FuzzedParameter",
    "FuzzedTensor",
    "Fuzzer",
    "Measurement",
    "ParameterAlias",
    "TaskSpec",
    "Timer",
    "select_unit",
    "timer",
    "trim_sigfig",
    "unit_to_english",
]


def __getattr__(name: str) -> Any:
    """Raises AttributeError with the reason why there is no such name, or similar names."""
    raise _no_such_name("rushlight.utils.benchmark", name)
