"""CUDA graphs, for which there is no device."""

from typing import Any

from rushlight.cuda.streams import Stream
from rushlight.cuda.without import only_a_name

__all__ = ["CUDAGraph", "graph", "graph_pool_handle", "is_current_stream_capturing", "make_graphed_callables"]


class CUDAGraph:
    """A recorded graph of CUDA work. RuntimeError when it is made: there is no device."""

    def __init__(self, keep_graph: bool = False) -> None:
        only_a_name("CUDAGraph")


class graph:
    """A context that records a `CUDAGraph`. RuntimeError when it is made: there is no device."""

    def __init__(self, cuda_graph: Any, *args: Any, **kwargs: Any) -> None:
        Stream()


def graph_pool_handle() -> None:
    """Raises RuntimeError: there is no device whose graphs could share memory."""
    only_a_name("_graph_pool_handle")


def is_current_stream_capturing() -> None:
    """Raises RuntimeError: there is no stream."""
    only_a_name("_cuda_isCurrentStreamCapturing")


def make_graphed_callables(callables: Any, sample_args: Any, *args: Any, **kwargs: Any) -> None:
    """Raises RuntimeError: there is no device."""
    graph_pool_handle()
