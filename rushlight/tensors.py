"""The public class Tensor. Operators that are methods too are added by the table of operators when it is loaded."""

import math
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight import dtypes
from rushlight.copying import copied_into, copied_memory, set_state, state_of
from rushlight.core.above import ABOVE
from rushlight.core.advice import advised
from rushlight.core.aliases import Array
from rushlight.core.arithmetic import Arithmetic
from rushlight.core.arrays import is_foreign
from rushlight.core.batched import Batched
from rushlight.core.codes import DEFAULT
from rushlight.core.forward import tangent_of
from rushlight.core.graph import Node, TensorBase, Vertex, new_tensor, note_detached, use_tensor_class
from rushlight.core.hooks import OWN, RemovableHandle, add_hook, expect, hooks_of
from rushlight.core.interpreters import levels, writer
from rushlight.core.kinds import kind_of
from rushlight.core.lines import warn
from rushlight.core.meta import is_meta
from rushlight.core.modes import CURRENT
from rushlight.core.narrow import TYPES as NARROW_TYPES
from rushlight.core.turned import Turned, memory, turn, turning
from rushlight.core.windows import address, memory_of
from rushlight.devices import CPU, META, device
from rushlight.layouts import contiguous_format, has_format, memory_format, shown, strided
from rushlight.printing import batched_str, meta_str, tensor_str
from rushlight.settings import warn_once
from rushlight.size import Size, size_of

__all__ = ["Tensor"]


