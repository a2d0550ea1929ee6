"""The errors of pooling over sliding windows, in PyTorch's order and words."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from rushlight.core.kinds import kind_of
from rushlight.dtypes import FROM_NUMPY, TYPE_NAMES
from rushlight.kernels import pooling as kernels
from rushlight.nn.functional.sizes import Numbers, repeated
from rushlight.ops.arguments.dims import size_of

NUMBERS = {1: "one int", 2: "two ints", 3: "three ints"}
AXES = {1: "HW", 2: "HW", 3: "THW"}  # one-dimensional pooling is two-dimensional with height 1
WORDS = {  # the error messages for a wrong count of numbers: the argument, and what it must be
    "max_pool1d": (
        "{}() {} must be {} of size 1 but got size {}",
        (
            "an int, list of ints or tuple of ints",
            "None, an int, list of ints, or tuple of ints",
            "an int, list of ints, or tuple of ints",
            "an int, list of ints, or tuple of ints",
        ),
    ),
    "avg_pool3d": (
        "{}: {} must be {}",
        (
            "a single int, or a tuple of three ints",
            "omitted, a single int, or a tuple of three ints",
            "a single int, or a tuple of three ints",
            "",
        ),
    ),
}
KERNELS = {"max_pool1d": "max_pool1d_impl", "avg_pool3d": "avg_pool3d_out_frame", "avg_pool1d": "avg_pool2d"}


@lru_cache(maxsize=1024, typed=True)
def checked_settings(
    name: str,
    dims: int,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    ceil_mode: bool,
    kernel: Numbers,
    stride: Numbers | None,
    padding: Numbers,
    dilation: Numbers,
) -> tuple[tuple[int, ...], ...]:
    """Kernel size, stride, padding and dilation, one number for each dimension; errors for what cannot be pooled."""
    check_dims(name, dims, shape)
    settings = settings_of(name, dims, kernel, stride, padding, dilation)
    check_pooled_sizes(name, dims, shape, dtype, settings, ceil_mode)
    return settings


def settings_of(
    name: str, dims: int, kernel: Numbers, stride: Numbers | None, padding: Numbers, dilation: Numbers
) -> tuple[tuple[int, ...], ...]:
    """One number for each dimension. No stride means the kernel size."""
    given = (kernel, kernel if stride in (None, ()) else stride, padding, dilation)
    found = []
    for i, numbers in enumerate(given):
        each = repeated(numbers, dims)
        if each is None:
            raise RuntimeError(wrong_count(name, dims, i, numbers))
        found.append(each)
    if name == "max_pool1d":
        check_line(*(numbers[0] for numbers in found))
    else:
        check_windows(dims, *found)
    return tuple(found)


def wrong_count(name: str, dims: Any, i: Any, given: Any) -> str:
    """The error message for a wrong count of numbers."""
    what = ("kernel_size", "stride", "padding", "dilation")[i]
    if name in WORDS:
        words, allowed = WORDS[name]
        return words.format(name, what, allowed[i], len(given))
    if dims == 1:
        return f"{name.removesuffix('_with_indices')}() argument '{what}' should contain one int (got {len(given)})"
    verb = ("must either be", "must either be omitted,", "must either be", "must be either")[i]
    return f"{name}: {what} {verb} a single int, or a tuple of {NUMBERS[dims]}"


def check_line(kernel: Any, stride: Any, padding: Any, dilation: Any) -> None:
    """Raises the errors for the numbers of `max_pool1d`, whose messages differ from the others."""
    for what, number in (("kernel_size", kernel), ("stride", stride), ("padding", padding), ("dilation", dilation)):
        if what == "padding":
            if padding < 0:
                raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {padding}")
            if padding > kernel // 2:
                raise RuntimeError(
                    "max_pool1d() padding should be at most half of kernel size, but got "
                    f"padding={padding} and kernel_size={kernel}"
                )
        elif number <= 0:
            raise RuntimeError(f"max_pool1d() {what} must be greater than zero, but got {number}")


def check_windows(dims: int, kernel: Any, stride: Any, padding: Any, dilation: Any) -> None:
    """Raises the errors for the numbers of other pooling functions: those about single numbers first."""
    for window in zip(kernel, stride, padding, dilation, strict=True):
        kernels.check_reach(*window)
    given = (("kernel size", "k", kernel), ("stride", "d", stride), ("dilation", "dilation", dilation))
    for what, letter, numbers in given:
        if min(numbers) <= 0:
            shown = ((1,) if dims == 1 else ()) + numbers
            listed = " ".join(f"{letter}{axis}: {n}" for axis, n in zip(AXES[dims], shown, strict=True))
            raise RuntimeError(f"{what} should be greater than zero, but got {listed}")
    for window in zip(kernel, stride, padding, dilation, strict=True):
        kernels.check_window(*window)


def check_dims(name: str, dims: int, shape: tuple[int, ...]) -> None:
    """Raises the errors for a wrong number of dimensions."""
    if len(shape) in (dims + 1, dims + 2):
        return
    if name == "max_pool1d":
        raise RuntimeError(f"max_pool1d: {not_pooled(1, shape)}")
    if dims == 1:
        raise RuntimeError(not_in_range(name.removesuffix("_with_indices"), shape))
    if name == "avg_pool2d":
        size_of(shape, -3)
        raise RuntimeError(not_pooled(2, shape))
    raise RuntimeError(f"non-empty {dims + 1}D or {dims + 2}D (batch mode) tensor expected for input")


def not_in_range(name: str, shape: Any, least: int = 2, most: int = 3, argument: str = "#1 'self'") -> str:
    """The error message for a wrong number of dimensions."""
    return (
        f"Expected {least} to {most} dimensions, but got {len(shape)}-dimensional tensor for argument {argument} "
        f"(while checking arguments for {name})"
    )


def not_pooled(dims: Any, shape: Any) -> str:
    """The error message for an input in which no window fits."""
    return (
        f"Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with optional 0 dim batch size for input, "
        f"but got:{list(shape)}"
    )


def check_pooled_sizes(
    name: str, dims: Any, shape: tuple[int, ...], dtype: np.dtype, settings: Sequence[Sequence[int]], ceil_mode: bool
) -> None:
    """Raises the errors for sizes (only the number of samples may be 0) and for dtypes."""
    if 0 in shape[-dims - 1 :]:
        raise RuntimeError(empty(name, dims, shape))
    if dims == 1:
        check_places(name, shape, settings, ceil_mode)
    elif name == "avg_pool3d" and any(n < k for n, k in zip(shape[-3:], settings[0], strict=True)):
        image, kernel = shape[-3:], settings[0]
        sizes = " ".join(f"{axis}: {n}" for axis, n in zip("THW", image, strict=True))
        widths = " ".join(f"k{axis}: {n}" for axis, n in zip("THW", kernel, strict=True))
        raise RuntimeError(f"input image ({sizes}) smaller than kernel size ({widths})")
    kind = kind_of(dtype)
    if kind in "bc" or (name == "max_pool1d" and kind != "f"):
        raise NotImplementedError(
            f"\"{KERNELS.get(name, name)}\" not implemented for '{TYPE_NAMES[FROM_NUMPY[dtype]]}'"
        )


def empty(name: str, dims: Any, shape: Any) -> str:
    """The error message for a size of 0."""
    if dims == 3:
        place = "max_pool3d_with_indices_out_cpu_template" if name == "max_pool3d" else name
        return (
            f"{place}(): Expected input's non-batch dimensions to have positive length, but input has a shape of "
            f"{list(shape)} and non-batch dimension 0 has length zero!"
        )
    if name == "max_pool1d":
        return f"max_pool1d: {not_pooled(1, shape)}"
    return not_pooled(2, shape if dims == 2 else (*shape[:-1], 1, shape[-1]))


def check_places(name: str, shape: Sequence[int], settings: Sequence[Sequence[int]], ceil_mode: bool) -> None:
    """Whether at least one window fits in a one-dimensional input."""
    kernel, stride, padding, dilation = (numbers[0] for numbers in settings)
    places = kernels.windows_along(shape[-1], kernel, stride, padding, dilation, ceil_mode)
    if places >= 1:
        return
    if name == "max_pool1d":
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {places}")
    raise RuntimeError(
        f"Given input size: ({shape[-2]}x1x{shape[-1]}). Calculated output size: ({shape[-2]}x1x{places}). "
        "Output size is too small"
    )
