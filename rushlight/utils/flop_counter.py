"""Counts the floating-point operations of products and convolutions, forward and backward: `FlopCounterMode`."""

from collections import defaultdict
from collections.abc import Callable
from math import prod
from typing import Any

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.core.lines import warn
from rushlight.ops.aten_namespace import aten
from rushlight.tensors import Tensor
from rushlight.utils._python_dispatch import TorchDispatchMode
from rushlight.utils.module_tracker import ModuleTracker

__all__ = ["FlopCounterMode", "register_flop_formula"]


def mm_flop(a_shape: Any, b_shape: Any, *args: Any, out_shape: Any = None, **kwargs: Any) -> int:
    """Two operations for each product of elements of two matrices."""
    m, k = a_shape
    return m * b_shape[1] * 2 * k


def addmm_flop(self_shape: Any, a_shape: Any, b_shape: Any, out_shape: Any = None, **kwargs: Any) -> int:
    """The operations of the product alone."""
    return mm_flop(a_shape, b_shape)


def bmm_flop(a_shape: Any, b_shape: Any, out_shape: Any = None, **kwargs: Any) -> int:
    """The operations of a product for each matrix of a batch."""
    b, m, k = a_shape
    return b * m * b_shape[-1] * 2 * k


def baddbmm_flop(self_shape: Any, a_shape: Any, b_shape: Any, out_shape: Any = None, **kwargs: Any) -> int:
    """The operations of the products alone."""
    return bmm_flop(a_shape, b_shape)


def conv_flop_count(x_shape: Any, w_shape: Any, out_shape: Any, transposed: bool = False) -> int:
    """Two operations for each element of the kernel at each position."""
    places = (x_shape if transposed else out_shape)[2:]
    return prod(w_shape) * prod(places) * x_shape[0] * 2


def conv_flop(
    x_shape: Any,
    w_shape: Any,
    _bias: Any,
    _stride: Any,
    _padding: Any,
    _dilation: Any,
    transposed: bool,
    *args: Any,
    out_shape: Any = None,
    **kwargs: Any,
) -> int:
    """The operations of a convolution, or a transposed one."""
    return conv_flop_count(x_shape, w_shape, out_shape, transposed)


def conv_weight_flop(
    grad_shape: Any, x_shape: Any, w_shape: Any, *args: Any, out_shape: Any = None, **kwargs: Any
) -> int:
    """The operations for the gradient of a convolution's weight: as many as for the convolution."""
    return conv_flop_count(x_shape, w_shape, grad_shape)


def einsum_flop(shapes: Any, subscripts: Any, output: str, *args: Any, out_shape: Any = None, **kwargs: Any) -> int:
    """Two operations for each combination of indices in each step; operands are contracted one after the other."""
    operands = zip(subscripts, shapes, strict=True)
    sizes = dict(pair for letters, shape in operands for pair in zip(letters, shape, strict=True))
    held, total = set(subscripts[0]), 0
    for place, letters in enumerate(subscripts[1:], 2):
        taking_part = held | set(letters)
        wanted = taking_part & set(output).union(*subscripts[place:])
        summed = taking_part - wanted
        total += prod(sizes[letter] for letter in taking_part) * (2 if summed else 0)
        held = wanted
    return total


def tensordot_flop(a_shape: Any, b_shape: Any, dims: Any, dims_other: Any, *args: Any, **kwargs: Any) -> int:
    """The operations of the matrix product that tensors are reshaped for."""
    return 2 * prod(a_shape) * prod(n for dim, n in enumerate(b_shape) if dim not in dims_other)


flop_registry: dict[Any, Callable[..., Any]] = {}


def get_shape(value: Any) -> Any:
    """The shape of a tensor, also of tensors in lists; other values unchanged."""
    if type(value) in (tuple, list):
        return [get_shape(item) for item in value]
    return value.shape if isinstance(value, Tensor) else value


