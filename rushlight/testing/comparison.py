"""`assert_close`: compares values number by number, also in sequences and mappings."""

import cmath
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

import rushlight
from rushlight.core.graph import TensorBase
from rushlight.core.lines import warn
from rushlight.tensors import Tensor

__all__ = ["assert_allclose", "assert_close"]

TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}
OLDER_TOLERANCES = {"float16": (1e-3, 1e-3), "float32": (1e-4, 1e-5), "float64": (1e-5, 1e-8)}
DTYPES: dict[type, str] = {int: "int64", float: "float64", complex: "complex128"}
NUMBERS = (int, float, complex, np.number)
Message = str | Callable[[str], str] | None


class Options(NamedTuple):
    """The options of a comparison."""

    allow_subclasses: bool = True
    rtol: float | None = None
    atol: float | None = None
    equal_nan: bool = False
    check_device: bool = True
    check_dtype: bool = True
    check_layout: bool = True
    check_stride: bool = False


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: Message = None,
) -> None:
    """AssertionError unless `actual` is close to `expected`: |actual - expected| <= atol + rtol * |expected|.

    Compares tensors, arrays, numbers, and sequences and mappings of them; dtypes and shapes must be the same. The
    default tolerances depend on the dtype. `msg` is the message, or a function of the usual one. TypeError for values
    that cannot be compared.

    >>> import rushlight as torch
    >>> torch.testing.assert_close(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.5]))
    Traceback (most recent call last):
    ...
    AssertionError: Tensor-likes are not close!
    <BLANKLINE>
    Mismatched elements: 1 / 2 (50.0%)
    Greatest absolute difference: 0.5 at index (1,) (up to 1e-05 allowed)
    Greatest relative difference: 0.20000000298023224 at index (1,) (up to 1.3e-06 allowed)
    """
    options = Options(allow_subclasses, rtol, atol, equal_nan, check_device, check_dtype, check_layout, check_stride)
    try:
        compare(actual, expected, options, "")
    except Difference as difference:
        text = f"{difference}{where_they_differ(difference.path)}"
        raise AssertionError(text if msg is None else msg(text) if callable(msg) else msg) from None


class Difference(Exception):
    """A difference, and where it is, as an index: `[0]['a']`."""

    def __init__(self, message: str, path: str = ""):
        super().__init__(message)
        self.path = path


def where_they_differ(path: str) -> str:
    """The place of a difference in messages."""
    return f"\n\nThe failure occurred for item {path}" if path else ""


def compare(actual: Any, expected: Any, options: Options, path: str) -> None:
    """Raises a Difference if two values are not close."""
    both = (actual, expected)
    if all(isinstance(v, Sequence) and not isinstance(v, str) for v in both):
        compare_sequences(actual, expected, options, path)
    elif all(isinstance(v, Mapping) for v in both):
        compare_mappings(actual, expected, options, path)
    elif actual is None or expected is None:
        if actual is not expected:
            raise Difference(f"None mismatch: {actual} is not {expected}", path)
    elif all(isinstance(v, (bool, np.bool_)) for v in both):
        if bool(actual) is not bool(expected):
            raise Difference(f"Booleans mismatch: {bool(actual)} is not {bool(expected)}", path)
    elif all(isinstance(v, NUMBERS) for v in both):
        compare_numbers(actual, expected, options, path)
    else:
        ours, wanted = as_tensors(actual, expected, options)
        compare_tensors(ours, wanted, options, path)


