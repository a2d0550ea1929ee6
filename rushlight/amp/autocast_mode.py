"""`autocast`: inside, operators compute in the dtypes that PyTorch's lists for the CPU assign to them."""

import functools
import math
from collections.abc import Callable, Sequence
from contextlib import ContextDecorator, nullcontext
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight.core.graph import TensorBase
from rushlight.core.interpreters import STACK, Interpreter, Within
from rushlight.core.kinds import is_half
from rushlight.core.lines import warn
from rushlight.devices import device
from rushlight.ops.making.conversion import convert
from rushlight.ops.products import equations
from rushlight.ops.products.products import is_within_matmul
from rushlight.utils.recomputation import AROUND, Again

__all__ = [
    "autocast",
    "autocast_decrement_nesting",
    "autocast_increment_nesting",
    "clear_autocast_cache",
    "custom_bwd",
    "custom_fwd",
    "get_autocast_cpu_dtype",
    "get_autocast_dtype",
    "is_autocast_available",
    "is_autocast_cache_enabled",
    "is_autocast_cpu_enabled",
    "is_autocast_enabled",
    "set_autocast_cache_enabled",
    "set_autocast_cpu_dtype",
    "set_autocast_cpu_enabled",
    "set_autocast_dtype",
    "set_autocast_enabled",
]

FLOAT32 = np.dtype(np.float32)
# PyTorch's lists for the CPU: functions by their public names, and the operators that several functions share.
LOWER = """
    addbmm addmm affine_grid baddbmm bmm broadcast chain_matmul convolution convolution_transpose folded linear mm
    mm_turned multi_dot prelu scaled_dot_product_attention vecdot
"""
HIGHER = """
    adaptive_avg_pool3d adaptive_max_pool3d avg_pool3d binary_cross_entropy binary_cross_entropy_with_logits cdist
    cholesky cholesky_ex cholesky_inverse cholesky_solve cond cosine_embedding_loss cross_entropy ctc_loss eig eigh
    eigvals eigvalsh fft fft2 fftn fft_c2c fft_c2r fft_r2c fractional_max_pool2d fractional_max_pool3d geqrf grid_sample
    grid_sampler grid_sampler_2d grid_sampler_3d hfft hinge_embedding_loss householder_product huber_loss ifft ifft2
    ifftn ihfft inv inv_ex inverse irfft irfft2 irfftn kl_div l1_loss lstsq lu_solve margin_ranking_loss matrix_rank
    max_pool3d max_unpool1d max_unpool2d max_unpool3d mse_loss multi_margin_loss multilabel_margin_loss nanquantile nll
    nll_loss nll_mean nll_sum orgqr ormqr pinverse poisson_nll_loss polar prod prod_dim qr quantile quantile_places
    reflect1d_pad reflect2d_pad replicate1d_pad replicate2d_pad replicate3d_pad rfft rfft2 rfftn smooth_l1_loss
    soft_margin_loss solve stft svd svdvals tensorinv tensorsolve trace triangular_solve triplet_margin_loss
    view_as_complex
"""
WIDEST = "bilinear cat index_copy pile"
OF_MATMUL = "dot mv"  # as parts of `matmul`: the functions of these names are on no list


