"""The names of PyTorch's compiled core that programs and files ask for."""

from rushlight._C import _nn as _nn
from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.linalg import LinAlgError as _LinAlgError
from rushlight.overrides.calls import Without as _Without
from rushlight.random import Generator
from rushlight.tensors import Tensor as _Tensor
from rushlight.tensors import disabled_torch_function as _disabled_torch_function_impl

__all__ = [
    "DisableTorchFunction",
    "DisableTorchFunctionSubclass",
    "Generator",
    "_LinAlgError",
    "_disabled_torch_function_impl",
]


class DisableTorchFunctionSubclass(_Without):
    """A context in which classes take no calls over: subclasses of Tensor are as tensors.

    >>> import rushlight as torch
    >>> class Named(torch.Tensor):
    ...     pass
    >>> with torch._C.DisableTorchFunctionSubclass():
    ...     type(torch.ones(2).as_subclass(Named) + 1).__name__
    'Tensor'
    """


class DisableTorchFunction(_Without):
    """A context in which neither classes nor modes take calls over.

    >>> import rushlight as torch
    >>> class Named(torch.Tensor):
    ...     pass
    >>> x = torch.ones(2).as_subclass(Named)
    >>> type(x + 1).__name__
    'Named'
    >>> with torch._C.DisableTorchFunction():
    ...     type(x + 1).__name__
    'Tensor'
    """

    modes = True


_TensorMeta = type(_Tensor)


def _get_tracing_state() -> None:
    """The trace that is being recorded: none is."""


def _log_api_usage_once(event: str) -> None:
    """Where PyTorch's makers count what is used; nobody counts here."""


_explain_misses(globals())
