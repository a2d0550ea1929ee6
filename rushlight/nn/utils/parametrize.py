"""Parametrizations: `register_parametrization` computes a parameter from others by a module."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, NoReturn

from rushlight.autograd import no_grad
from rushlight.core.graph import TensorBase
from rushlight.nn.modules.container import ModuleDict, ModuleList
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from rushlight.tensors import Tensor

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]

_cached: dict[tuple[int, str], Tensor] = {}
_caching = 0  # how many `cached` contexts are active


@contextmanager
def cached() -> Iterator[None]:
    """A context in which each parametrized tensor is computed only once.

    >>> import rushlight as torch
    >>> from rushlight.nn.utils import parametrize
    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 2))
    >>> with parametrize.cached():
    ...     layer.weight is layer.weight
    True
    """
    global _caching
    _caching += 1
    try:
        yield
    finally:
        _caching -= 1
        if not _caching:
            _cached.clear()


def register(module: Module, name: str, tensor: Tensor) -> None:
    """Registers a tensor as a parameter or as a buffer of a module."""
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


class ParametrizationList(ModuleList):
    """The modules that compute a tensor, and the tensor, or tensors, that they start from: `original`."""

    def __init__(self, modules: Sequence[Module], original: Tensor, unsafe: bool = False):
        if not modules:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        new: Any = original
        with no_grad():
            for module in reversed(list(self)):
                new = before(module, new)
        self.is_tensor: bool = isinstance(new, TensorBase)
        if not self.is_tensor and not isinstance(new, Sequence):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(new).__name__}"
            )
        self.ntensors: int = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            if new.dtype is not dtype:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {dtype}\nright_inverse(original).dtype: {new.dtype}"
                )
            original.data = new
            register(self, "original", original)
        else:
            self._register_several(new, original)
        if not unsafe:
            check_same(self(), dtype, shape)

    def _register_several(self, tensors: Sequence[Tensor], original: Tensor) -> None:
        """Registers several original tensors, as `original0`, `original1` and so on."""
        for i, tensor in enumerate(tensors):
            if not isinstance(tensor, Tensor):
                raise ValueError(
                    "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                    f"Got element {i} of the sequence with type {type(tensor).__name__}."
                )
            if isinstance(original, Parameter):
                tensor = Parameter(tensor, original.requires_grad)
            register(self, f"original{i}", tensor.requires_grad_(original.requires_grad))

    def right_inverse(self, value: Any) -> None:
        """Sets the originals by the modules' `right_inverse` methods, so that the parametrized tensor gets a value."""
        with no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
            if self.is_tensor:
                if not isinstance(value, TensorBase):
                    raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
                assign(self.original, value, "The tensor returned by `right_inverse`", "original")
                return
            if not isinstance(value, Sequence):
                raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(value).__name__}.")
            if len(value) != self.ntensors:
                raise ValueError(
                    f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. Got a sequence of "
                    f"length {len(value)}."
                )
            for i, tensor in enumerate(value):
                assign(getattr(self, f"original{i}"), tensor, f"Tensor {i} returned by `right_inverse`", f"original{i}")

    def forward(self) -> Tensor:
        """The parametrized tensor, computed from the originals."""
        first, *others = self
        result = first(self.original) if self.is_tensor else first(*originals(self))
        for module in others:
            result = module(result)
        return result


def originals(parametrization: ParametrizationList) -> list[Tensor]:
    """The tensors that a parametrized tensor is computed from."""
    names = ["original"] if parametrization.is_tensor else [f"original{i}" for i in range(parametrization.ntensors)]
    return [getattr(parametrization, name) for name in names]


def before(module: Module, value: Any) -> Any:
    """`right_inverse` of a value, if the module has that method; else the value."""
    if not hasattr(module, "right_inverse"):
        return value
    try:
        return module.right_inverse(value)
    except NotImplementedError:
        return value


def assign(tensor: Tensor, value: Any, what: str, name: str) -> None:
    """Makes a tensor use the memory of another. ValueError for another dtype."""
    if not isinstance(value, TensorBase):
        raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(value).__name__}.")
    if tensor.dtype is not value.dtype:
        raise ValueError(f"{what} has dtype {value.dtype} while `{name}` has dtype {tensor.dtype}")
    tensor.data = value  # type: ignore[assignment]


