"""NumPy's elementwise functions that are not the ufunc of an operator; those are registered with the operator."""

from collections.abc import Callable
from typing import Any

import numpy as np

import rushlight as torch
from rushlight.core.aliases import Array
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.kinds import kind_of
from rushlight.numpy_functions.entering import as_dtype, as_tensor, as_tensors, floating, numpy
from rushlight.ops.elementwise import complexes, powers, rounding
from rushlight.ops.products import products
from rushlight.ops.protocol import FUNCTIONS, UFUNCS, as_operand
from rushlight.ops.table import operator
from rushlight.tensors import Tensor


def alike(x: Any, y: Any) -> Any:
    """Two operands as tensors of one dtype; unchanged if they have it already."""
    same = isinstance(x, TensorBase) and isinstance(y, TensorBase) and x._array.dtype is y._array.dtype
    return (x, y) if same else as_tensors((x, y))


@operator(input=lambda grad: np.zeros_like(grad), node="SgnBackward0", broadcasts=True)
def _sign(input: Array) -> Array:
    """NumPy's sign of real numbers, which is NaN for NaN; PyTorch's is 0."""
    return np.sign(input)


def heaviside(x: Any, y: Any) -> Tensor:
    """NumPy's step function, which is NaN for NaN; PyTorch's is 0."""
    x, y = alike(x, y)
    return torch.where(torch.isnan(x), x, torch.heaviside(x, y))


UFUNCS.update(
    {
        np.power: powers.pow,
        np.reciprocal: torch.reciprocal,
        np.exp2: torch.exp2,
        np.positive: torch.positive,
        np.invert: torch.bitwise_not,
        np.bitwise_and: torch.bitwise_and,
        np.bitwise_or: torch.bitwise_or,
        np.bitwise_xor: torch.bitwise_xor,
        np.left_shift: torch.bitwise_left_shift,
        np.right_shift: torch.bitwise_right_shift,
        np.matmul: lambda x, y: products.matmul(*alike(x, y)),
        np.floor_divide: lambda x, y: torch.floor_divide(as_operand(x), as_operand(y)),
        np.remainder: lambda x, y: torch.remainder(as_operand(x), as_operand(y)),
        np.rint: lambda x: rounding._round(x, 0),
        np.sign: lambda x: _sign(x) if kind_of(x._array.dtype) == "f" else torch.sgn(x),
        np.degrees: torch.rad2deg,
        np.rad2deg: torch.rad2deg,
        np.radians: torch.deg2rad,
        np.deg2rad: torch.deg2rad,
        np.fabs: torch.abs,
        np.cbrt: lambda x: torch.sgn(x) * torch.abs(x) ** (1 / 3),
        np.signbit: torch.signbit,
        np.frexp: torch.frexp,
        np.modf: lambda x: (x - torch.trunc(x), torch.trunc(x)),
        np.vecdot: lambda x, y: torch.linalg.vecdot(*alike(x, y)),
    }
)


UFUNCS[np.divmod] = lambda x, y: (UFUNCS[np.floor_divide](x, y), UFUNCS[np.remainder](x, y))
UFUNCS[np.float_power] = lambda x, y: torch.float_power(as_operand(x), as_operand(y))


def of_pair(ufunc: Any, function: Callable[..., Any]) -> None:
    """Registers a function of two tensors for a ufunc, whose operands may be numbers."""
    UFUNCS[ufunc] = lambda x, y: function(*alike(x, y))


of_pair(np.copysign, torch.copysign)
of_pair(np.gcd, torch.gcd)
of_pair(np.logaddexp, torch.logaddexp)
of_pair(np.lcm, torch.lcm)
of_pair(np.ldexp, torch.ldexp)
of_pair(np.logical_and, torch.logical_and)
of_pair(np.logical_or, torch.logical_or)
of_pair(np.logical_xor, torch.logical_xor)
UFUNCS[np.heaviside] = heaviside
UFUNCS[np.logical_not] = torch.logical_not
if hasattr(np, "matvec"):  # from NumPy 2.2 on
    of_pair(np.matvec, lambda a, x: torch.matmul(a, x[..., None])[..., 0])
    of_pair(np.vecmat, lambda x, a: torch.matmul(torch.conj_physical(x)[..., None, :], a)[..., 0, :])

SCIPY: dict[str, Callable[..., Any]] = {
    "erf": torch.erf,
    "erfc": torch.erfc,
    "erfinv": torch.erfinv,
    "expit": torch.sigmoid,
    "logit": torch.logit,
    "gammaln": torch.lgamma,
    "psi": torch.digamma,
    "i0": torch.i0,
    "xlogy": torch.xlogy,
    **{
        name: getattr(torch.special, name)
        for name in (
            "erfcx",
            "entr",
            "ndtr",
            "ndtri",
            "log_ndtr",
            "i0e",
            "i1",
            "i1e",
            "xlog1py",
            "zeta",
            "gammainc",
            "gammaincc",
        )
    },
}


def like_scipy(ufunc: Any) -> Callable[..., Any] | None:
    """The function for a ufunc of `scipy.special`, found by its name; None if there is none."""
    function = SCIPY.get(ufunc.__name__)
    return function if function is None or ufunc.nin == 1 else lambda x, y: function(*as_tensors((x, y)))


