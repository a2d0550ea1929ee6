"""PyTorch's exceptions of distributed programs."""

__all__ = ["DistBackendError", "DistError", "DistNetworkError", "DistStoreError"]


class DistError(RuntimeError):
    """Something went wrong between processes."""


class DistBackendError(DistError):
    """A communication failed or took too long."""


class DistNetworkError(DistError):
    """A process could not be reached."""


class DistStoreError(DistError):
    """A store did not answer, or does not have what was asked for in time."""
