"""Random tensors: the same numbers as PyTorch's after the same seed, drawn by `rushlight.random`."""

from collections.abc import Callable, Sequence
from typing import Any, Unpack

import numpy as np

from rushlight import dtypes
from rushlight.core.aliases import Array
from rushlight.core.batched import ENTERED
from rushlight.core.batching import on_more_levels
from rushlight.core.formulas import Formula, evaluate
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.interpreters import noted
from rushlight.core.kinds import kind_of
from rushlight.core.lines import warn
from rushlight.core.meta import without_data
from rushlight.core.operators import Operator
from rushlight.devices import CPU, META, device_of, get_default_device
from rushlight.dtypes import dtype as DType
from rushlight.kernels.steps import zeros_like
from rushlight.ops.arguments.mismatch import type_name
from rushlight.ops.arguments.options import LikeOptions, OutOptions, created, like_options, made, numpy_type, sizes
from rushlight.ops.arguments.promotion import missing
from rushlight.ops.making.creation import blank_like, type_of_out
from rushlight.ops.out import RESIZED, write_made
from rushlight.ops.shapes.broadcasting import common_shape
from rushlight.ops.table import method, no_derivative, operator, refuse
from rushlight.random import Generator, default_generator, distributions, integers
from rushlight.random.examples import for_examples
from rushlight.random.multinomial import multinomial as draw_categories
from rushlight.random.placement import drawn_into
from rushlight.random.poisson import poisson as draw_poisson
from rushlight.refusals.numbers import as_numbers
from rushlight.tensors import Tensor

__all__ = [
    "bernoulli",
    "multinomial",
    "normal",
    "poisson",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
]


def rand(
    *shape: int | Sequence[int],
    size: Any = None,
    generator: Generator | None = None,
    dtype: DType | None = None,
    **options: Unpack[OutOptions],
) -> Tensor:
    """Uniform random numbers on [0, 1). The sizes are given as numbers or as one sequence.

    The functions of this file use `generator`, or the default generator, which `manual_seed` seeds.

    >>> import rushlight as torch
    >>> torch.manual_seed(0).initial_seed()
    0
    >>> torch.rand(3)
    tensor([0.4963, 0.7682, 0.0885])
    """
    d = numpy_type("rand", dtype, type_of_out(options))
    return drawn("rand", sizes("rand", shape, size), d, options, dtype, distributions.uniform, generator)


def randn(
    *shape: int | Sequence[int],
    size: Any = None,
    generator: Generator | None = None,
    dtype: DType | None = None,
    **options: Unpack[OutOptions],
) -> Tensor:
    """Normal random numbers with mean 0 and variance 1. The sizes are given as numbers or as one sequence.

    >>> import rushlight as torch
    >>> torch.manual_seed(0).initial_seed()
    0
    >>> torch.randn(3)
    tensor([ 1.5410, -0.2934, -2.1788])
    """
    d = numpy_type("randn", dtype, type_of_out(options))
    return drawn("randn", sizes("randn", shape, size), d, options, dtype, distributions.normal, generator)


def randint(
    *bounds: Any,
    low: int = 0,
    high: int | None = None,
    size: Any = None,
    generator: Generator | None = None,
    dtype: DType | None = None,
    **options: Unpack[OutOptions],
) -> Tensor:
    """Random integers from `low` (0) to `high - 1`, int64 by default: `randint([low, ]high, size)`.

    RuntimeError for an empty interval and for one that the dtype cannot represent.

    >>> import rushlight as torch
    >>> torch.manual_seed(0).initial_seed()
    0
    >>> torch.randint(10, (5,))
    tensor([4, 9, 3, 0, 3])
    """
    for bound in bounds:
        if isinstance(bound, TensorBase):
            bounds, _ = as_numbers(".randint", bounds, {} if size is None else {"size": size})
            break
    given = list(bounds)
    if size is None and given and not hasattr(given[-1], "__index__"):
        size = given.pop()
    if high is None and given:
        high = given.pop()
    if given:
        low = given.pop()
    if given or high is None or not isinstance(size, (tuple, list)):
        raise TypeError(
            "randint() received an invalid combination of arguments: expected (int high, tuple of ints "
            "size) or (int low, int high, tuple of ints size)"
        )
    d = numpy_type("randint", dtype, type_of_out(options) or dtypes.int64._numpy)
    ends = interval("randint", low, high)
    return drawn("randint", sizes("randint", (size,)), d, options, dtype, integers.randint, generator, *ends)


