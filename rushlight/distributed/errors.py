"""PyTorch's exceptions of distributed programs."""

__all__ = ["DistBackendError", "DistError", "DistNetworkError", "DistStoreError"]


class DistError(RuntimeError):
    """The base of errors between processes.

    >>> import rushlight.distributed as dist
    >>> issubclass(dist.DistBackendError, dist.DistError), issubclass(dist.DistError, RuntimeError)
    (True, True)
    """


class DistBackendError(DistError):
    """A communication failed or timed out.

    >>> import rushlight.distributed as dist
    >>> issubclass(dist.DistBackendError, dist.DistError)
    True
    """


class DistNetworkError(DistError):
    """A process could not be reached.

    >>> import rushlight.distributed as dist
    >>> issubclass(dist.DistNetworkError, dist.DistError)
    True
    """


class DistStoreError(DistError):
    """A store did not answer, or did not get a value in time.

    >>> import rushlight.distributed as dist
    >>> issubclass(dist.DistStoreError, dist.DistError)
    True
    """
