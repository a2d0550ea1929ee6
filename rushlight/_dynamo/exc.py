"""Errors of PyTorch's compiler, for programs that catch them: none is raised here, where functions run as they are."""

__all__ = [
    "BackendCompilerFailed",
    "InternalTorchDynamoError",
    "InvalidBackend",
    "RecompileError",
    "TorchDynamoException",
    "TorchRuntimeError",
    "Unsupported",
    "UserError",
]


class TorchDynamoException(RuntimeError):
    """The base class of the others."""


class BackendCompilerFailed(TorchDynamoException):
    """A compiler that was given failed."""


class InternalTorchDynamoError(TorchDynamoException):
    """PyTorch's compiler failed."""


class InvalidBackend(TorchDynamoException):
    """There is no such compiler."""


class RecompileError(TorchDynamoException):
    """A function would have to be compiled again."""


class TorchRuntimeError(TorchDynamoException):
    """A function failed while it was compiled."""


class Unsupported(TorchDynamoException):
    """Something that PyTorch's compiler does not support."""


class UserError(TorchDynamoException):
    """A wrong call of PyTorch's compiler."""
