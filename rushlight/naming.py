"""The names of types in error messages."""

from rushlight.core.graph import TensorBase
from rushlight.dtypes import FROM_NUMPY, TYPE_NAMES

__all__ = ["typename"]


def typename(obj: object) -> str:
    """The type of an object, or a type itself, as text; for a tensor, with its dtype.

    >>> import rushlight as torch
    >>> torch.typename(torch.ones(2)), torch.typename("text"), torch.typename(torch.nn.Linear(2, 3))
    ('torch.FloatTensor', 'str', 'rushlight.nn.modules.linear.Linear')
    """
    if isinstance(obj, TensorBase):
        return f"torch.{TYPE_NAMES[FROM_NUMPY[obj._array.dtype]]}Tensor"
    cls = obj if isinstance(obj, type) else type(obj)
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