def disabled_torch_function(function: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """`__torch_function__` of a class that overrides nothing; PyTorch's name is `_disabled_torch_function_impl`."""
    return ABOVE.call_without_overrides(function, args, kwargs or {})


def disabled_torch_dispatch(func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """`__torch_dispatch__` of a class without one: calls the function. PyTorch's is `_disabled_torch_dispatch_impl`."""
    return ABOVE.call_without_classes(func, args, kwargs or {})


def dispatches(cls: type) -> bool:
    """Whether a class has a `__torch_dispatch__` of its own."""
    return getattr(cls, "__torch_dispatch__", disabled_torch_dispatch) is not disabled_torch_dispatch


def takes_over(cls: type) -> bool:
    """Whether a class overrides functions that are called with its objects. PyTorch's tensors would only call them."""
    if cls is Tensor or getattr(cls, "__torch_function__", disabled_torch_function) is disabled_torch_function:
        return False
    return all(base.__module__ != "torch._C" for base in cls.__mro__)


def noticed(cls: type) -> None:
    """Called when an object of a class is made: if the class overrides functions, all functions now check for that."""
    if takes_over(cls):
        ABOVE.install_switches()


def counted(tensor: Any) -> Any:
    """A new tensor of a subclass; a class with `__torch_dispatch__` is asked about calls while the object exists."""
    noticed(type(tensor))
    if dispatches(type(tensor)):
        ABOVE.count_object(tensor)
    return tensor


def foreign(values: Array) -> bool:
    """Whether a value that is not a tensor overrides functions; if so, all functions check for that from now on."""
    if not any(takes_over(type(value)) and not isinstance(value, TensorBase) for value in values):
        return False
    ABOVE.install_switches()
    return True


constructed: Callable[..., Any] = None  # type: ignore[assignment]  # makes the array of `Tensor(2, 3)`


def use_constructor(function: Callable[..., Any]) -> None:
    """Sets the function that makes arrays from sizes or data."""
    global constructed
    constructed = function


def one_size(name: str, sizes: Sequence[int], dim: Any) -> int:
    """The entry for one dimension. IndexError if out of range."""
    try:
        if not isinstance(dim, TensorBase) or not dim._array.ndim:
            return sizes[dim] if sizes else ()[dim]
    except (IndexError, TypeError):
        pass
    if isinstance(dim, int) and not sizes:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if isinstance(dim, int):
        n = len(sizes)
        raise IndexError(advised(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})"))
    raise TypeError(f"{name}(): argument 'dim' (position 1) must be int, not {type(dim).__name__}")


def one_of(tensor: "Tensor") -> float:
    """The element of a one-element tensor as a Python number. ValueError for any other."""
    if tensor._array.size != 1:
        raise ValueError(advised("only one element tensors can be converted to Python scalars"))
    return tensor.item()


def leaving(tensor: TensorBase) -> "Tensor":
    """A tensor that is being converted to a number; warns, once in a process, if that drops its history."""
    if tensor.requires_grad:
        warn_once(TO_SCALAR)
    return tensor


TO_SCALAR = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first."
)


def real_of(tensor: "Tensor", wanted: str) -> float:
    """The element of a one-element tensor as a real number.

    RuntimeError if it has an imaginary part, or is a complex infinity or NaN of which an integer is wanted.
    """
    number = one_of(tensor)
    if not isinstance(number, complex):
        return number
    if number.imag or (wanted == "int64_t" and not math.isfinite(number.real)):
        raise RuntimeError(f"value cannot be converted to type {wanted} without overflow")
    return number.real


if TYPE_CHECKING:

    class TensorType(type):
        """The metaclass tells type checkers that methods are added to the class."""

        def __getattr__(cls, name: str) -> Any: ...
        def __setattr__(cls, name: str, value: Any) -> None: ...

else:
    TensorType = type


class Tensor(Arithmetic, metaclass=TensorType):
    """A multi-dimensional array that records operations on it, so that they can be differentiated.

    Made by `torch.tensor` and the other creation functions; as in PyTorch, `Tensor(2, 3)` makes an uninitialized one of
    that shape and `Tensor([1, 2])` one of float32 from data.

    >>> import rushlight as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> x * 3
    tensor([3., 6.], grad_fn=<MulBackward0>)
    """

    def __init__(self, *args: Any, **kwargs: Any):
        if self._array is None:  # unless a subclass has made it in `__new__`
            self._array = constructed(*args, **kwargs)
        counted(self)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if dispatches(cls):
            ABOVE.prepare_class(cls)
        if cls.__torch_function__ is not disabled_torch_function:
            ABOVE.watch_class(cls)

    @classmethod
    def ask(
        cls, func: Callable[..., Any], types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> str:
        """The default `__torch_function__` of a subclass: calls the function, with results of the subclass."""
        return ABOVE.default_torch_function(cls, func, types, args, kwargs)

    __torch_function__: Any = ask
    __torch_dispatch__: Any = staticmethod(disabled_torch_dispatch)
    del ask

    if TYPE_CHECKING:  # methods added by the table of operators

        def __getattr__(self, name: str) -> Any: ...
        def __getitem__(self, key: Any) -> "Tensor": ...
        def __setitem__(self, key: Any, value: Any) -> None: ...
        def __pow__(self, other: Any) -> "Tensor": ...
        def __matmul__(self, other: Any) -> "Tensor": ...
        def __invert__(self) -> "Tensor": ...
        def __and__(self, other: Any) -> "Tensor": ...
        def __or__(self, other: Any) -> "Tensor": ...
        def __lt__(self, other: Any) -> "Tensor": ...
        def __le__(self, other: Any) -> "Tensor": ...
        def __gt__(self, other: Any) -> "Tensor": ...
        def __ge__(self, other: Any) -> "Tensor": ...
        def __eq__(self, other: Any) -> "Tensor": ...  # type: ignore[override]
        def __ne__(self, other: Any) -> "Tensor": ...  # type: ignore[override]
        def __mod__(self, other: Any) -> "Tensor": ...
        def __floordiv__(self, other: Any) -> "Tensor": ...
        def __rtruediv__(self, other: Any) -> "Tensor": ...
        def __rpow__(self, other: Any) -> "Tensor": ...

    # shape, dtype and device

    @property
    def shape(self) -> Size:
        """The sizes of the dimensions."""
        return size_of(self._array.shape)

    def size(self, dim: int | None = None) -> Size | int:
        """The shape, or the size of one dimension."""
        return size_of(self._array.shape) if dim is None else one_size("size", self._array.shape, dim)

    @property
    def dtype(self) -> dtypes.dtype:
        """The type of the elements."""
        return dtypes.FROM_NUMPY[self._array.dtype]

    @property
    def device(self) -> device:
        """The device: the CPU, or meta."""
        return META if is_meta(self._array) else CPU

    def dim(self) -> int:
        """The number of dimensions."""
        return self._array.ndim

    ndimension = dim

    def numel(self) -> int:
        """The number of elements."""
        return self._array.size

    nelement = numel

    def element_size(self) -> int:
        """The size of an element in bytes."""
        return self._array.itemsize

    @property
    def nbytes(self) -> int:
        """The size of all elements in bytes."""
        return self._array.nbytes

    @property
    def itemsize(self) -> int:
        """The size of an element in bytes."""
        return self._array.itemsize

    def stride(self, dim: int | None = None) -> tuple[int, ...] | int:
        """The steps in memory, in elements, along each dimension, or along one."""
        array = self._settled()
        steps = array.strides if self._is_view() else shown(array)
        strides = tuple(s // array.itemsize for s in steps)
        return strides if dim is None else one_size("stride", strides, dim)

    @property
    def strides(self) -> tuple[int, ...]:
        """`stride()` in bytes: NumPy's name, for libraries that expect arrays."""
        return tuple(step * self._array.itemsize for step in self.stride())  # type: ignore[union-attr]

    def is_contiguous(self, memory_format: memory_format = contiguous_format) -> bool:
        """Whether the elements are contiguous in memory, or have the given memory format."""
        if self._unsettled and memory_format is contiguous_format:
            return True
        return has_format(self._settled(), memory_format)

    def data_ptr(self) -> int:
        """The address of the first element: 0 if there is none, as on the device meta."""
        return 0 if self._array.size == 0 or is_meta(self._array) else address(self._settled())

    @property
    def _cdata(self) -> int:
        """A number that no other tensor has at the same time."""
        return id(self)

    def is_floating_point(self) -> bool:
        """Whether the elements are real floating-point numbers."""
        return kind_of(self._array.dtype) == "f"

    def is_complex(self) -> bool:
        """Whether the elements are complex."""
        return self._array.dtype.kind == "c"

    is_cuda = is_sparse = is_sparse_csr = is_quantized = is_mps = False
    is_ipu = is_maia = is_mkldnn = is_mtia = is_nested = is_vulkan = is_xla = is_xpu = False

    @property
    def is_meta(self) -> bool:
        """Whether the tensor has no memory."""
        return is_meta(self._array)

    # conversion to Python and NumPy

    def item(self) -> bool | int | float | complex:
        """The value of a tensor of one element as a Python number. RuntimeError for any other."""
        if self._array.size != 1:
            raise RuntimeError(advised(f"a Tensor with {self._array.size} elements cannot be converted to Scalar"))
        return self._array.item()

    def tolist(self) -> Any:
        """The values as nested lists of Python numbers; a number for a 0-dimensional tensor."""
        return self._array.tolist()

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """The values as a NumPy array that shares the tensor's memory.

        RuntimeError for a tensor that requires grad, unless `force` is given or grad mode is off; TypeError for dtypes
        that NumPy lacks.
        """
        if self.requires_grad and not force and CURRENT.get().records:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        array = self._settled()
        if type(array) is Turned and not force:
            word, short = ("conjugate", "conj") if array.conjugate else ("negative", "neg")
            raise RuntimeError(
                f"Can't call numpy() on Tensor that has {word} bit set. Use tensor.resolve_{short}().numpy() instead."
            )
        if array.dtype in NARROW_TYPES:
            raise TypeError(f"Got unsupported ScalarType {type_word(self.dtype)}. Convert with x.float() first.")
        return array if isinstance(array, np.ndarray) else array.__array__()

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        array = self.numpy()
        if dtype is None or dtype == array.dtype:
            return array.copy() if copy else array
        return array.astype(dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return ABOVE.ufunc_on_tensors(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, kwargs: dict[str, Any]) -> Array:
        return ABOVE.function_on_tensors(function, args, kwargs)

    def __len__(self) -> int:
        if self._array.ndim == 0:
            raise TypeError(advised("len() of a 0-d tensor"))
        return self._array.shape[0]

    def __delitem__(self, key: Any) -> None:
        raise TypeError("Tensor does not support deleting items")

    def __iter__(self) -> Any:
        if self._array.ndim == 0:
            raise TypeError(advised("iteration over a 0-d tensor"))
        return iter(self.unbind(0))

    def __bool__(self) -> bool:
        if self._array.size != 1:
            kind = "no values" if self._array.size == 0 else "more than one value"
            raise RuntimeError(advised(f"Boolean value of Tensor with {kind} is ambiguous"))
        return bool(self._array)

    def __float__(self) -> float:
        return float(real_of(leaving(self), "double"))

    def __int__(self) -> int:
        return int(real_of(self, "int64_t"))

    def __complex__(self) -> complex:
        return complex(one_of(leaving(self)))

    def __index__(self) -> int:
        if self._array.size != 1 or self._array.dtype.kind not in "biu":
            raise TypeError(advised("only integer tensors of a single element can be converted to an index"))
        return int(self._array.item())

    def __format__(self, spec: str) -> str:
        return format(self.item() if self._array.ndim == 0 and not self.is_meta else repr(self), spec)

    def __contains__(self, element: object) -> bool:
        found = self == element
        if isinstance(found, bool):
            raise RuntimeError(
                f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}."
            )
        return bool(found.any())

    def __repr__(self) -> str:
        if type(self._array) is Batched and not is_meta(self._array):
            return batched_str(self._array)
        try:
            node = None if self.grad_fn is None else type(self.grad_fn).__name__
        except RuntimeError:  # a view whose in-place change was not allowed has no history to show
            node = "Invalid"
        if is_meta(self._array):
            return meta_str(self._array, node, self._needs)
        cls = type(self)
        return tensor_str(
            self._array,
            prefix="tensor("
            if cls.__torch_function__ is disabled_torch_function or cls is Tensor
            else f"{cls.__name__}(",
            requires_grad=self._needs,
            grad_fn_name=node,
            default_dtype=dtypes.get_default_dtype()._numpy,
            tangent=tangent_text(self) if self._tangents else None,
        )

    # the place in the graph

    @property
    def grad(self) -> "Tensor | None":
        """The gradient accumulated by backward passes; None before the first, and for non-leaf tensors.

        A non-leaf tensor has one after `retain_grad`; otherwise reading it gives a warning.
        """
        if self._grad is None and self._node is not None and not self.retains_grad:
            warn(GRAD_OF_RESULT)
        return self._grad

    @grad.setter
    def grad(self, value: "Tensor | int | None") -> None:
        if value is not None:
            check_grad(self, value)
        if (writes := writer()) is not None:
            writes.grads_of(self, True)
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self.grad = None

    @property
    def grad_dtype(self) -> dtypes.dtype | None:
        """The dtype of a leaf's gradient: its own, unless another was set; None allows any.

        RuntimeError for non-leaf tensors, and for setting a dtype that differs from that of the present gradient.

        >>> import rushlight as torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> x.grad_dtype = torch.float64
        >>> x.sum().backward()
        >>> x.grad
        tensor([1., 1.], dtype=torch.float64)
        """
        if self.grad_fn is not None:
            raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
        return self.dtype if self.hooks is None or self.hooks.grad_dtype == OWN else self.hooks.grad_dtype

    @grad_dtype.setter
    def grad_dtype(self, value: Any) -> None:
        if self.grad_fn is not None:
            raise RuntimeError("grad_dtype can only be set on leaf tensors.")
        if value is not None and not isinstance(value, dtypes.dtype):
            raise RuntimeError(f"grad_dtype must be a torch.dtype or None, but got {type(value).__name__}")
        if value is not None and self._grad is not None and self._grad.dtype is not value:
            raise RuntimeError(
                f"Cannot set grad_dtype to '{type_word(value)}' because there is already a gradient with dtype "
                f"'{type_word(self._grad.dtype).lower()}'. Please clear the gradient (.grad = None) before changing "
                "grad_dtype, or ensure the new grad_dtype matches the existing gradient's dtype."
            )
        hooks_of(self).grad_dtype = value

    @property
    def data(self) -> "Tensor":
        """A tensor with the same memory, detached from the graph: autograd does not notice changes through it.

        Assigning it replaces the tensor's memory, and keeps its place in the graph.
        """
        out = new_tensor(self._settled())
        out._inference = self._inference
        share_memory(out, self)
        return out

    @data.setter
    def data(self, value: Any) -> None:
        if not isinstance(value, TensorBase):
            raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
        if (value.layout is strided) != (self.layout is strided):
            raise RuntimeError(
                "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor "
                "type."
            )
        if self._needs and kind_of(value._array.dtype) not in "fc":
            raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
        expect(self, value._settled())
        self._array, self._unsettled, self._inference = value._array, False, value._inference
        self.__dict__.pop("_memory", None)
        share_memory(self, value)

    @data.deleter
    def data(self) -> Any:
        raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")

    def detach(self) -> "Tensor":
        """A tensor with the same memory, detached from the graph. Autograd notices in-place changes through it."""
        out = new_tensor(self._settled())
        out._counter = self._versions()
        out._inference = self._inference
        share_memory(out, self)
        return out

    def detach_(self) -> "Tensor":
        """Detaches this tensor from the graph that made it: it becomes a leaf. Does nothing in inference mode.

        >>> import rushlight as torch
        >>> x = torch.tensor([1.0], requires_grad=True) * 2
        >>> torch.detach_(x).requires_grad
        False
        """
        if CURRENT.get().inference or self._inference:
            return self
        if self._view is not None:
            raise RuntimeError("Can't detach views in-place. Use detach() instead.")
        if self._node is not None:
            note_detached(self)
        self._node, self._index, self._needs, self._tangents = None, 0, False, None
        return self

    def is_inference(self) -> bool:
        """Whether this tensor was made in inference mode."""
        return self._inference

    def requires_grad_(self, requires_grad: bool = True) -> "Tensor":
        """Sets `requires_grad`, and returns the tensor."""
        self.requires_grad = requires_grad
        return self

    @property
    def _base(self) -> "Tensor | None":
        return None if self._view is None else self._view.base

    def _is_view(self) -> bool:
        return self._view is not None

    def backward(
        self,
        gradient: "Tensor | None" = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: "Sequence[Tensor] | Tensor | None" = None,
    ) -> None:
        """Computes the gradients of this tensor with respect to the leaves of its graph, and adds them to `.grad`.

        See `autograd.backward`; `gradient` is its `grad_tensors`.

        >>> import rushlight as torch
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> (x * x).backward()
        >>> x.grad
        tensor(6.)
        """
        ABOVE.backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Registers a function that is called with each gradient of this tensor, and may return a replacement.

        RuntimeError for a tensor that does not require grad.

        >>> import rushlight as torch
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> handle = x.register_hook(lambda grad: 2 * grad)
        >>> (x * x).backward()
        >>> x.grad
        tensor(12.)
        """
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        return add_hook(hooks_of(self._vertex()).on_output(self._index), hook)

    def register_post_accumulate_grad_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Registers a function that is called with this leaf after a gradient was added to its `.grad`.

        RuntimeError for a non-leaf tensor, and for a tensor that does not require grad.

        >>> import rushlight as torch
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> handle = x.register_post_accumulate_grad_hook(lambda leaf: print(leaf.grad))
        >>> (x * x).backward()
        tensor(6.)
        """
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self.grad_fn is not None:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        return add_hook(hooks_of(self).post_accumulate, hook)

    def retain_grad(self) -> None:
        """Keeps the gradient of a non-leaf tensor in `.grad`; leaves always have theirs."""
        if not self.requires_grad:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if not self._is_outdated() and (vertex := self._vertex()) is not self:
            hooks_of(vertex).retained[self._index] = weakref.ref(self)

    @property
    def retains_grad(self) -> bool:
        """Whether this is a non-leaf tensor that keeps its gradient."""
        vertex = self if self._is_outdated() else self._vertex()
        return vertex is not self and vertex.hooks is not None and self._index in vertex.hooks.retained

    def _is_outdated(self) -> bool:
        """Whether this is a view without a history, made without gradients, whose base has one: it can get none."""
        view = self._view
        return view is not None and self._node is None and view.origin != DEFAULT and view.base._needs

    def _vertex(self) -> Vertex:
        """The vertex for its gradient: a leaf itself, or the node, after updating a view whose base was changed."""
        if self._view is not None:
            self._synchronize()
        return self if self._node is None else self._node

    def _accumulator(self) -> "AccumulateGrad":
        """The AccumulateGrad node of this leaf in `next_functions`; the same object as long as it is referenced."""
        found = self.__dict__.get("_accumulate_grad")
        node = found() if found is not None else None
        if node is None:
            node = AccumulateGrad(self)
            self.__dict__["_accumulate_grad"] = weakref.ref(node)
        return node

    # copies

    def __deepcopy__(self, memo: dict[int, Any]) -> "Tensor":
        if self._node is not None:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the "
                "moment. Use x.detach().clone() for a copy of the values."
            )
        if id(self) in memo:
            return memo[id(self)]
        if type(self) is not Tensor and (is_foreign(self._array) or is_meta(self._array)):  # the class knows how
            copy = self.clone()
        else:
            array, whole = copied_memory(self, memo)
            copy = rebuild(type(self), array, self._needs)
            if whole is not array:
                copy._memory = whole
        memo[id(self)] = copy
        copied_into(copy, self, memo)
        if self._grad is not None:
            copy._grad = self._grad.__deepcopy__(memo)
        return copy

    def __reduce_ex__(self, protocol: int) -> Any:
        array = self._settled()
        return rebuild, (type(self), memory(array), self._needs, turning(array)), state_of(self) or None

    def __setstate__(self, state: Any) -> None:
        """Sets attributes and slots: PyTorch's classes call it, too."""
        set_state(self, state)


def share_memory(tensor: Tensor, other: Tensor) -> None:
    """Records that a tensor's array is a part of the memory of `other`."""
    memory = memory_of(other)
    if memory is not other._array or tensor._view is not None:
        tensor._memory = memory


def tangent_text(tensor: Tensor) -> str | None:
    """The tangent of the innermost active level, as text."""
    tangent = next((t for level in reversed(levels()) if (t := tangent_of(tensor, level)) is not None), None)
    return None if tangent is None else f"{tangent}"


def check_grad(tensor: Tensor, value: Any) -> None:
    """Raises PyTorch's errors for a value that cannot be the gradient of a tensor."""
    if not isinstance(value, TensorBase):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
    if value is tensor:
        raise RuntimeError("can't assign Variable as its own grad")
    wanted = tensor.dtype if tensor._node is not None else tensor.grad_dtype
    if wanted is not None and value.dtype is not wanted:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{type_word(value.dtype).lower()}' to a tensor with "
            f"grad_dtype '{type_word(wanted)}'. The gradient must match the tensor's grad_dtype (defaults to the "
            "tensor's dtype): convert it with .to(), or set grad_dtype to another dtype, or to None to allow any."
        )
    if value.shape != tensor.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of size "
            f"'{list(tensor.shape)}'. Please ensure that the gradient and the tensor are the same size"
        )