class Autocast(Interpreter):
    """Casts arguments of operators to `dtype`, while `casts` is True. `caches` is only reported."""

    def __init__(self, dtype: dtypes.dtype, enabled: bool, caches: bool = True):
        self.dtype, self.casts, self.caches = dtype, enabled, caches

    def is_listed(self, name: str) -> bool:
        """Whether this is the innermost autocast block and enabled, and the name is on a list."""
        return self.casts and name in LISTED and state("cpu") is self

    def concerns(self, op: Any, args: Sequence[Any]) -> bool:
        """Whether it casts the arguments of an operator."""
        return self.is_listed(op.name)

    def call(self, op: Any, args: tuple[Any, ...], below: Callable[..., Any]) -> Any:
        """The result of the operator on arguments cast to its dtype."""
        target = LISTED[op.name](self.dtype._numpy, args)
        return below(op, args if target is None else tuple([cast(arg, target) for arg in args]))

    def asked(self, function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> tuple[Any] | None:
        """The result of a listed function, in a tuple: its arguments are cast, and nothing else inside of it."""
        if not self.is_listed(function.__name__):
            return None
        target = LISTED[function.__name__](self.dtype._numpy, args)
        if target is None:
            return None
        with autocast("cpu", self.dtype, enabled=False):
            return (function(*cast(args, target), **{name: cast(value, target) for name, value in kwargs.items()}),)


# The state outside of all blocks, by device type; for types other than the CPU settings are only stored.
OUTSIDE: dict[str, Autocast] = {"cpu": Autocast(dtypes.bfloat16, False)}
increments: list[int] = [0]  # what `autocast_increment_nesting` has added to the number of active blocks


def casting_on(device_type: str, dtype: dtypes.dtype, enabled: bool, caches: bool) -> Autocast | None:
    """The interpreter of a block; None for other devices than the CPU, where there is nothing to cast."""
    return Autocast(dtype, enabled, caches) if device_type == "cpu" else None


def is_eligible(value: Any) -> bool:
    """Whether a value is a tensor that may be cast: of a real floating-point dtype other than float64."""
    return isinstance(value, TensorBase) and (value._array.dtype == FLOAT32 or is_half(value._array.dtype))


def widest(dtype: np.dtype, args: Any) -> np.dtype:
    """The widest dtype among the arguments, and in lists of them."""
    flat = [item for arg in args for item in (arg if isinstance(arg, (tuple, list)) else (arg,))]
    return FLOAT32 if any(is_eligible(t) and t._array.dtype == FLOAT32 for t in flat) else dtype


def contracted(dtype: np.dtype, args: Any) -> np.dtype | None:
    """The dtype for `einsum` (or its operator) if it sums over an index of several operands, which takes a product."""
    if isinstance(args[0], (tuple, list)):
        _, subscripts, output = args
    else:
        equation, operands = equations.arguments(args)
        subscripts, output = equations.parse(equation, tuple([x.shape for x in operands]))
    summed = set("".join(subscripts)).difference(output)
    return dtype if any(sum(index in own for own in subscripts) > 1 for index in summed) else None


def several(dtype: np.dtype, args: Any) -> np.dtype | None:
    """The dtype for the operator of `tensordot`, unless the result is a single number."""
    if len(args) != 4:
        return None  # the function, which calls the operator
    sizes = [n for x, dims in (args[::2], args[1::2]) for i, n in enumerate(x.shape) if i not in dims]
    return None if math.prod(sizes) == 1 else dtype


LISTED: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(LOWER.split(), lambda dtype, args: dtype),
    **dict.fromkeys(HIGHER.split(), lambda dtype, args: FLOAT32),
    **dict.fromkeys(WIDEST.split(), widest),
    **dict.fromkeys(OF_MATMUL.split(), lambda dtype, args: dtype if is_within_matmul() else None),
    "einsum": contracted,
    "tensordot": several,
}


def cast(value: Any, dtype: np.dtype) -> Any:
    """An argument cast to a dtype if it may be cast; also each tensor of a list."""
    if isinstance(value, (tuple, list)):
        return type(value)([cast(item, dtype) for item in value])
    return convert(value, dtype) if is_eligible(value) else value


def state(device_type: str) -> Autocast:
    """The present state for a device type: that of the innermost active `autocast` block, if there is one."""
    kind = device(device_type).type
    if kind != "cpu":
        return OUTSIDE.setdefault(kind, Autocast(dtypes.float16, False))
    entered = (found for found in reversed(STACK.interpreters) if isinstance(found, Autocast))
    return next(entered, OUTSIDE["cpu"])


class autocast(Within, ContextDecorator):
    """A context or decorator in which products and convolutions compute in bfloat16 (or float16) on the CPU.

    Losses and other operations that need precision compute in float32; operations that join tensors, in the widest of
    their dtypes. The lists are PyTorch's for the CPU. Without `dtype` it is that of the enclosing block, or bfloat16.
    `cache_enabled` has no effect on results. For "cuda", and for a `dtype` of full precision, a warning says that
    autocast is disabled, as in PyTorch without CUDA.

    >>> import rushlight as torch
    >>> x = torch.ones(2, 2)
    >>> with torch.autocast("cpu", dtype=torch.float16):
    ...     (x @ x).dtype, (x + x).dtype
    (torch.float16, torch.float32)
    """

    device: str

    def __init__(
        self,
        device_type: str,
        dtype: dtypes.dtype | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ):
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        if enabled and device_type != "cpu":
            warn("CUDA is not available or torch_xla is imported. Disabling autocast.")
            enabled = False
        if enabled and dtype not in (dtypes.bfloat16, dtypes.float16):
            warn(
                f"In CPU autocast, but the target dtype {dtype} is not supported. Disabling autocast.\n"
                "CPU Autocast only supports dtype of torch.bfloat16, torch.float16 currently.",
            )
            enabled = False
        caches = is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        self.device, self.fast_dtype, self._enabled, self._cache_enabled = device_type, dtype, enabled, caches
        super().__init__(functools.partial(casting_on, device_type, dtype, enabled, caches))

    @property
    def answer(self) -> "autocast":
        """What `with` gives."""
        return self