def check_same(result: Any, dtype: Any, shape: Any) -> None:
    """Raises ValueError unless the result is a tensor of the same dtype and shape."""
    if not isinstance(result, TensorBase):
        raise ValueError(f"A parametrization must return a tensor. Got {type(result).__name__}.")
    for what, old, new in (("dtype", dtype, result.dtype), ("shape", shape, result.shape)):
        if old != new:
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless `unsafe` flag is "
                f"enabled.\nunparametrized {what}: {old}\nparametrized {what}: {new}"
            )


def check_further(module: Module, name: str, parametrization: Module) -> None:
    """Raises ValueError if an additional parametrization changes a tensor's dtype or shape, in either direction."""
    now = getattr(module, name)
    result = parametrization(now)
    check_same(result, now.dtype, now.shape)
    back = before(parametrization, result)
    if not isinstance(back, TensorBase):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}")
    for what in ("dtype", "shape"):
        if getattr(back, what) != getattr(now, what):
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {what} as module.{name}, "
                f"unless the `unsafe` flag is enabled.\nmodule.{name}.{what}: {getattr(now, what)}\n"
                f"returned {what}: {getattr(back, what)}"
            )


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Makes a module compute a parameter or buffer by another module, from one or several original tensors.

    `module.parametrizations[tensor_name]` holds the originals, which are trained. Several parametrizations can be
    chained. Assigning to the tensor sets the originals, if all parametrizations have `right_inverse`. ValueError if the
    module has no such tensor, or if its dtype or shape changes, unless `unsafe`.

    >>> import rushlight as torch
    >>> class Symmetric(torch.nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).T
    >>> layer = torch.nn.Linear(3, 3)
    >>> _ = torch.nn.utils.parametrize.register_parametrization(layer, "weight", Symmetric())
    >>> torch.equal(layer.weight, layer.weight.T)
    True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            check_further(module, tensor_name, parametrization)
        found = module.parametrizations[tensor_name]
        found.append(parametrization)
        found.unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        made = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            module.__class__ = parametrized_class(type(module))
            module.parametrizations = ModuleDict()
        setattr(type(module), tensor_name, computed(tensor_name))
        module.parametrizations[tensor_name] = made
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    return module


def parametrized_class(cls: type) -> type:
    """A class for a single module, whose parametrized tensors are properties."""

    def __getstate__(self: Module) -> NoReturn:
        raise RuntimeError(
            "Serialization of parametrized modules is only supported through state_dict(): save that, and load it into "
            "a module that is made and parametrized in the same way."
        )

    def __deepcopy__(self: Module, memo: dict[int, Any]) -> Module:
        copy = memo[id(self)] = self.__new__(type(self))
        copy.__dict__.update(deepcopy(self.__dict__, memo))
        return copy

    members = {"__getstate__": __getstate__, "__module__": cls.__module__}
    if not hasattr(cls, "__deepcopy__"):
        members["__deepcopy__"] = __deepcopy__
    return type(f"Parametrized{cls.__name__}", (cls,), members)


def computed(name: str) -> property:
    """The property that computes a parametrized tensor."""

    def get(self: Module) -> Any:
        if not _caching:
            return self.parametrizations[name]()
        key = (id(self), name)
        if key not in _cached:
            _cached[key] = self.parametrizations[name]()
        return _cached[key]

    def set_(self: Module, value: Any) -> None:
        self.parametrizations[name].right_inverse(value)

    return property(get, set_)


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether a tensor of a module is parametrized; without a name, whether any is."""
    found = getattr(module, "parametrizations", None)
    if not isinstance(found, ModuleDict):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Makes a parametrized tensor an ordinary one, with its present value or (`leave_parametrized=False`) its original.

    ValueError if it is not parametrized, and for `leave_parametrized=False` with several originals.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    found = module.parametrizations[tensor_name]
    if found.is_tensor:
        original = found.original
        if leave_parametrized:
            with no_grad():
                original.data = getattr(module, tensor_name)
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value.detach()) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    register(module, tensor_name, original)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """The class that a module had before a tensor of it was parametrized."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Copies the parametrizations of a module, with their originals, to another: of one tensor, or of all."""
    if not is_parametrized(from_module):
        return to_module
    if tensor_name is not None and tensor_name not in from_module.parametrizations:
        raise AssertionError(f"tensor '{tensor_name}' is not parametrized in from_module")
    for name in [tensor_name] if tensor_name is not None else list(from_module.parametrizations):
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name).detach()))
        for parametrization in from_module.parametrizations[name]:
            register_parametrization(to_module, name, parametrization)
        theirs = originals(from_module.parametrizations[name])
        for own, other in zip(originals(to_module.parametrizations[name]), theirs, strict=True):
            own.data = other.data
    return to_module
