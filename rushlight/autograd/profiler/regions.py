"""Named regions of a program, and the annotators of two other profilers, which rushlight does not support."""

from contextlib import ContextDecorator
from typing import Self

from rushlight.autograd.profiler.recording import USER
from rushlight.core.interpreters import observer


class record_function(ContextDecorator):
    """Names a block, or every call of a function, in the active profiler; does nothing if there is none.

    >>> import rushlight as torch
    >>> from rushlight.autograd import profiler
    >>> with profiler.profile() as prof:
    ...     with profiler.record_function("twice"):
    ...         y = torch.ones(3) + torch.ones(3)
    >>> [(event.name, event.cpu_parent and event.cpu_parent.name) for event in prof.function_events]
    [('twice', None), ('aten::add', 'twice')]
    """

    def __init__(self, name: str, args: str | None = None):
        self.name = name
        self.args = args
        self.record = None

    def _recreate_cm(self) -> Self:
        return type(self)(self.name, self.args)  # each call of a decorated function is a region of its own

    def __enter__(self) -> Self:
        profiler = observer()
        if profiler is not None:
            self.record = profiler.open(self.name, USER)
        return self

    def __exit__(self, *exception: object) -> None:
        if self.record is not None:
            self.record.close()
            self.record = None


class emit_nvtx:
    """NVTX ranges are for NVIDIA's GPU profilers: RuntimeError, unless not `enabled`."""

    tool = "NVTX ranges are shown by NVIDIA's profilers"

    def __init__(self, enabled: bool = True, record_shapes: bool = False):
        self.enabled = enabled

    def __enter__(self) -> None:
        if self.enabled:
            raise RuntimeError(
                f"{type(self).__name__} needs a library that rushlight has not: {self.tool}. Use "
                "torch.autograd.profiler.profile, and export_chrome_trace for a trace that Perfetto opens."
            )

    def __exit__(self, *exception: object) -> None:
        return None


class emit_itt(emit_nvtx):
    """ITT ranges are for Intel's VTune: RuntimeError, unless not `enabled`."""

    tool = "ITT ranges are shown by Intel's VTune"
