"""Makes all public functions check for overrides, installed when the first mode or class needs it.

Functions behind a guard always have a test for it (`core.guards`). The others are too fast for one: their code is
replaced when the first mode is entered, the first object of a tensor subclass is made, or the first other object with
`__torch_function__` is passed. They stay the same objects, wherever they are referenced. Python's operators are
replaced on the class.
"""

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from inspect import getattr_static
from types import CodeType, FunctionType
from typing import Any

from rushlight.core.above import above
from rushlight.core.arithmetic import Arithmetic
from rushlight.core.graph import FIELDS
from rushlight.core.guards import asking, is_compiled, use_switch
from rushlight.overrides.calls import HERE, NOBODY, anyone, overridden_call
from rushlight.tensors import Tensor, constructed, noticed, takes_over

PLACES = ("", "nn.functional", "linalg", "fft", "special", "nn.init")  # the modules whose functions can be overridden
LATE = ("linalg.", "nn.functional")  # modules whose functions the first of these modules loads at their first use
# Functions that only inspect tensors, or take none; and attributes of the class that are not methods to override.
PASSED_BY = """
    is_tensor is_storage from_numpy from_dlpack manual_seed seed initial_seed get_rng_state set_rng_state typename
    is_grad_enabled set_grad_enabled is_inference_mode_enabled get_default_dtype set_default_dtype set_printoptions
    get_printoptions set_default_device get_default_device set_default_tensor_type promote_types can_cast finfo iinfo
    use_deterministic_algorithms set_warn_always is_warn_always_enabled broadcast_shapes calculate_gain no_grad
    enable_grad autocast is_anomaly_enabled is_anomaly_check_nan_enabled are_deterministic_algorithms_enabled
    is_deterministic_algorithms_warn_only_enabled get_float32_matmul_precision set_float32_matmul_precision
    get_num_threads set_num_threads show_config is_autocast_enabled is_autocast_cpu_enabled get_autocast_dtype
    get_autocast_cpu_dtype set_autocast_cpu_dtype is_autocast_cache_enabled set_autocast_cache_enabled
    set_autocast_cpu_enabled set_autocast_dtype set_autocast_enabled clear_autocast_cache autocast_increment_nesting
    autocast_decrement_nesting compile vmap save load to_dlpack dsmm hsmm hspmm saddmm smm spmm sspaddmm
    sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor sparse_csr_tensor
    cond while_loop get_num_interop_threads set_num_interop_threads set_flush_denormal
"""
OF_THE_CLASS = """
    __init__ __new__ __init_subclass__ __hash__ __array_ufunc__ __array_function__ __torch_function__ __array__
    __iter__ __reduce_ex__ __reduce__ __setstate__ __array_namespace__ __getattr__ as_subclass
    run pending buffer owned needed hooks sequence
"""
UNTOUCHED, KEPT_METHODS = frozenset(PASSED_BY.split()), frozenset(OF_THE_CLASS.split())
# Python's operators: their methods in PyTorch, also for the reflected operand
SLOTS: dict[str, tuple[str, str | None]] = {
    "__add__": ("add", None),
    "__radd__": ("add", "add"),
    "__sub__": ("sub", None),
    "__rsub__": ("__rsub__", "sub"),
    "__mul__": ("mul", None),
    "__rmul__": ("mul", "mul"),
    "__truediv__": ("div", None),
    "__matmul__": ("matmul", None),
    "__neg__": ("neg", None),
    "__pos__": ("positive", None),
    "__abs__": ("abs", None),
    "__mod__": ("remainder", None),
    "__lt__": ("lt", None),
    "__le__": ("le", None),
    "__gt__": ("gt", None),
    "__ge__": ("ge", None),
    "__ne__": ("ne", None),
    "__iadd__": ("add_", None),
    "__isub__": ("sub_", None),
    "__imul__": ("mul_", None),
    "__itruediv__": ("div_", None),
    "__ifloordiv__": ("floor_divide_", None),
    "__imod__": ("remainder_", None),
}
installed = False


@above
def install_switches() -> None:
    """Installs the switches, once in a process."""
    global installed
    if installed:
        return
    installed = True
    use_switch(behind_guard)
    for function in unguarded():
        put_before(function)
    for name, function in list(vars(Tensor).items()):
        if is_compiled(function) and not hasattr(function, "passes_switch") and is_overridable(name):
            setattr(Tensor, name, asking(function))
    for name in SLOTS:
        setattr(Tensor, name, slot(name))


