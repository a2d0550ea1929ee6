"""User-defined operators with kernels, derivatives and batching rules: `torch.library`."""

import inspect
import re
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, NoReturn

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.autograd.function import Function
from rushlight.core.graph import TensorBase
from rushlight.tensors import Tensor

__all__ = [
    "CustomOpDef",
    "Library",
    "custom_op",
    "define",
    "fallthrough_kernel",
    "get_ctx",
    "impl",
    "impl_abstract",
    "infer_schema",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_vmap",
]

_operators: dict[str, "CustomOpDef"] = {}
KERNELS = {"CPU", "cpu", "CompositeImplicitAutograd", "CompositeExplicitAutograd", "default", ""}
TYPES: dict[Any, str] = {
    Tensor: "Tensor",
    int: "SymInt",
    float: "float",
    bool: "bool",
    str: "str",
    list[Tensor]: "Tensor[]",
    Sequence[Tensor]: "Tensor[]",
    list[int]: "SymInt[]",
    Sequence[int]: "SymInt[]",
    list[float]: "float[]",
    Sequence[float]: "float[]",
    int | float | bool: "Scalar",
    int | float: "Scalar",
}


def namespace(name: str) -> SimpleNamespace | None:
    """The operators of a namespace, as `torch.ops.name`; None if there are none."""
    found = {full.partition("::")[2]: op for full, op in _operators.items() if full.startswith(f"{name}::")}
    return SimpleNamespace(**found) if found else None


class CustomOpDef:
    """A user-defined operator: called as a function, and as `torch.ops.namespace.name`."""

    mutates_args: Any

    def __init__(self, name: str, schema: str = "", mutates_args: Any = ()):
        if "::" not in name:
            raise ValueError(f"Invalid operator name {name!r}: expected a namespace before it, as in 'mylib::{name}'.")
        self._qualname, self._schema, self.mutates_args = name, schema, mutates_args
        self._kernel: Callable[..., Any] | None = None
        self._function: type[Function] | None = None
        self._rule_for_batches: Callable[..., Any] | None = None
        _operators[name] = self

    @property
    def default(self) -> "CustomOpDef":
        """The operator itself: it has only one overload."""
        return self

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the kernel. NotImplementedError if there is none."""
        if self._kernel is None:
            raise NotImplementedError(
                f"Could not run '{self._qualname}' with arguments from the 'CPU' backend: it has no kernel. Give it "
                "one with torch.library.impl or register_kernel."
            )
        if self._function is None and self._rule_for_batches is None:
            return self._kernel(*args, **kwargs)
        if self._function is None:
            self.register_autograd(no_derivative(self._qualname))
        return self._function.apply(*self._in_order(args, kwargs))  # type: ignore[union-attr]

    def _in_order(self, args: tuple[Any, ...], kwargs: dict[Any, Any]) -> tuple[Any, ...]:
        """All arguments in positional order, defaults included."""
        bound = inspect.signature(self._kernel).bind(*args, **kwargs)  # type: ignore[arg-type]
        bound.apply_defaults()
        return tuple(bound.arguments.values())

    def register_kernel(self, device_types: Any, func: Callable[..., Any] | None = None, /) -> Callable[..., Any]:
        """Registers the kernel for some devices, of which only the CPU matters; also as a decorator."""

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            devices = [device_types] if isinstance(device_types, str) or device_types is None else device_types
            if any(device is None or device in KERNELS for device in devices):
                self._kernel = function
            return function

        return register if func is None else register(func)

    def register_fake(self, fn: Callable[..., Any], /) -> Callable[..., Any]:
        """Registers a function for the shapes of results, which PyTorch's compiler uses: here it is never called."""
        return fn

    def register_autograd(
        self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None
    ) -> None:
        """Registers the operator's derivative: `backward(ctx, *grads)`, after `setup_context(ctx, inputs, output)`."""

        def forward(*args: Any) -> Any:
            return self._kernel(*[arg.detach() if isinstance(arg, TensorBase) else arg for arg in args])  # type: ignore[misc]

        members = {
            "forward": staticmethod(forward),
            "backward": staticmethod(backward),
            "setup_context": staticmethod(setup_context or (lambda ctx, inputs, output: None)),
        }
        if self._rule_for_batches is not None:
            members["vmap"] = staticmethod(self._rule_for_batches)
        self._backward, self._setup = backward, setup_context
        self._function = type(f"GeneratedBackwardFor_{self._qualname.replace('::', '_')}", (Function,), members)

    def register_vmap(self, func: Callable[..., Any] | None = None, /) -> Callable[..., Any]:
        """Registers the operator's batching rule.

        `rule(info, in_dims, *args)`, which returns results and their dims.
        """

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            self._rule_for_batches = function
            if self._function is not None:
                self.register_autograd(self._backward, setup_context=self._setup)
            return function

        return register if func is None else register(func)


