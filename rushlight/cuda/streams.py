"""Streams and events of CUDA devices, of which there are none: classes for annotations and `isinstance`."""

from typing import Any

from rushlight.cuda.without import ADVICE, not_compiled, only_a_name

__all__ = """
    Event ExternalStream Stream StreamContext current_stream default_stream get_stream_from_external set_stream stream
""".split()


class Stream:
    """A queue of work on a device. RuntimeError when it is made: there is no device.

    >>> import rushlight as torch
    >>> torch.cuda.Stream()
    Traceback (most recent call last):
    ...
    RuntimeError: torch.cuda.Stream requires CUDA support. rushlight computes on the CPU only: ...
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(f"torch.cuda.Stream requires CUDA support. {ADVICE}")


class ExternalStream(Stream):
    """A stream made by another library. RuntimeError when it is made: there is no device."""


class Event:
    """A marker in a stream, to wait for or to measure time. RuntimeError when it is made: there is no device."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        only_a_name("Event")


class StreamContext:
    """A context that selects a stream. As there is no device, nothing changes inside, as in PyTorch."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        pass


def stream(stream: Any) -> StreamContext:
    """A context that selects a stream; for None it changes nothing.

    >>> import rushlight as torch
    >>> with torch.cuda.stream(None):
    ...     torch.ones(2)
    tensor([1., 1.])
    """
    return StreamContext(stream)


def set_stream(stream: Any) -> None:
    """Selects a stream. Nothing happens for None; there are no others: AssertionError."""
    if stream is not None:
        current_stream()


current_stream = default_stream = not_compiled("device=None")
get_stream_from_external = not_compiled("data_ptr, device=None")