def randperm(
    n: int, *, generator: Generator | None = None, dtype: DType | None = None, **options: Unpack[OutOptions]
) -> Tensor:
    """A random permutation of the integers from 0 to n - 1.

    >>> import rushlight as torch
    >>> torch.manual_seed(0).initial_seed()
    0
    >>> torch.randperm(6)
    tensor([2, 5, 3, 0, 1, 4])
    """
    if not hasattr(n, "__index__"):
        raise TypeError(f"randperm(): argument 'n' (position 1) must be int, not {type(n).__name__}")
    d = numpy_type("randperm", dtype, type_of_out(options) or np.dtype(np.int64))
    draw = lambda shape, d: integers.randperm(source(generator), *shape, d)
    return made("randperm", draw, (int(n),), d, options, dtype)


def drawn(
    name: str,
    shape: tuple[int, ...],
    kind: np.dtype,
    options: Any,
    dtype: Any,
    draw: Callable[..., Any],
    generator: Any,
    *parameters: Any,
) -> Tensor:
    """A tensor of the numbers that `draw` returns for a shape and NumPy's dtype."""
    if not options and get_default_device() is CPU:
        return new_tensor(draw(source(generator), shape, kind, *parameters))
    return created(name, tensor_drawn(shape, kind, options, draw, generator, *parameters), options, dtype)


def tensor_drawn(
    shape: Sequence[int], dtype: np.dtype, options: Any, draw: Callable[..., Any], generator: Any, *parameters: Any
) -> Array:
    """The numbers that `draw` returns, in a new tensor, or in `out=` in the order of its memory, as in PyTorch."""
    if device_of(options.get("device")) is META:
        return without_data(shape, dtype)
    return drawn_for(memory_of(options.get("out")), shape, dtype, draw, source(generator), *parameters)


def drawn_for(
    out: Any, shape: Sequence[int], dtype: np.dtype, draw: Callable[..., Any], generator: Generator, *parameters: Array
) -> Array:
    """The numbers that `draw` returns, drawn into the memory of the array `out` if it has this shape and dtype."""
    if out is not None and out.shape == shape and out.dtype == dtype:
        return drawn_into(out, draw, generator, *parameters)
    return draw(generator, shape, dtype, *parameters)


def memory_of(out: Any) -> Any:
    """The array of the tensor given as `out=`; None without one."""
    return out._settled() if isinstance(out, TensorBase) else None


def rand_like(
    input: Tensor, *, generator: Generator | None = None, dtype: DType | None = None, **options: Unpack[LikeOptions]
) -> Tensor:
    """Uniform random numbers on [0, 1), with the shape and dtype of another tensor.

    >>> import rushlight as torch
    >>> torch.rand_like(torch.zeros(2, 3)).shape
    torch.Size([2, 3])
    """
    return like("rand_like", input, dtype, options, distributions.uniform, generator)


def randn_like(
    input: Tensor, *, generator: Generator | None = None, dtype: DType | None = None, **options: Unpack[LikeOptions]
) -> Tensor:
    """Normal random numbers with mean 0 and variance 1, with the shape and dtype of another tensor.

    >>> import rushlight as torch
    >>> torch.randn_like(torch.zeros(2, 3)).shape
    torch.Size([2, 3])
    """
    return like("randn_like", input, dtype, options, distributions.normal, generator)


def randint_like(
    input: Tensor,
    low: int = 0,
    high: int | None = None,
    *,
    generator: Generator | None = None,
    dtype: DType | None = None,
    **options: Unpack[LikeOptions],
) -> Tensor:
    """Random integers with the shape and dtype of another tensor: `randint_like(input, high)` or `(input, low, high)`.

    >>> import rushlight as torch
    >>> torch.randint_like(torch.zeros(2), 5, 6)
    tensor([5., 5.])
    """
    if any(isinstance(bound, TensorBase) and bound._array.ndim for bound in (low, high)):
        raise RuntimeError("high must be a scalar tensor and on CPU")
    ends = interval("randint_like", *((0, low) if high is None else (low, high)))
    return like("randint_like", input, dtype, options, integers.randint, generator, *ends)


def fill_with(array: Array, values: Array) -> None:
    """Overwrites an array with values."""
    array[...] = values


fill_in: Callable[..., Any] = noted(fill_with, changes=(0,))