def no_derivative(name: str) -> Callable[..., Any]:
    """Makes the backward for an operator without a derivative: it raises."""

    def backward(ctx: Any, *grads: Any) -> NoReturn:
        raise RuntimeError(
            f"Trying to backward through {name} but no autograd formula was registered: use register_autograd."
        )

    return backward


def custom_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    /,
    *,
    mutates_args: Any,
    device_types: Any = None,
    schema: str | None = None,
    tags: Any = None,
) -> Any:
    """Makes a function an operator, for which derivatives and batching rules can be registered; also as a decorator.

    >>> import numpy as np, rushlight as torch
    >>> @torch.library.custom_op("demo::sine", mutates_args=())
    ... def sine(x: torch.Tensor) -> torch.Tensor:
    ...     return torch.from_numpy(np.sin(x.numpy()))
    >>> sine.register_autograd(lambda ctx, grad: grad * ctx.saved_tensors[0].cos(),
    ...                        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs))
    >>> x = torch.zeros(2, requires_grad=True)
    >>> torch.ops.demo.sine(x).sum().backward()
    >>> x.grad
    tensor([1., 1.])
    """

    def make(function: Callable[..., Any]) -> CustomOpDef:
        operator = CustomOpDef(name, schema or infer_schema(function, mutates_args=mutates_args), mutates_args)
        operator.register_kernel(device_types, function)
        return operator

    return make if fn is None else make(fn)


def infer_schema(prototype_function: Callable[..., Any], /, *, mutates_args: Any, op_name: str | None = None) -> str:
    """The schema of a function, from the types in its signature. ValueError for a parameter without a type.

    >>> import rushlight as torch
    >>> def scaled(x: torch.Tensor, by: float = 1.0) -> torch.Tensor: ...
    >>> torch.library.infer_schema(scaled, mutates_args=())
    '(Tensor x, float by=1.0) -> Tensor'
    """
    signature = inspect.signature(prototype_function, eval_str=True)
    words = []
    for position, parameter in enumerate(signature.parameters.values()):
        if parameter.annotation is inspect.Parameter.empty:
            raise ValueError(
                f"infer_schema(func): Parameter {parameter.name} must have a type annotation. Got func with signature "
                f"{signature}"
            )
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in words:
            words.append("*")
        kind = type_word(parameter.annotation)
        if mutates_args == "unknown" or parameter.name in mutates_args:
            kind = kind.replace("Tensor", f"Tensor(a{position}!)", 1)
        default = parameter.default
        given = "" if default is parameter.empty else f"={default_word(default)}"
        words.append(f"{kind} {parameter.name}{given}")
    return f"{op_name or ''}({', '.join(words)}) -> {return_word(signature.return_annotation)}"


def type_word(kind: Any) -> str:
    """A type's name in schemas. ValueError if there is none."""
    for known, word in TYPES.items():
        if kind == known:
            return word
        if kind == (known | None):
            return f"{word}?"
    raise ValueError(f"infer_schema(func): unsupported type {kind}. The types are {', '.join(map(str, TYPES))}.")


def default_word(default: Any) -> str:
    """A default value as written in schemas."""
    if isinstance(default, str):
        return f'"{default}"'
    return str(default)