def compare_sequences(actual: Any, expected: Any, options: Any, path: Any) -> None:
    """Compares item by item."""
    if len(actual) != len(expected):
        raise Difference(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", path)
    for i, (a, b) in enumerate(zip(actual, expected, strict=True)):
        compare(a, b, options, f"{path}[{i}]")


def compare_mappings(actual: Any, expected: Any, options: Any, path: Any) -> None:
    """Compares value by value."""
    if actual.keys() != expected.keys():
        raise Difference(
            "The keys of the mappings do not match:\n"
            f"Missing keys in the actual mapping: {sorted(expected.keys() - actual.keys())}\n"
            f"Additional keys in the actual mapping: {sorted(actual.keys() - expected.keys())}",
            path,
        )
    for key in sorted(actual) if all(isinstance(k, str) for k in actual) else actual:
        compare(actual[key], expected[key], options, f"{path}[{key!r}]")


def compare_numbers(actual: Any, expected: Any, options: Any, path: Any) -> None:
    """Compares numbers of Python and NumPy."""
    actual, expected = (v.item() if isinstance(v, np.number) else v for v in (actual, expected))
    if options.check_dtype and type(actual) is not type(expected):
        raise Difference(f"The (d)types do not match: {type(actual)} != {type(expected)}.", path)
    rtol, atol = tolerances(
        options, *({int: "int64", float: "float64", complex: "complex128"}[type(v)] for v in (actual, expected))
    )
    both_nan = options.equal_nan and cmath.isnan(actual) and cmath.isnan(expected)
    if actual == expected or both_nan:
        return
    difference = abs(actual - expected)
    if cmath.isfinite(difference) and difference <= atol + rtol * abs(expected):
        return
    relative = float("inf") if expected == 0 else difference / abs(expected)
    lines = [f"Absolute difference: {difference}", f"Relative difference: {relative}"]
    report("Scalars", f"Expected {expected} but got {actual}.", lines, rtol, atol, path)


def tolerances(options: Options, *kinds: str) -> tuple[float, float]:
    """The tolerances for some dtypes. ValueError if only one of the two is given."""
    if (options.rtol is None) != (options.atol is None):
        lacking = "rtol" if options.rtol is None else "atol"
        raise ValueError(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {lacking}.")
    if options.rtol is not None and options.atol is not None:
        return options.rtol, options.atol
    found = [TOLERANCES.get(kind, (0.0, 0.0)) for kind in kinds]
    return max(rtol for rtol, _ in found), max(atol for _, atol in found)


def report(what: Any, extra: Any, lines: Any, rtol: Any, atol: Any, path: Any) -> NoReturn:
    """Raises the Difference of numbers, with its size."""
    exact = rtol == 0 == atol
    allowed = ["" if exact else f" (up to {tolerance} allowed)" for tolerance in (atol, rtol)]
    told = "\n".join(line + more for line, more in zip(lines, allowed, strict=True))
    raise Difference(f"{what} are not {'equal' if exact else 'close'}!\n\n{extra}\n{told}", path)


def as_tensors(actual: Any, expected: Any, options: Options) -> list[Any]:
    """Both values as tensors. TypeError if they cannot be compared."""
    related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
    if related and (options.allow_subclasses or type(actual) is type(expected)):
        try:
            return [v if isinstance(v, TensorBase) else rushlight.as_tensor(v) for v in (actual, expected)]
        except (TypeError, ValueError, RuntimeError):
            pass
    raise TypeError(f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.")


def compare_tensors(actual: Tensor, expected: Tensor, options: Options, path: str) -> None:
    """Compares two tensors: dtype and shape, then each number."""
    checks = [("shape", True), ("layout", options.check_layout), ("device", options.check_device)]
    for name, checked in (*checks, ("dtype", options.check_dtype)):
        a, b = getattr(actual, name), getattr(expected, name)
        if checked and a != b:
            raise Difference(f"The values for attribute '{name}' do not match: {a} != {b}.", path)
    if options.check_stride and actual.stride() != expected.stride():
        raise Difference(
            f"The values for attribute 'stride()' do not match: {actual.stride()} != {expected.stride()}.", path
        )
    rtol, atol = tolerances(options, *(str(t.dtype).removeprefix("torch.") for t in (actual, expected)))
    actual, expected = actual.detach(), expected.detach()
    if actual.layout is not expected.layout:
        actual, expected = actual.to_dense(), expected.to_dense()
    compare = compare_arrays if actual.layout is rushlight.strided else compare_sparse
    compare(actual, expected, rtol, atol, options.equal_nan, path)


INDICES = {
    rushlight.sparse_coo: ("_indices",),
    rushlight.sparse_csr: ("crow_indices", "col_indices"),
    rushlight.sparse_csc: ("ccol_indices", "row_indices"),
}


def compare_sparse(actual: Tensor, expected: Tensor, rtol: float, atol: float, equal_nan: bool, path: str) -> None:
    """Compares the indices and the stored values of two sparse tensors of one layout."""
    layout = str(actual.layout).removeprefix("torch.sparse_").upper()
    have, wanted = actual._nnz(), expected._nnz()
    if have != wanted:
        numbers = f"{have} != {wanted}"
        raise Difference(f"The number of specified values in sparse {layout} tensors does not match: {numbers}", path)
    for name in INDICES[actual.layout]:
        parts = getattr(actual, name)(), getattr(expected, name)()
        compare_arrays(*parts, 0.0, 0.0, False, path, f"Sparse {layout} {name.lstrip('_')}")
    values = "_values" if actual.layout is rushlight.sparse_coo else "values"
    parts = getattr(actual, values)(), getattr(expected, values)()
    compare_arrays(*parts, rtol, atol, equal_nan, path, f"Sparse {layout} values")


def compare_arrays(
    actual: Tensor,
    expected: Tensor,
    rtol: float,
    atol: float,
    equal_nan: bool,
    path: str,
    what: str = "Tensor-likes",
) -> None:
    """Compares each number of two tensors of the same shape; messages say `what` they are."""
    if actual.dtype is not expected.dtype:
        dtype = rushlight.promote_types(actual.dtype, expected.dtype)
        actual, expected = actual.to(dtype), expected.to(dtype)
    if actual.dtype.is_floating_point and actual.dtype.itemsize == 1:  # float8, which has no arithmetic
        actual, expected = actual.float(), expected.float()
    matches = rushlight.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan)
    if matches.all():
        return
    if actual.numel() == 1 == actual.dim() + 1:
        compare_numbers(actual.item(), expected.item(), Options(rtol=rtol, atol=atol, equal_nan=equal_nan), path)
    wrong = matches.numel() - int(matches.sum())
    if actual.dtype.is_floating_point or actual.dtype.is_complex:
        a, b = actual, expected
    else:
        a, b = actual.to(rushlight.int64), expected.to(rushlight.int64)
    absolute = (a - b).abs().masked_fill(matches, 0)
    relative = (absolute / b.abs()).masked_fill(matches, 0)
    lines = [
        f"Greatest {name} difference: {greatest(d)}" for name, d in (("absolute", absolute), ("relative", relative))
    ]
    extra = f"Mismatched elements: {wrong} / {matches.numel()} ({wrong / matches.numel():.1%})"
    report(what, extra, lines, rtol, atol, path)


def greatest(difference: Any) -> str:
    """The largest of some numbers, with its index."""
    flat = int(difference.flatten().argmax())
    index = tuple(int(i) for i in np.unravel_index(flat, tuple(difference.shape)))
    return f"{difference.flatten()[flat].item()} at index {index}"


def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str = "",
) -> None:
    """Deprecated: use `assert_close`, which does not convert dtypes.

    >>> import rushlight as torch
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):  # it is deprecated: `assert_close`
    ...     torch.testing.assert_allclose(torch.tensor([1.0]), torch.tensor([1.0 + 1e-6]))
    """
    warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. Please "
        "use `torch.testing.assert_close()` instead.",
        FutureWarning,
    )
    actual = actual if isinstance(actual, TensorBase) else rushlight.tensor(actual)
    expected = expected if isinstance(expected, TensorBase) else rushlight.tensor(expected, dtype=actual.dtype)
    if rtol is None and atol is None:
        found = [OLDER_TOLERANCES.get(str(t.dtype).removeprefix("torch."), (0.0, 0.0)) for t in (actual, expected)]
        rtol, atol = max(r for r, _ in found), max(a for _, a in found)
    assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False, msg=msg or None)