def like(name: str, input: Tensor, dtype: Any, options: Any, draw: Any, generator: Any, *parameters: Any) -> Tensor:
    """Random numbers with the shape, dtype and memory format of another tensor."""
    if not isinstance(input, TensorBase):
        return refuse(name, "input", 1, input)
    array = input._settled()
    like_options(input, options)
    if META in (input.device, device_of(options.get("device"))):
        return created(
            name,
            tensor_drawn(array.shape, numpy_type(name, dtype, array.dtype), options, draw, generator, *parameters),
            options,
        )
    if ENTERED.get():
        d = numpy_type(name, dtype, array.dtype)
        return created(name, draw(source(generator), array.shape, d, *parameters), options)
    out = blank_like(array, numpy_type(name, dtype, array.dtype), options.pop("memory_format", None))
    fill_in(out, drawn_into(out, draw, source(generator), *parameters))
    return created(name, out, options)


def normal(
    mean: Tensor | float = 0.0,
    std: Tensor | float = 1.0,
    size: Sequence[int] | None = None,
    *,
    generator: Generator | None = None,
    dtype: DType | None = None,
    **options: Unpack[OutOptions],
) -> Tensor:
    """Normal random numbers: one for each element of `mean` and `std`, or `size` numbers if these are floats.

    As in PyTorch, the gradients with respect to tensors `mean` and `std` are zero. RuntimeError for a negative `std`.

    >>> import rushlight as torch
    >>> torch.normal(torch.tensor([1.0, 2.0]), 0.0), torch.normal(5.0, 0.0, (2,))
    (tensor([1., 2.]), tensor([5., 5.]))
    """
    chosen = source(generator)
    if isinstance(std, TensorBase) and std.is_complex():
        raise RuntimeError("normal expects standard deviation to be non-complex")
    tensors = isinstance(mean, TensorBase), isinstance(std, TensorBase)
    if isinstance(size, (tuple, list)) and not isinstance(mean, TensorBase) and not isinstance(std, TensorBase):
        d = numpy_type("normal", dtype, type_of_out(options))
        return drawn("normal", sizes("normal", (size,)), d, options, dtype, distributions.normal, chosen, mean, std)
    if size is not None or not any(tensors):
        raise TypeError(
            "normal() received an invalid combination of arguments: expected tensors for mean or std, or "
            "numbers and a size"
        )
    out = options.pop("out", None)
    if isinstance(out, Tensor) and isinstance(mean, Tensor) and not tensors[1] and out.shape != mean.shape:
        return out.normal_(0.0, std, generator=generator).add_(mean)  # type: ignore[arg-type]
    result = NORMAL[tensors](mean, std, chosen, memory_of(out))
    if out is not None and out.numel() and out.shape != result.shape:
        warn(RESIZED.format(list(out.shape), list(result.shape)))
    return result if out is None else write_made("normal", out, result._array)


def normal_numbers(mean: Array, std: Array, generator: Generator, out: Any) -> Array:
    """Normal random numbers with the given means and standard deviations, either of which may be a number."""
    return shifted_normal(generator, common_shape(*[getattr(x, "shape", ()) for x in (mean, std)]), mean, std, out)


MOVED = Formula(lambda numbers, mean: numbers + mean, 2)
SHIFTED = Formula(lambda numbers, std, mean: numbers * std + mean, 3)


@for_examples
def shifted_normal(generator: Generator, shape: Sequence[int], mean: Any, std: Any, out: Any) -> Array:
    """Normal random numbers with these means and standard deviations, in the dtype of `out`, else of an array."""
    if isinstance(std, np.ndarray) and not (std >= 0).all():
        raise RuntimeError("normal expects all elements of std >= 0.0")
    dtype = (mean if isinstance(mean, np.ndarray) else std).dtype if out is None else out.dtype
    if kind_of(dtype) not in "fc":
        raise missing("normal_kernel_cpu", dtype)
    if not isinstance(std, np.ndarray):
        numbers = drawn_for(out, mean.shape, dtype, distributions.normal, generator, 0, std)
        return evaluate(MOVED, numbers, mean, None, None)
    shape = common_shape(np.shape(mean), std.shape)
    return evaluate(SHIFTED, drawn_for(out, shape, dtype, distributions.normal, generator), std, mean, None)