def behind_guard(function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
    """The result of overriding a call of a guarded function, in a tuple; None if nobody overrides it."""
    if function.__name__ in UNTOUCHED:
        return None
    result = overridden_call(function, args, kwargs)
    return None if result is NOBODY else (result,)


def unguarded() -> Iterator[FunctionType]:
    """The public functions and methods without a guard, without duplicates."""
    package = import_module("rushlight")
    for name in [name for name, home in package._HOMES.items() if home.startswith(LATE)]:
        getattr(package, name)
    homes = [vars(import_module(f"rushlight.{place}".rstrip("."))) for place in PLACES]
    seen = {id(getattr(f, "__wrapped__", f)) for home in homes for f in home.values() if hasattr(f, "passes_switch")}
    for home in (*homes, vars(Tensor)):
        of_class = home is homes[-1] or "__torch_function__" in home
        for name, function in list(home.items()):
            function = getattr(function, "in_place_of", function)  # wrapped by `explain`
            if type(function) is not FunctionType or hasattr(function, "passes_switch") or id(function) in seen:
                continue
            wanted = is_overridable(name) if of_class else name[:1] != "_"
            if wanted and name not in UNTOUCHED and function.__module__.startswith("rushlight"):
                seen.add(id(function))
                yield function


def is_overridable(name: str) -> bool:
    """Whether a name of the class is a method that can be overridden, or an operator of Python without a slot."""
    return name not in KEPT_METHODS and name not in SLOTS and (name[:1] != "_" or name[:2] == "__")


TEMPLATE = """
def around({names}):
    def function(*args, **kwargs):
        return "the switch".call(*args, **kwargs)
        ({names})
    return function
"""


@cache
def template(variables: int) -> CodeType:
    """The code that functions with so many variables of an enclosing function get; the text stands for the switch.

    It never reads the variables, but has to name them: Python crashes where it lists those of a frame (`f_locals`, as
    debuggers and pytest do) and its code did not fetch them.
    """
    namespace: dict[str, Any] = {}
    names = ", ".join(f"variable_{i}" for i in range(variables))
    exec(compile(TEMPLATE.format(names=names), __file__, "exec"), namespace)
    code: CodeType = namespace["around"](*range(variables)).__code__
    return code.replace(co_firstlineno=template.__wrapped__.__code__.co_firstlineno)


class Switch:
    """Checks calls of a function for overrides; calls the function unchanged if there are none."""

    def __init__(self, function: FunctionType):
        self.function = function
        self.plain: FunctionType = FunctionType(
            function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
        )
        self.plain.__kwdefaults__ = function.__kwdefaults__
        self.plain.__dict__.update(function.__dict__)  # `__wrapped__` holds the signature of a decorated function

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function, or what overrides it."""
        result = overridden_call(self.function, args, kwargs)
        return self.plain(*args, **kwargs) if result is NOBODY else result


def put_before(function: FunctionType) -> None:
    """Puts a switch in front of a function, which stays the same object."""
    switch = Switch(function)
    code = template(len(function.__code__.co_freevars))
    function.__code__ = code.replace(
        co_consts=tuple(switch if const == "the switch" else const for const in code.co_consts),
        co_freevars=function.__code__.co_freevars,
        co_name=function.__name__,
    )
    function.__wrapped__ = switch.plain  # type: ignore[attr-defined]  # for `inspect.signature`


def slot(name: str) -> Callable[..., Any]:
    """An operator of Python that checks for overrides, under the method that it is in PyTorch."""
    own, turned = SLOTS[name]
    plain = getattr(Tensor, name)

    def called(self: Any, *other: Any) -> Any:
        if (here := HERE).modes or (anyone((self, *other)) and not here.without_classes):
            if turned and isinstance(other[0], Tensor):
                return overridden_call(getattr(Tensor, turned), (*other, self), {})
            return overridden_call(called if own == name else getattr(Tensor, own), (self, *other), {})
        return plain(self, *other)

    called.__name__, called.__qualname__, called.__module__ = name, f"Tensor.{name}", Tensor.__module__
    return called


def new(cls: Any, *args: Any, **kwargs: Any) -> Tensor:
    """`Tensor.__new__(cls, data)`, which makes an object of a subclass outside rushlight's methods."""
    tensor = Arithmetic.__new__(cls)
    noticed(cls)
    if args and not cls.__init__.__module__.startswith("rushlight"):
        tensor._array = constructed(*args, **kwargs)
    return tensor


@above
def watch_class(cls: type) -> None:
    """Prepares a subclass of Tensor for overriding: its first object installs the switches; attributes are watched."""
    Tensor.__new__ = staticmethod(new)  # type: ignore[assignment, method-assign]
    if not takes_over(cls):
        return
    for home in Tensor.__mro__[:-1]:
        for name, value in vars(home).items():
            public = name[:1] != "_" and name not in FIELDS | KEPT_METHODS
            shown = public and type(value).__name__ in ("property", "getset_descriptor")
            if shown and getattr_static(cls, name) is getattr_static(Tensor, name):
                setattr(cls, name, watched(value))


HIDDEN = frozenset(
    ["run", "pending", "buffer", "owned", "needed", "hooks", "sequence"]
)  # the base classes of graph vertices


def watched(attribute: Any) -> property:
    """A property that checks for overrides when it is read or set."""

    def ask(access: Callable[..., Any]) -> Callable[..., Any]:
        def called(self: Any, *value: Any) -> Any:
            result = overridden_call(access, (self, *value), {})
            return access(self, *value) if result is NOBODY else result

        return called

    return property(ask(attribute.__get__), ask(attribute.__set__), ask(attribute.__delete__))
