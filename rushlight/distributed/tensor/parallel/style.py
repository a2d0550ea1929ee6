"""How layers are shared out, where PyTorch has the classes."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.distributed.tensor.parallel.prepared import (
    PrepareModuleInput,
    PrepareModuleInputOutput,
    PrepareModuleOutput,
)
from rushlight.distributed.tensor.parallel.styles import (
    ColwiseParallel,
    ParallelStyle,
    RowwiseParallel,
    SequenceParallel,
)

__all__ = [
    "ColwiseParallel",
    "ParallelStyle",
    "PrepareModuleInput",
    "PrepareModuleInputOutput",
    "PrepareModuleOutput",
    "RowwiseParallel",
    "SequenceParallel",
]

_explain_misses(globals())