def return_word(kind: Any) -> str:
    """A result type's name in schemas."""
    if kind is None or kind is inspect.Parameter.empty:
        return "()"
    inside = getattr(kind, "__args__", ()) if getattr(kind, "__origin__", None) is tuple else None
    return type_word(kind) if inside is None else f"({', '.join(map(type_word, inside))})"


class Library:
    """A namespace in which operators are defined and get kernels."""

    ns: str
    dispatch_key: str

    def __init__(self, ns: str, kind: str, dispatch_key: str = ""):
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError(f"Unsupported kind: {kind}")
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Defines an operator by its schema, `name(Tensor x) -> Tensor`; returns its name."""
        name = schema.partition("(")[0].strip()
        CustomOpDef(f"{self.ns}::{name}", schema)
        return name

    def impl(
        self,
        op_name: Any,
        fn: Callable[..., Any],
        dispatch_key: str = "",
        *,
        with_keyset: bool = False,
        allow_override: bool = False,
    ) -> None:
        """Registers the kernel of an operator of the namespace."""
        name = op_name if isinstance(op_name, str) else op_name._qualname.partition("::")[2]
        operator_of(f"{self.ns}::{name}").register_kernel(dispatch_key or self.dispatch_key, fn)


def operator_of(name: Any) -> CustomOpDef:
    """An operator by its name. RuntimeError if it is not defined."""
    if isinstance(name, CustomOpDef):
        return name
    full = re.sub(r"\.default$", "", name)
    if full not in _operators:
        raise RuntimeError(f"operator {name} does not exist: define it with torch.library.define or custom_op first.")
    return _operators[full]


def define(qualname: str, schema: str | None = None, *, lib: Library | None = None, tags: Any = ()) -> Any:
    """Defines an operator by its name and schema; as a decorator of its kernel, by the types in its signature."""
    if schema is not None:
        CustomOpDef(qualname, schema)
        return None

    def make(function: Callable[..., Any]) -> Callable[..., Any]:
        CustomOpDef(qualname, infer_schema(function, mutates_args=())).register_kernel("cpu", function)
        return function

    return make


def impl(
    qualname: Any, types: Any = None, func: Callable[..., Any] | None = None, *, lib: Library | None = None
) -> Any:
    """Registers an operator's kernel for some device types; also as a decorator."""
    if isinstance(qualname, Library):  # the older form: impl(library, name, dispatch_key)
        return operator_of(f"{qualname.ns}::{types}").register_kernel(func or "")
    return operator_of(qualname).register_kernel(types, func) if func else operator_of(qualname).register_kernel(types)


def register_kernel(
    op: Any, device_types: Any, func: Callable[..., Any] | None = None, /, *, lib: Library | None = None
) -> Any:
    """As `CustomOpDef.register_kernel`."""
    return (
        operator_of(op).register_kernel(device_types, func) if func else operator_of(op).register_kernel(device_types)
    )


def register_fake(op: Any, func: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """As `CustomOpDef.register_fake`."""
    operator = operator_of(op)
    return operator.register_fake if func is None else operator.register_fake(func)


impl_abstract = register_fake


def register_autograd(
    op: Any,
    backward: Callable[..., Any],
    /,
    *,
    setup_context: Callable[..., Any] | None = None,
    lib: Library | None = None,
) -> None:
    """As `CustomOpDef.register_autograd`."""
    operator_of(op).register_autograd(backward, setup_context=setup_context)


def register_vmap(op: Any, func: Callable[..., Any] | None = None, /, *, lib: Library | None = None) -> Any:
    """As `CustomOpDef.register_vmap`."""
    return operator_of(op).register_vmap(func) if func else operator_of(op).register_vmap()


def fallthrough_kernel() -> None:
    """A kernel that passes a call on to the next one. NotImplementedError when it is called."""
    raise NotImplementedError("fallthrough_kernel() should never be called.")


def get_ctx() -> Any:
    """The context of a function registered by `register_fake`. RuntimeError: none is ever called."""
    raise RuntimeError("get_ctx() can only be called inside a function given to register_fake, which nothing calls.")


_explain_misses(globals())
