"""The names of PyTorch's compiled core that programs and saved files refer to."""

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
    """A context in which `__torch_function__` of classes is not called: subclasses of Tensor behave as tensors.

    >>> import rushlight as torch
    >>> class Named(torch.Tensor):
    ...     pass
    >>> with torch._C.DisableTorchFunctionSubclass():
    ...     type(torch.ones(2).as_subclass(Named) + 1).__name__
    'Tensor'
    """


class DisableTorchFunction(_Without):
    """A context in which `__torch_function__` is called neither for classes nor for modes.

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
    """The trace that is being recorded: always None."""


def _log_api_usage_once(event: str) -> None:
    """Does nothing: PyTorch counts the use of its API here."""


_explain_misses(globals())
