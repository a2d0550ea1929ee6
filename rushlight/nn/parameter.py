"""Parameters and buffers: tensors that modules register when they are assigned."""

from typing import Any, ClassVar

import numpy as np

from rushlight import dtypes
from rushlight.copying import attributes_of
from rushlight.core.above import ABOVE
from rushlight.core.advice import advised
from rushlight.core.graph import TensorBase
from rushlight.core.kinds import kind_of
from rushlight.tensors import Tensor, disabled_torch_function, dispatches, rebuild, share_memory

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter", "is_lazy"]


CASTS = {"half", "float", "double", "char", "short", "int", "long", "cuda", "cpu", "to"}
WITHOUT_SHAPE = {"__hash__", "size", "copy_", "is_complex", "is_floating_point", "get_device", *CASTS}
"""The functions that take a parameter without a shape."""


def memory_of(data: Tensor | None, kind: str) -> np.ndarray:
    """The array of a tensor; an empty one for None. TypeError for anything else."""
    if data is None:
        return np.empty(0, dtypes.get_default_dtype()._numpy)
    if not isinstance(data, TensorBase):
        raise TypeError(advised(f"{kind} data has to be a Tensor, but got {type(data).__name__}"))
    return data._settled()


def rebuild_with_state(cls: type, array: np.ndarray, requires_grad: bool, state: dict[str, Any]) -> Any:
    """Rebuilds a parameter or buffer from the result of `__reduce_ex__`."""
    tensor = rebuild(cls, array, requires_grad)
    tensor.__dict__.update(state)
    return tensor


class OfData(Tensor):
    """The base class of parameters, which chooses the class of a parameter by that of its data."""

    __torch_function__ = disabled_torch_function

    def __new__(cls, data: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Creates a parameter; for data of a class that has parameters of its own, such as DTensor, one of these."""
        if dispatches(type(data)):
            return ABOVE.parameter_of(cls, data)
        return super().__new__(getattr(data, "parameter_class", cls))


class Parameter(OfData):
    """A tensor to be trained: modules that it is assigned to list it in `parameters()`.

    It shares the memory of `data`, and is a leaf even if `data` is not. RuntimeError if it requires grad but its dtype
    is neither floating-point nor complex.

    >>> import rushlight as torch
    >>> torch.nn.Parameter(torch.ones(2))
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True):
        array = self._array = memory_of(data, "Parameter")
        if requires_grad and kind_of(array.dtype) not in "fc":
            raise RuntimeError(advised("Only Tensors of floating point and complex dtype can require gradients"))
        self._needs = requires_grad
        if data is not None:
            share_memory(self, data)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        if id(self) not in memo:
            memo[id(self)] = rebuild(type(self), self._array.copy(order="K"), self._needs)
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return rebuild_with_state, (type(self), self._array, self._needs, attributes_of(self))

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()


class Buffer(Tensor):
    """A tensor that is part of a module's state but not trained: registered when it is assigned to a module.

    If it is not `persistent`, it is left out of the module's `state_dict()`. TypeError for data that is not a tensor.

    >>> import rushlight as torch
    >>> module = torch.nn.Module()
    >>> module.steps = torch.nn.Buffer(torch.zeros(1))
    >>> list(module.state_dict())
    ['steps']
    """

    __torch_function__ = disabled_torch_function

    def __init__(self, data: Tensor | None = None, *, persistent: bool = True):
        self._array = memory_of(data, "Buffer")
        self.persistent = persistent

    def __reduce_ex__(self, protocol: Any) -> Any:
        return rebuild_with_state, (type(self), self._array, self._needs, {"persistent": self.persistent})


class UninitializedTensorMixin:
    """A parameter or buffer without a shape; `materialize` gives it one and makes it an ordinary one."""

    cls_to_become: ClassVar[type]
    _array: np.ndarray

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Calls functions that need no shape; ValueError for all others."""
        name = getattr(func, "__name__", repr(func))
        if name in WITHOUT_SHAPE or type(func).__name__ == "method-wrapper":
            return disabled_torch_function(func, types, args, kwargs or {})
        raise ValueError(
            f"Attempted to use an uninitialized parameter in {name}. This error happens when you are using a "
            f"`LazyModule` or explicitly manipulating `torch.nn.parameter.{cls.__name__}` objects. When using "
            "LazyModules Call `forward` with a dummy batch to initialize the parameters before calling torch functions"
        )

    def materialize(self, shape: tuple[int, ...], device: Any = None, dtype: dtypes.dtype | None = None) -> None:
        """Gives it uninitialized memory of a shape, and its ordinary class."""
        self._array = np.empty(tuple(shape), self._array.dtype if dtype is None else dtype._numpy)
        self.__class__ = self.cls_to_become

    @property
    def shape(self) -> Any:
        """Raises RuntimeError: it has no shape."""
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` "
            "to initialize the parameters before accessing their attributes."
        )

    def share_memory_(self) -> None:
        """Raises RuntimeError: it has no memory to share."""
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters "
            "before calling `module.share_memory()`."
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        return type(self), (self.requires_grad,)  # type: ignore[attr-defined]

    def __deepcopy__(self, memo: Any) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, dtype=self.dtype)  # type: ignore[attr-defined, call-arg]
        return memo[id(self)]


def is_lazy(param: Any) -> bool:
    """Whether a parameter or buffer has no shape yet.

    >>> import rushlight as torch
    >>> from rushlight.nn.parameter import is_lazy
    >>> is_lazy(torch.nn.LazyLinear(2).weight), is_lazy(torch.nn.Linear(1, 2).weight)
    (True, False)
    """
    return isinstance(param, UninitializedTensorMixin)


class UninitializedParameter(UninitializedTensorMixin, Parameter):  # type: ignore[misc]
    """A parameter that has no shape yet; see `nn.LazyLinear`.

    RuntimeError if its shape is used before it is initialized.

    >>> import rushlight as torch
    >>> weight = torch.nn.UninitializedParameter()
    >>> weight.materialize((2, 3))
    >>> weight.shape
    torch.Size([2, 3])
    """

    cls_to_become = Parameter

    def __init__(self, requires_grad: bool = True, device: Any = None, dtype: dtypes.dtype | None = None):
        super().__init__(requires_grad=requires_grad)
        if dtype is not None:
            self._array = self._array.astype(dtype._numpy)


class UninitializedBuffer(UninitializedTensorMixin, Tensor):  # type: ignore[misc]
    """A buffer that has no shape yet; see `nn.LazyBatchNorm1d`.

    RuntimeError if its shape is used before it is initialized.

    >>> import rushlight as torch
    >>> buffer = torch.nn.UninitializedBuffer()
    >>> buffer.materialize((2, 3))
    >>> buffer.shape
    torch.Size([2, 3])
    """

    cls_to_become = Tensor

    def __init__(
        self,
        requires_grad: bool = False,
        device: Any = None,
        dtype: dtypes.dtype | None = None,
        persistent: bool = True,
    ):
        self._array = np.empty(0, (dtype or dtypes.get_default_dtype())._numpy)
        self._needs = requires_grad
        self.persistent = persistent