# functions that are not ufuncs


@numpy
def real(val: Tensor) -> Tensor:
    return complexes.real(val)


@numpy
def imag(val: Tensor) -> Tensor:
    return complexes.imag(val) if val.is_complex() else torch.zeros_like(val)


@numpy
def angle(z: Any, deg: bool = False) -> Any:
    z = torch.angle(as_tensor(z))
    return z * (180 / np.pi) if deg else z


@numpy
def sinc(x: Array) -> Any:
    return torch.sinc(as_tensor(x))


@numpy
def i0(x: Array) -> Any:
    return torch.i0(as_tensor(x))


@numpy
def round(a: Tensor, decimals: int = 0) -> Tensor:
    return rounding.round(a, decimals=decimals)


FUNCTIONS[np.around] = FUNCTIONS[np.round]


@numpy
def fix(x: Array) -> Any:
    return torch.trunc(x)


@numpy
def nan_to_num(x: Array, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    result = torch.nan_to_num(as_tensor(x), nan, posinf, neginf)
    return result if copy else x.copy_(result)


@numpy
def real_if_close(a: Array, tol: int = 100) -> Any:
    if not a.is_complex():
        return a
    limit = tol * torch.finfo(a.dtype).eps if tol > 1 else tol
    return a.real if bool(torch.all(torch.abs(a.imag) < limit)) else a


@numpy
def isclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    a, b = as_tensors((a, b))
    return torch.isclose(a, b, rtol, atol, equal_nan)


@numpy
def isreal(x: Array) -> Any:
    return x.imag == 0 if x.is_complex() else torch.ones(x.shape, dtype=torch.bool)


@numpy
def iscomplex(x: Array) -> Any:
    return x.imag != 0 if x.is_complex() else torch.zeros(x.shape, dtype=torch.bool)


@numpy
def isposinf(x: Array, out: Any = None) -> Any:
    return torch.isposinf(x)


@numpy
def isneginf(x: Array, out: Any = None) -> Any:
    return torch.isneginf(x)


def filled_like(like: Callable[..., Any]) -> Callable[..., Any]:
    """The implementation of `np.zeros_like` and similar functions: a constant tensor."""

    def implementation(
        a: Tensor, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, **options: Any
    ) -> Tensor:
        return new_tensor(like(a._array, dtype=torch.dtypes.as_numpy(as_dtype(dtype)), order=order, shape=shape))

    return implementation


for like in (np.zeros_like, np.ones_like, np.empty_like):
    FUNCTIONS[like] = filled_like(like)


@numpy
def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: Any = "K",
    subok: Any = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Any:
    a, fill = as_tensor(a), as_tensor(fill_value)
    shape = a.shape if shape is None else shape
    return torch.clone(torch.broadcast_to(fill.to(as_dtype(dtype) or a.dtype), shape))


# creation functions with a tensor as `like`: `np.eye(3, like=x)`


def made_like(name: str) -> None:
    """Registers a creation function for `like=`: it returns a constant tensor."""
    make = getattr(np, name)

    def implementation(*args: Any, dtype: Any = None, **options: Any) -> Tensor:
        options = options if dtype is None else {"dtype": torch.dtypes.as_numpy(as_dtype(dtype)), **options}
        return torch.as_tensor(make(*args, **options))

    FUNCTIONS[make] = implementation


for name in ("arange", "empty", "eye", "full", "identity", "ones", "tri", "zeros", "fromfunction"):
    made_like(name)


@numpy
def asarray(a: Array, dtype: Any = None, **options: Any) -> Any:
    return as_tensor(a).to(as_dtype(dtype))


for name in ("array", "asanyarray", "ascontiguousarray", "asfortranarray", "require"):
    FUNCTIONS[getattr(np, name)] = FUNCTIONS[np.asarray]


@numpy
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: Any = 0,
    *,
    device: Any = None,
) -> Any:
    start, stop = (floating(x) for x in torch.broadcast_tensors(*as_tensors((start, stop))))
    shares = torch.as_tensor(np.linspace(0, 1, num, endpoint), dtype=start.dtype).reshape(-1, *[1] * start.ndim)
    values = start + shares * (stop - start)
    if endpoint and num > 1:
        values = torch.cat([values[:-1], stop[None]])
    values = torch.movedim(values, 0, axis).to(as_dtype(dtype))
    return (values, (stop - start) / max(num - bool(endpoint), 1)) if retstep else values


@numpy
def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: float = 10.0, dtype: Any = None, axis: Any = 0
) -> Any:
    return (as_operand(base) ** linspace(start, stop, num, endpoint, axis=axis)).to(as_dtype(dtype))


@numpy
def geomspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: Any = 0) -> Any:
    start, stop = (floating(x) for x in as_tensors((start, stop)))
    signs = torch.sgn(start.detach())
    powers = linspace(torch.log(start * signs), torch.log(stop * signs), num, endpoint, axis=axis)
    return (torch.exp(powers) * (signs if not signs.ndim else torch.unsqueeze(signs, axis))).to(as_dtype(dtype))
