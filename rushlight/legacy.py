"""The legacy tensor classes of one dtype, such as `FloatTensor`: constructors, and types for `isinstance`."""

from typing import Any

from rushlight import dtypes
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.ops.making.old_constructors import constructed
from rushlight.settings import warn_once
from rushlight.tensors import Tensor

WITHOUT: set[dtypes.dtype] = {
    d for d in dtypes.DTYPES if d._name in ("uint16", "uint32", "uint64") or d._name.startswith("float8")
}
CLASSES: dict[str, dtypes.dtype] = {
    f"{name}Tensor": d for d, name in dtypes.TYPE_NAMES.items() if not d.is_complex and d not in WITHOUT
}

__all__ = ["set_default_tensor_type", *CLASSES]


class TypedTensor(type):
    """The metaclass of those classes: any tensor of the dtype counts as an instance."""

    dtype: dtypes.dtype

    def __instancecheck__(cls, value: Any) -> Any:
        return isinstance(value, TensorBase) and value.dtype is cls.dtype

    def __call__(cls, *given: Any, **options: Any) -> Tensor:
        return new_tensor(constructed(cls.dtype._numpy, *given, **options))


def no_base(cls: type) -> None:
    """Raises TypeError: such a class is a name for a dtype, which no class can extend."""
    base = cls.__bases__[0]
    raise TypeError(
        f"type '{base.__module__}.{base.__name__}' is not an acceptable base type. Derive from torch.Tensor instead."
    )


for name, d in CLASSES.items():
    doc: str = f"Tensors of {d}: made from data, or uninitialised from sizes."
    globals()[name] = TypedTensor(
        name, (), {"dtype": d, "__module__": "torch", "__doc__": doc, "__init_subclass__": no_base}
    )


def set_default_tensor_type(t: type | str) -> None:
    """Sets the default dtype to that of a class such as `torch.DoubleTensor`, or of its name; see `set_default_dtype`.

    >>> import rushlight as torch
    >>> torch.set_default_tensor_type(torch.FloatTensor)
    """
    kind = globals().get(t.removeprefix("torch.")) if isinstance(t, str) else t
    if isinstance(kind, type) and kind.__module__ == "torch.cuda":
        kind()  # says that there is no such device
    if not isinstance(kind, TypedTensor):
        raise TypeError(f"invalid type object: only floating-point types are supported as the default type, not {t}")
    warn_once(
        "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
        "torch.set_default_device() as alternatives."
    )
    dtypes.set_default_dtype(kind.dtype)
