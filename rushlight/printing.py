"""How a tensor prints: exactly as PyTorch's `repr`, from a NumPy array."""

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf, isfinite
from textwrap import indent
from types import SimpleNamespace
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.kinds import kind_of
from rushlight.dtypes import get_default_dtype

# What `set_printoptions` sets.
_options = SimpleNamespace(precision=4, threshold=1000, edgeitems=3, linewidth=80, sci_mode=None)
_FLOAT32 = np.dtype("float32")

_PROFILES: dict[str | None, dict[str, float]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": inf, "edgeitems": 3, "linewidth": 80},
}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set how tensors print from here on, in every thread.

    None leaves an option as it is, except `sci_mode`: as in PyTorch, each call sets it.

    Args:
        precision: digits after the decimal point (4 at the start).
        threshold: a tensor of more elements than this is summarised (1000).
        edgeitems: how many items a summary shows at each end of a dimension (3).
        linewidth: columns before a line is broken (80).
        profile: "default", "short" or "full", a set of the four above; an argument given beside it wins.
            PyTorch ignores any other name, and so do we.
        sci_mode: scientific notation always (True), never (False), or where magnitudes call for it (None).

    >>> import numpy as np
    >>> set_printoptions(precision=2)
    >>> print(tensor_str(np.array([1.12345], dtype=np.float32)))
    tensor([1.12])
    >>> set_printoptions(profile="default")
    >>> print(tensor_str(np.array([1.12345], dtype=np.float32)))
    tensor([1.1235])
    """
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    changes = _PROFILES.get(profile, {}) | {name: value for name, value in given.items() if value is not None}
    vars(_options).update(changes, sci_mode=sci_mode)


def get_printoptions() -> dict[str, Any]:
    """Return the current options, ready to be handed back as `set_printoptions(**options)`.

    >>> get_printoptions()
    {'precision': 4, 'threshold': 1000, 'edgeitems': 3, 'linewidth': 80, 'sci_mode': None}
    """
    return {**vars(_options)}


@contextmanager
def printoptions(**kwargs: Any) -> Iterator[None]:
    """Set options as `set_printoptions` does, and put the old ones back on leaving the `with` block.

    >>> with printoptions(sci_mode=True):
    ...     print(tensor_str(np.array([0.5, 20], dtype=np.float32)))
    tensor([5.0000e-01, 2.0000e+01])
    """
    before = get_printoptions()
    set_printoptions(**kwargs)
    try:
        yield
    finally:
        set_printoptions(**before)


def batched_str(array: Array) -> str:
    """A tensor inside `vmap` as text: for each level, the examples of the batch below."""
    text = tensor_str(array.array, default_dtype=get_default_dtype()._numpy)
    for level in array.levels:
        text = f"BatchedTensor(lvl={level.number}, bdim=0, value=\n{indent(text, '    ')}\n)"
    return text


def meta_str(array: Array, node: str | None, requires_grad: bool) -> str:
    """A tensor without memory as text: without its elements."""
    suffixes = ["device='meta'", f"size={tuple(array.shape)}"]
    if array.dtype != get_default_dtype()._numpy:
        suffixes.append(f"dtype=torch.{array.dtype.name}")
    if node is not None or requires_grad:
        suffixes.append(f"grad_fn=<{node}>" if node is not None else "requires_grad=True")
    return _add_suffixes("tensor(...", suffixes, len("tensor("))


def tensor_str(
    array: np.ndarray,
    *,
    prefix: str = "tensor(",
    requires_grad: bool = False,
    grad_fn_name: str | None = None,
    default_dtype: np.dtype = _FLOAT32,
    suffix_dtype: str | None = None,
    tangent: str | None = None,
    indent: int = 0,
) -> str:
    """Return the `repr` of a tensor that holds `array`, as PyTorch prints it.

    Args:
        array: booleans, integers, floats or complex numbers, of any shape.
        prefix: what opens the text; a subclass of the tensor puts its own name there.
        requires_grad: whether to add `requires_grad=True`; `grad_fn_name` takes its place.
        grad_fn_name: the name of the node that made the tensor, for `grad_fn=<...>`.
        default_dtype: the floating-point dtype that is not printed.
        suffix_dtype: the dtype to name where the array's own is not the tensor's, as `"torch.bfloat16"`
            for values kept in float32.
        tangent: the text of the tangent that the tensor carries in forward mode.
        indent: columns to the left of the text that other text already takes.

    >>> print(tensor_str(np.array([[1, 0.5], [np.nan, -2]]), requires_grad=True))
    tensor([[ 1.0000,  0.5000],
            [    nan, -2.0000]], dtype=torch.float64, requires_grad=True)
    """
    text = " " * indent + prefix
    text += _contents(array, len(text)) if array.size else "[]"
    suffixes = _size_and_dtype(array, default_dtype, suffix_dtype)
    if grad_fn_name is not None:
        suffixes.append(f"grad_fn=<{grad_fn_name}>")
    elif requires_grad:
        suffixes.append("requires_grad=True")
    if tangent is not None:
        suffixes.append(f"tangent={tangent}")
    return _add_suffixes(text, suffixes, indent + len(prefix))[indent:]


def _contents(array: np.ndarray, indent: int) -> str:
    """The elements in their brackets, for text that starts at column `indent`; `array` is not empty."""
    edge, ndim = _options.edgeitems, array.ndim
    summarize = array.size > _options.threshold
    if summarize and not edge and ndim:
        return "[...]"
    is_cut = [summarize and length > 2 * edge for length in array.shape]
    if any(is_cut):
        ends = np.r_[:edge, -edge:0]
        shown = [ends if cut else range(length) for cut, length in zip(is_cut, array.shape, strict=True)]
        array = array[np.ix_(*shown)]

    texts, width = _elements(array)
    per_line = max(1, (_options.linewidth - indent - ndim + 1) // (width + len(", ")))
    for axis in reversed(range(ndim)):
        rows = _split(texts, array.shape[axis])
        innermost = axis == ndim - 1
        if is_cut[axis]:
            dots = " ..." if innermost else "..."
            rows = [[*row[:edge], dots, *row[edge:]] for row in rows]
        if innermost:
            rows = [[", ".join(line) for line in _split(row, per_line)] for row in rows]
        separator = "," + "\n" * max(1, ndim - axis - 1) + " " * (indent + axis + 1)
        texts = [f"[{separator.join(row)}]" for row in rows]
    return texts[0]


def _split(items: list[str], length: int) -> list[list[str]]:
    """`items` in consecutive pieces of `length`."""
    return [items[start : start + length] for start in range(0, len(items), length)]


def _elements(array: np.ndarray) -> tuple[list[str], int]:
    """The text of each element in row-major order, aligned, and the width of one."""
    values = array.ravel()
    if values.dtype.kind == "c":
        real, real_width = _floats(np.real(values).tolist())
        imag, imag_width = _floats(np.imag(values).tolist())
        signed = [text if text.startswith("-") else "+" + text for text in imag]
        texts = [f"{re:>{real_width}}{im}j" for re, im in zip(real, signed, strict=True)]
        return texts, real_width + imag_width + 1
    if kind_of(values.dtype) == "f":
        texts, width = _floats(values.tolist())
    else:
        texts = [str(value) for value in values.tolist()]
        width = max(map(len, texts))
    return [text.rjust(width) for text in texts], width


def _floats(values: list[float]) -> tuple[list[str], int]:
    """The text of each number in a format that suits all, and the width of the widest.

    Zeros, infinities and NaN do not influence the format or the width.
    """
    deciding = [value for value in values if value and isfinite(value)]
    render = f"{{:{_float_format(deciding)}}}".format
    width = max(map(len, map(render, deciding)), default=1)
    return [render(value) for value in values], width


def _float_format(values: list[float]) -> str:
    """The format for finite nonzero numbers: scientific, integer (`1.`) or with decimals."""
    if not values:
        return "#.0f"
    scientific = _options.sci_mode
    if scientific is None:
        magnitudes = [abs(value) for value in values]
        smallest, largest = min(magnitudes), max(magnitudes)
        scientific = largest / smallest > 1e3 or largest > 1e8 or smallest < 1e-4
    if scientific:
        return f".{_options.precision}e"
    whole = all(value.is_integer() for value in values)
    return "#.0f" if whole else f".{_options.precision}f"


def _size_and_dtype(array: np.ndarray, default_dtype: np.dtype, suffix_dtype: str | None) -> list[str]:
    """The suffixes `size=` and `dtype=`, if the elements do not already show them."""
    implied: list[Any] = [default_dtype]
    if array.size:
        shows_shape = _options.edgeitems > 0
        implied += [np.int64, np.bool_, np.complex128 if default_dtype == np.float64 else np.complex64]
    else:
        shows_shape = array.ndim == 1
    suffixes = [] if shows_shape else [f"size={array.shape}"]
    if suffix_dtype is not None or array.dtype not in implied:
        suffixes.append(f"dtype={suffix_dtype or f'torch.{array.dtype.name}'}")
    return suffixes


def _add_suffixes(text: str, suffixes: list[str], indent: int) -> str:
    """Appends the suffixes and the closing bracket; a suffix beyond the line width starts a new line."""
    line_length = len(text) - text.rfind("\n") + 1  # PyTorch counts the last line two columns longer
    for suffix in suffixes:
        if line_length + len(suffix) + 2 > _options.linewidth:
            text += ",\n" + " " * indent + suffix
            line_length = indent + len(suffix)
        else:
            text += ", " + suffix
            line_length += len(suffix) + 2
    return text + ")"