def cast_again() -> Again:
    """Makes contexts that cast as `autocast` does now, for recomputation in backward."""
    first = state("cpu")
    return lambda: nullcontext() if state("cpu") is first else autocast("cpu", first.dtype, first.casts, first.caches)


AROUND.append(cast_again)


def is_autocast_available(device_type: str) -> bool:
    """Whether `autocast` is available for a device type: only for the CPU.

    >>> import rushlight as torch
    >>> torch.amp.is_autocast_available("cpu")
    True
    """
    return device_type == "cpu"


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether an enabled `autocast` block for a device type is active.

    >>> import rushlight as torch
    >>> with torch.autocast("cpu"):
    ...     torch.is_autocast_enabled("cpu")
    True
    """
    return state(device_type).casts


def is_autocast_cpu_enabled() -> bool:
    """Whether an enabled `autocast("cpu")` block is active.

    >>> import rushlight as torch
    >>> with torch.autocast("cpu"):
    ...     torch.is_autocast_cpu_enabled()
    True
    """
    return is_autocast_enabled("cpu")


def get_autocast_dtype(device_type: str) -> dtypes.dtype:
    """The dtype that products compute in inside the innermost `autocast` block; outside, the default for it.

    >>> import rushlight as torch
    >>> torch.get_autocast_dtype("cpu")
    torch.bfloat16
    """
    return state(device_type).dtype


def get_autocast_cpu_dtype() -> dtypes.dtype:
    """`get_autocast_dtype("cpu")`.

    >>> import rushlight as torch
    >>> torch.get_autocast_cpu_dtype()
    torch.bfloat16
    """
    return get_autocast_dtype("cpu")


def set_autocast_cpu_dtype(dtype: dtypes.dtype) -> None:
    """`set_autocast_dtype("cpu", dtype)`.

    >>> import rushlight as torch
    >>> torch.set_autocast_cpu_dtype(torch.float16)
    >>> torch.get_autocast_cpu_dtype()
    torch.float16
    >>> torch.set_autocast_cpu_dtype(torch.bfloat16)
    """
    set_autocast_dtype("cpu", dtype)


def set_autocast_dtype(device_type: str, dtype: dtypes.dtype) -> None:
    """Sets the dtype of `autocast` until the end of the innermost block; outside of blocks, the default dtype.

    >>> import rushlight as torch
    >>> with torch.autocast("cpu"):
    ...     torch.set_autocast_dtype("cpu", torch.float16)
    ...     (torch.ones(2, 2) @ torch.ones(2, 2)).dtype
    torch.float16
    """
    if not isinstance(dtype, dtypes.dtype):
        raise TypeError(
            f"set_autocast_dtype(): argument 'dtype' (position 2) must be torch.dtype, not {type(dtype).__name__}"
        )
    state(device_type).dtype = dtype


def set_autocast_enabled(device_type: Any, enabled: bool | None = None) -> None:
    """Enables or disables `autocast` for a device type: until the end of the innermost block, outside of all for good.

    `set_autocast_enabled(enabled)` is for "cuda", where nothing is computed.

    >>> import rushlight as torch
    >>> torch.set_autocast_enabled("cpu", True)
    >>> (torch.ones(2, 2) @ torch.ones(2, 2)).dtype
    torch.bfloat16
    >>> torch.set_autocast_enabled("cpu", False)
    """
    if enabled is None:
        device_type, enabled = "cuda", device_type
    if not isinstance(enabled, bool):
        raise TypeError(
            f"set_autocast_enabled(): argument 'enabled' (position 2) must be bool, not {type(enabled).__name__}"
        )
    found = state(device_type)
    found.casts = enabled
    if found is OUTSIDE["cpu"]:
        if found in STACK.interpreters:
            STACK.leave(found)
        if enabled:
            STACK.enter(found, lowest=True)


def set_autocast_cpu_enabled(enabled: bool) -> None:
    """`set_autocast_enabled("cpu", enabled)`.

    >>> import rushlight as torch
    >>> torch.set_autocast_cpu_enabled(False)
    >>> torch.is_autocast_cpu_enabled()
    False
    """
    set_autocast_enabled("cpu", enabled)


def is_autocast_cache_enabled() -> bool:
    """Whether PyTorch would cache casts. rushlight never caches them.

    >>> import rushlight as torch
    >>> with torch.autocast("cpu", cache_enabled=False):
    ...     torch.is_autocast_cache_enabled()
    False
    """
    return state("cpu").caches


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Sets the result of `is_autocast_cache_enabled`, until the end of the innermost block.

    >>> import rushlight as torch
    >>> torch.set_autocast_cache_enabled(True)
    """
    state("cpu").caches = enabled