nothing: Callable[..., Any] = lambda grad: zeros_like(grad)
enter_normal: Callable[..., Operator] = lambda name, node, **formulas: operator(
    name=name, node=node, aten="normal", broadcasts=True, batch=on_more_levels, **formulas
)(normal_numbers)
NORMAL = {
    (True, False): enter_normal("normal_mean", "NormalBackward1", mean=nothing),
    (False, True): enter_normal("normal_std", "NormalBackward2", std=nothing),
    (True, True): enter_normal("normal", "NormalBackward3", mean=nothing, std=nothing),
}


def of_probabilities(grad: Array, p: float | None) -> Any:
    """The gradient of `bernoulli`: zeros, and with a number as the probability RuntimeError, as in PyTorch."""
    return nothing(grad) if p is None else no_derivative("bernoulli")(grad)


@operator(name="bernoulli", batch=on_more_levels, input=of_probabilities)
def _bernoulli(input: Array, p: Any, generator: Generator | None, out: Any) -> Array:
    return flips(generator, input.shape, input, p, out)


@for_examples
def flips(generator: Generator, shape: Sequence[int], input: Array, p: Any, out: Any) -> Array:
    """Ones with the probabilities in an array, or with one probability; zeros otherwise."""
    return drawn_for(out, shape, input.dtype, distributions.bernoulli, generator, input if p is None else p)


@method
def bernoulli(
    input: Tensor, p: float | None = None, *, generator: Generator | None = None, out: Tensor | None = None
) -> Tensor:
    """Ones with the probabilities in `input`, or with probability `p`; zeros otherwise.

    RuntimeError for probabilities outside [0, 1].

    >>> import rushlight as torch
    >>> torch.bernoulli(torch.tensor([0.0, 1.0]))
    tensor([0., 1.])
    """
    result = _bernoulli(input, p, source(generator), memory_of(out))
    if out is None:
        return result
    if out._array.dtype.kind == "c":
        raise NotImplementedError(f"\"bernoulli_tensor_cpu_self_\" not implemented for '{type_name(out._array)}'")
    return write_made("bernoulli", out, result._array.astype(out._array.dtype))


@operator(name="poisson", batch=on_more_levels, input=nothing)
def _poisson(input: Array, generator: Generator | None) -> Array:
    return counts(generator, input.shape, input)


counts: Callable[..., Any] = for_examples(lambda generator, shape, rates: draw_poisson(generator, rates))


def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Random numbers from Poisson distributions with the rates in `input`.

    >>> import rushlight as torch
    >>> torch.poisson(torch.zeros(2))
    tensor([0., 0.])
    """
    return _poisson(input, source(generator))


@method
def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Indices drawn from each row of weights, with probabilities proportional to the weights.

    RuntimeError for invalid weights, or for too few nonzero ones without replacement.

    >>> import rushlight as torch
    >>> torch.multinomial(torch.tensor([0.0, 1.0, 0.0]), 3, replacement=True)
    tensor([1, 1, 1])
    """
    if input.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if out is not None and out._array.dtype != np.int64:
        raise RuntimeError(f"multinomial expects Long tensor out, got: {dtypes.TYPE_NAMES[out.dtype]}")
    input._settled()
    result = _multinomial(input, num_samples, replacement, source(generator))
    return result if out is None else write_made("multinomial", out, result._array)


@operator(batch=on_more_levels)
def _multinomial(input: Array, num_samples: int, replacement: bool, generator: Generator | None) -> Array:
    return categories(generator, input.shape, input, num_samples, replacement)


@for_examples
def categories(
    generator: Generator, shape: Sequence[int], weights: Array, num_samples: int, replacement: bool
) -> Array:
    """Indices drawn from each row of a batch of weights."""
    rows = weights if weights.ndim < 3 else weights.reshape(-1, weights.shape[-1])
    return draw_categories(generator, rows, num_samples, replacement).reshape(*weights.shape[:-1], num_samples)


def source(generator: Generator | None) -> Generator:
    """The generator to use, the default one if None is given. TypeError for an object that is not a generator."""
    if generator is None:
        return default_generator
    if not isinstance(generator, Generator):
        raise TypeError(f"argument 'generator' must be torch.Generator, not {type(generator).__name__}")
    return generator


def interval(name: str, low: int, high: int) -> tuple[int, int]:
    """The bounds of an integer interval. TypeError for bounds that are not integers."""
    if type(low) is int and type(high) is int:
        return low, high
    for side, bound in (("low", low), ("high", high)):
        if not hasattr(bound, "__index__"):
            raise TypeError(f"{name}(): argument '{side}' must be int, not {type(bound).__name__}")
    return int(low), int(high)