def type_word(dtype: Any) -> str:
    """The name of a dtype in PyTorch's older messages: Float, Double, Long."""
    return dtypes.TYPE_NAMES[dtype]


GRAD_OF_RESULT = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
    "use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the "
    "leaf Tensor instead."
)


class AccumulateGrad(Node):
    """The end of the graph: accumulates gradients into the `.grad` of a leaf, `variable`."""

    def __init__(self, variable: Tensor):
        self.variable = variable

    def name(self) -> Any:
        """The node's name, as PyTorch gives it."""
        return "torch::autograd::AccumulateGrad"

    def register_hook(self, fn: Callable[..., Any]) -> Any:
        """Registers a function of ((), (gradient,)) that is called after a gradient was accumulated."""
        return add_hook(hooks_of(self.variable).post, fn)

    def register_prehook(self, fn: Callable[..., Any]) -> Any:
        """Registers a function of ((gradient,)) that is called before a gradient is accumulated, and may replace it."""
        return add_hook(hooks_of(self.variable).pre, fn)


def rebuild(cls: Any, array: Array, requires_grad: bool, bits: tuple[bool, ...] = (False, False)) -> Tensor:
    """Makes a leaf of a class from an array, for pickle and deepcopy; `bits` tell if it is conjugated or negated."""
    dtypes.meet(array.dtype)
    tensor = Arithmetic.__new__(cls)
    tensor._array = turn(dtypes.canonical(array), *bits)
    tensor._needs = requires_grad
    return counted(tensor)


use_tensor_class(Tensor)