def clear_autocast_cache() -> None:
    """Does nothing: casts are not cached.

    >>> import rushlight as torch
    >>> torch.clear_autocast_cache()
    """


def autocast_increment_nesting() -> int:
    """Counts one more `autocast` block as entered, and returns their number; for programs without `with`.

    >>> import rushlight as torch
    >>> torch.autocast_increment_nesting(), torch.autocast_decrement_nesting()
    (1, 0)
    """
    increments[0] += 1
    return nesting()


def autocast_decrement_nesting() -> int:
    """Counts one block less: see `autocast_increment_nesting`.

    >>> import rushlight as torch
    >>> with torch.autocast("cpu"):
    ...     torch.autocast_increment_nesting(), torch.autocast_decrement_nesting()
    (2, 1)
    """
    increments[0] -= 1
    return nesting()


def nesting() -> int:
    """How many blocks are active."""
    return increments[0] + sum(isinstance(found, Autocast) for found in STACK.interpreters)


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: dtypes.dtype | None = None) -> Any:
    """Decorates the `forward` of a custom function for use inside `autocast`.

    With `cast_inputs` it gets its tensors in that dtype, and runs with `autocast` disabled; without, `backward` runs in
    the autocast mode that `forward` had.

    >>> import rushlight as torch
    >>> class Product(torch.autograd.Function):
    ...     @staticmethod
    ...     @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    ...     def forward(ctx, a, b):
    ...         ctx.save_for_backward(a, b)
    ...         return a @ b
    ...
    ...     @staticmethod
    ...     @torch.amp.custom_bwd(device_type="cpu")
    ...     def backward(ctx, grad):
    ...         a, b = ctx.saved_tensors
    ...         return grad @ b.T, a.T @ grad
    >>> with torch.autocast("cpu"):
    ...     Product.apply(torch.ones(1, 1), torch.ones(1, 1)).dtype
    torch.float32
    """
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        ctx._mode = get_autocast_dtype(device_type) if is_autocast_enabled(device_type) else None
        if cast_inputs is None or ctx._mode is None:
            return fwd(ctx, *args, **kwargs)
        ctx._mode = None
        with autocast(device_type, enabled=False):
            return fwd(ctx, *[cast(arg, cast_inputs._numpy) for arg in args], **kwargs)

    return forward


def custom_bwd(bwd: Any = None, *, device_type: str) -> Any:
    """Decorates the `backward` of a custom function whose `forward` has `custom_fwd`: it runs in the same mode.

    >>> import rushlight as torch
    >>> class Double(torch.autograd.Function):
    ...     @staticmethod
    ...     @torch.amp.custom_fwd(device_type="cpu")
    ...     def forward(ctx, x):
    ...         return 2 * x
    ...
    ...     @staticmethod
    ...     @torch.amp.custom_bwd(device_type="cpu")
    ...     def backward(ctx, grad):  # with autocast as it was in the forward pass
    ...         return 2 * grad
    >>> x = torch.ones(1, requires_grad=True)
    >>> Double.apply(x).backward()
    >>> x.grad
    tensor([2.])
    """
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def backward(ctx: Any, *grads: Any) -> Any:
        with autocast(device_type, dtype=ctx._mode, enabled=ctx._mode is not None):
            return bwd(ctx, *grads)

    return backward