def shape_wrapper(formula: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a formula for tensors from one for shapes."""

    def counted(*args: Any, out_val: Any = None, **kwargs: Any) -> int:
        shapes = {key: get_shape(value) for key, value in kwargs.items()}
        return formula(*get_shape(args), out_shape=get_shape(out_val), **shapes)

    return counted


def register_flop_formula(targets: Any, get_raw: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a function as the flop formula of operators of `torch.ops.aten`, given as overload packets.

    It is called with shapes in place of tensors and with `out_shape`; with `get_raw` with tensors and `out_val`.
    ValueError for an object that is not a packet.

    >>> import rushlight as torch
    >>> @register_flop_formula(torch.ops.aten.exp)
    ... def of_exp(shape, *args, out_shape=None, **kwargs):
    ...     return shape.numel()
    >>> with FlopCounterMode(display=False) as counter:
    ...     x = torch.ones(2, 3).exp()
    >>> counter.get_total_flops(), flop_registry.pop(torch.ops.aten.exp) is not None
    (6, True)
    """

    def enter(formula: Callable[..., Any]) -> Callable[..., Any]:
        for target in targets if isinstance(targets, (list, tuple)) else [targets]:
            if not hasattr(target, "overloads"):
                raise ValueError(
                    f"register_flop_formula(targets): expected each target to be OpOverloadPacket (i.e. "
                    f"torch.ops.mylib.foo), got {target} which is of type {type(target)}"
                )
            if target in flop_registry:
                raise RuntimeError(f"duplicate registrations for {target}")
            flop_registry[target] = formula if get_raw else shape_wrapper(formula)
        return formula

    return enter


register_flop_formula(aten.mm)(mm_flop)
register_flop_formula(aten.addmm)(addmm_flop)
register_flop_formula(aten.bmm)(bmm_flop)
register_flop_formula(aten.baddbmm)(baddbmm_flop)
register_flop_formula(aten.convolution)(conv_flop)
OURS: dict[
    str, Callable[..., Any]
] = {  # steps with names of rushlight's own, by the PyTorch operator that they count as
    "convolution_weight": shape_wrapper(conv_weight_flop),
    "einsum": shape_wrapper(einsum_flop),
    "tensordot": shape_wrapper(tensordot_flop),
}
COUNTED_AS = {"convolution_weight": aten.convolution_backward, "einsum": aten.bmm, "tensordot": aten.mm}


class FlopCounterMode:
    """A context that counts the floating-point operations of products and convolutions, by module.

    At its end the table of `get_table` is printed, unless `display` is False; `depth` is the depth down to which
    submodules have their own rows. `custom_mapping` gives formulas for further operators, as `register_flop_formula`
    takes them. `mods` is not needed.

    >>> import rushlight as torch
    >>> with FlopCounterMode(display=False) as counter:
    ...     torch.nn.Linear(3, 4)(torch.ones(2, 3)).sum().backward()
    >>> counter.get_total_flops(), sorted(counter.get_flop_counts())
    (96, ['Global', 'Linear'])
    """

    depth: int
    display: bool

    def __init__(
        self, mods: Any = None, depth: int = 2, display: bool = True, custom_mapping: dict[Any, Any] | None = None
    ):
        if mods is not None:
            warn("mods argument is not needed anymore, you can stop passing it")
        self.depth, self.display = depth, display
        self.flop_counts: dict[str, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
        given = custom_mapping or {}
        self.custom: dict[Any, Any] = {
            key: f if getattr(f, "_get_raw", False) else shape_wrapper(f) for key, f in given.items()
        }
        self.mod_tracker: ModuleTracker = ModuleTracker()

    @property
    def flop_registry(self) -> dict[Any, Callable[..., Any]]:
        """The formulas by operator; later registrations take precedence."""
        return {**flop_registry, **self.custom}

    def get_total_flops(self) -> int:
        """The number of operations."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """The counts by module ("Global" for all) and operator."""
        return {name: dict(counts) for name, counts in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """The counts as a table, with percentages by module and operator."""
        whole, wanted = self.get_total_flops(), self.depth if depth is None else depth
        rows: list[tuple[str, str, str]] = []
        named = sorted(name for name in self.flop_counts if name != "Global" and name.count(".") < (wanted or 999999))
        covered = any(sum(self.flop_counts[name].values()) >= whole for name in named)
        shown = named if covered else ["Global", *named]
        for name in shown:
            indent = " " * (name.count(".") + (not covered and name != "Global"))
            counts = self.flop_counts[name]
            rows.append(row(indent + name, sum(counts.values()), whole))
            rows += [row(f"{indent} - {operator}", count, whole) for operator, count in counts.items()]
        return table(["Module", "FLOP", "% Total"], rows or [("Global", "0", "0%")])

    def __enter__(self) -> "FlopCounterMode":
        self.flop_counts.clear()
        self.mod_tracker.__enter__()
        self.mode = Counting(self)
        self.mode.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self.mode.__exit__(*exception)
        self.mod_tracker.__exit__()
        if self.display:
            print(self.get_table())

    def count(self, func: Any, result: Any, args: Any, kwargs: Any) -> None:
        """Counts a call."""
        packet = func.overloadpacket
        formula = OURS.get(func._opname) if func.namespace == "rushlight" else self.flop_registry.get(packet)
        number = 0 if formula is None else formula(*args, **kwargs, out_val=result)
        if number:
            told = COUNTED_AS.get(func._opname, packet)
            if told is aten.convolution and self.mod_tracker.is_bw:
                told = aten.convolution_backward
            for name in self.mod_tracker.parents:
                self.flop_counts[name][told] += number


class Counting(TorchDispatchMode):
    """The mode of a counter: it counts each call, and makes it unchanged."""

    def __init__(self, counter: FlopCounterMode):
        super().__init__()
        self.counter = counter

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Makes a call and counts it."""
        result = func(*args, **(kwargs or {}))
        self.counter.count(func, result, args, kwargs or {})
        return result


SUFFIXES = ["", "K", "M", "B", "T"]


def row(name: str, count: int, whole: int) -> tuple[str, str, str]:
    """A row of the table: a count in the unit of the total, and its percentage."""
    power = max(0, min(len(SUFFIXES) - 1, (len(str(whole)) - 2) // 3))
    return name, f"{count / 1000**power:.3f}{SUFFIXES[power]}", f"{count / whole:.2%}" if whole else "0%"


def table(header: list[str], rows: list[tuple[str, str, str]]) -> str:
    """Formats rows under a header, names on the left and numbers on the right."""
    widths = [max(len(line[i]) for line in (header, *rows)) + 2 * (i > 0) for i in range(3)]
    lines = [header, ["-" * width for width in widths], *rows]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *(line[i].rjust(widths[i]) for i in (1, 2))]).rstrip() for line in lines
    )


_explain_misses(globals())
