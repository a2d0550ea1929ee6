"""Pipeline parallelism: a module in stages, each on its own process; a batch goes through in microbatches."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.distributed.pipelining.microbatch import TensorChunkSpec
from rushlight.distributed.pipelining.schedules import Schedule1F1B, ScheduleGPipe
from rushlight.distributed.pipelining.stage import PipelineStage
from rushlight.distributed.pipelining.tracing import SplitPoint, pipe_split, pipeline

__all__ = [
    "PipelineStage",
    "Schedule1F1B",
    "ScheduleGPipe",
    "SplitPoint",
    "TensorChunkSpec",
    "pipe_split",
    "pipeline",
]

_explain_misses(globals())
