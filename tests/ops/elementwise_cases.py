"""The elementwise operators that the tests call: an expression each, evaluated with rushlight and with PyTorch."""

import math

import numpy as np

SPECIAL = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan]
REAL = [-2.3, -0.7, 0.4, 1.9, 3.6]
POSITIVE = [0.2, 0.7, 1.3, 2.9, 11.5]
UNIT = [-0.9, -0.35, 0.1, 0.45, 0.8]
FRACTION = [0.05, 0.3, 0.5, 0.62, 0.97]
ABOVE_ONE = [1.1, 1.5, 2.0, 3.7, 20.0]

UNARY = {  # name: (expression, points)
    **{
        name: (f"torch.{name}(x)", REAL)
        for name in (
            "abs",
            "cos",
            "cosh",
            "sin",
            "sinh",
            "tan",
            "tanh",
            "atan",
            "asinh",
            "exp",
            "exp2",
            "expm1",
            "square",
            "reciprocal",
            "deg2rad",
            "rad2deg",
            "sinc",
            "ceil",
            "floor",
            "round",
            "trunc",
            "frac",
            "sign",
            "sgn",
            "nan_to_num",
            "sigmoid",
            "relu",
            "erf",
            "erfc",
            "lgamma",
            "digamma",
            "i0",
            "angle",
            "neg",
            "positive",
        )
    },
    **{name: (f"torch.{name}(x)", POSITIVE) for name in ("log", "log1p", "log2", "log10", "sqrt", "rsqrt")},
    **{name: (f"torch.{name}(x)", UNIT) for name in ("acos", "asin", "atanh", "erfinv")},
    "acosh": ("torch.acosh(x)", ABOVE_ONE),
    "logit": ("torch.logit(x)", FRACTION),
    "logit_eps": ("torch.logit(x, eps=0.25)", FRACTION),
    "round_decimals": ("torch.round(x, decimals=1)", REAL),
    "clamp": ("torch.clamp(x, -1, 1.5)", REAL),
    "clamp_low": ("torch.clamp(x, min=0.5)", REAL),
    "clamp_min": ("torch.clamp_min(x, -0.5)", REAL),
    "clamp_max": ("torch.clamp_max(x, 0.5)", REAL),
    "pow_float": ("torch.float_power(x, 3)", REAL),
    "lerp_number": ("torch.lerp(x, x * x, 0.3)", REAL),
    "lerp_far": ("torch.lerp(x, x * x, 0.8)", REAL),
    "fmod_number": ("torch.fmod(x, 1.5)", REAL),
    "remainder_number": ("torch.remainder(x, 1.5)", REAL),
    "mod": ("x % -0.7", REAL),
    "copysign_number": ("torch.copysign(x, -2.0)", REAL),
    "xlogy_number": ("torch.xlogy(x, 2.0)", REAL),
    "number_xlogy": ("torch.xlogy(2.0, x)", POSITIVE),
    "xlog1py_number": ("torch.special.xlog1py(x, 2.0)", REAL),
    "number_xlog1py": ("torch.special.xlog1py(2.0, x)", POSITIVE),
    "polygamma0": ("torch.polygamma(0, x)", REAL),
    "polygamma1": ("torch.polygamma(1, x)", REAL),
    "polygamma3": ("torch.polygamma(3, x)", POSITIVE),
    "mvlgamma": ("torch.mvlgamma(x, 3)", ABOVE_ONE),
    **{name: (f"torch.special.{name}(x)", REAL) for name in ("erfcx", "i0e", "i1", "i1e", "ndtr", "log_ndtr", "expit")},
    "entr": ("torch.special.entr(x)", POSITIVE),
    "ndtri": ("torch.special.ndtri(x)", FRACTION),
    **{
        name: (f"F.{name}(x)", REAL)
        for name in (
            "relu6",
            "leaky_relu",
            "elu",
            "selu",
            "celu",
            "gelu",
            "silu",
            "mish",
            "softplus",
            "softsign",
            "softshrink",
            "hardshrink",
            "tanhshrink",
            "hardtanh",
            "hardsigmoid",
            "hardswish",
            "logsigmoid",
            "rrelu",
        )
    },
    "gelu_tanh": ("F.gelu(x, approximate='tanh')", REAL),
    "leaky_relu_steep": ("F.leaky_relu(x, 1.7)", REAL),
    "elu_alpha": ("F.elu(x, 0.6)", REAL),
    "celu_alpha": ("F.celu(x, 0.6)", REAL),
    "softplus_beta": ("F.softplus(x, beta=3.0, threshold=2.0)", REAL),
    "softshrink_wide": ("F.softshrink(x, 0.8)", REAL),
    "hardtanh_wide": ("F.hardtanh(x, -2.0, 1.5)", REAL),
    "threshold": ("F.threshold(x, 0.1, 7.0)", REAL),
    "prelu": ("F.prelu(x, torch.tensor([0.3], dtype=x.dtype))", REAL),
    "glu": ("F.glu(torch.stack([x, 2 * x]), 0)", REAL),
    "ldexp": ("torch.ldexp(x, torch.tensor([3]))", REAL),
    "frexp": ("torch.frexp(x)[0]", REAL),
    "where": ("torch.where(x > 0, x * x, 3.0)", REAL),
}
COMPLEX = (
    "abs",
    "cos",
    "cosh",
    "sin",
    "sinh",
    "tan",
    "tanh",
    "atan",
    "asinh",
    "exp",
    "exp2",
    "expm1",
    "square",
    "reciprocal",
    "sinc",
    "sgn",
    "sigmoid",
    "angle",
    "neg",
    "positive",
    "log",
    "log1p",
    "log2",
    "log10",
    "sqrt",
    "rsqrt",
    "acos",
    "asin",
    "atanh",
    "acosh",
    "lerp_number",
    "softsign",
    "tanhshrink",
)
COMPLEX_ONLY = {
    "real": "torch.real(x)",
    "imag": "torch.imag(x)",
    "conj": "torch.conj(x)",
    "conj_physical": "torch.conj_physical(x)",
    "view_as_real": "torch.view_as_real(x)",
    "through_pairs": "torch.view_as_complex(torch.view_as_real(x) * 2)",
}
COMPLEX_POINTS = [0.4 + 0.3j, -1.2 + 0.7j, 0.8 - 1.1j, -0.3 - 0.6j, 1.7 + 0j]

PAIRS = ([0.6, -1.2, 2.5, -0.4, 3.1], [1.7, 0.8, -0.9, -2.2, 0.5])
POSITIVE_PAIRS = ([0.6, 1.2, 2.5, 0.4, 3.1], [1.7, 0.8, 0.9, 2.2, 0.5])
SPECIAL_PAIRS = ([0.0, 1.0, 1.0, math.nan, 1.0, 0.0, -2.0, 5.0], [0.0, 1.0, 2.0, 1.0, math.nan, -1.0, 0.0, 3.0])
BINARY = {
    **{
        name: (f"torch.{name}(x, y)", PAIRS)
        for name in (
            "atan2",
            "hypot",
            "logaddexp",
            "logaddexp2",
            "maximum",
            "minimum",
            "fmax",
            "fmin",
            "fmod",
            "remainder",
            "copysign",
            "ldexp",
        )
    },
    "xlogy": ("torch.xlogy(x, y)", POSITIVE_PAIRS),
    "xlog1py": ("torch.special.xlog1py(x, y)", POSITIVE_PAIRS),
    "float_power": ("torch.float_power(x, y)", POSITIVE_PAIRS),
    "lerp": ("torch.lerp(x, x * y, y)", PAIRS),
    "addcmul": ("torch.addcmul(x, y, x, value=0.7)", PAIRS),
    "addcdiv": ("torch.addcdiv(x, x, y, value=0.7)", PAIRS),
    "where": ("torch.where(x > y, x * x, y)", PAIRS),
    "clamp_min": ("torch.clamp_min(x, y)", PAIRS),
    "clamp_max": ("torch.clamp_max(x, y)", PAIRS),
    "clamp": ("torch.clamp(x, y, 0.5 * y)", PAIRS),
    "clamp_low": ("torch.clamp(x, min=y)", PAIRS),
    "prelu": ("F.prelu(torch.stack([x, 2 * x]), y.abs())", PAIRS),
}


# What is compared at ordinary points only: (case, what). There PyTorch has NaN where the limit is finite, an
# approximation of a pole, or a constant in single precision.
ONLY_ORDINARY = {
    ("sinc", "second"),
    ("digamma", "grad"),
    ("digamma", "second"),
    ("lgamma", "second"),
    ("i1", "grad"),
    ("i1", "second"),
    ("i1e", "grad"),
    ("i1e", "second"),
    ("log_ndtr", "grad"),
    ("atan2", "second"),
    ("fmod", "second"),
    ("remainder", "second"),
    ("polygamma0", "grad"),
    ("polygamma0", "second"),
    ("polygamma1", "value"),
    ("polygamma1", "grad"),
    ("polygamma1", "second"),
    ("polygamma3", "value"),
    ("polygamma3", "grad"),
    ("polygamma3", "second"),
    ("hardsigmoid", "second"),
    ("prelu", "second"),
    ("copysign", "second"),
    ("copysign_number", "second"),
    ("float_power", "second"),
    *(
        (name, "grad")
        for name in (  # at NaN PyTorch's vectorised loop and the one for the rest differ
            "relu6",
            "hardtanh",
            "hardtanh_wide",
            "softshrink",
            "softshrink_wide",
            "hardshrink",
            "hardsigmoid",
        )
    ),
}
# Cases with single-precision constants or series in PyTorch, with the tolerance that they need.
TOLERANCES = {
    "hardsigmoid": 1e-7,
    "celu_alpha": 1e-7,
    "digamma": 1e-8,
    "polygamma0": 1e-8,
    "polygamma1": 1e-8,
    "lgamma": 1e-8,
    "mvlgamma": 1e-8,
}
# Nodes of functions that PyTorch composes of others, or that take a number before a tensor.
OTHER_NODES = {"ndtr", "number_xlogy", "number_xlog1py"}


def all_cases():
    """Every case: its label, name, expression and operands, as a list of numbers for each of x and y."""
    for name, (expression, points) in UNARY.items():
        yield f"{name}", name, expression, {"x": points}
        yield f"{name} special", name, expression, {"x": SPECIAL}
    for name in COMPLEX:
        yield f"{name} complex", name, UNARY[name][0], {"x": COMPLEX_POINTS}
    for name, expression in COMPLEX_ONLY.items():
        yield f"{name} complex", name, expression, {"x": COMPLEX_POINTS}
    for name, (expression, pair) in BINARY.items():
        yield f"{name} of two", name, expression, dict(zip("xy", pair, strict=True))
        yield f"{name} of two special", name, expression, dict(zip("xy", SPECIAL_PAIRS, strict=True))


def measure(torch, functional, expression, operands, dtype=None):
    """A case's value, gradients and second derivatives, and its node, with one of the two libraries.

    `operands` are lists of numbers or NumPy arrays.
    """
    if dtype is None:
        dtype = "complex128" if isinstance(operands["x"][0], complex) else "float64"
    tensors = {
        name: torch.tensor(values, dtype=getattr(torch, dtype), requires_grad=True) for name, values in operands.items()
    }
    result = eval(expression, {"torch": torch, "F": functional}, tensors)
    found = {"node": None if result.grad_fn is None else result.grad_fn.name(), "value": to_numpy(result)}
    if not result.requires_grad:
        return found
    inputs = list(tensors.values())
    cotangent = torch.tensor(waves(result.shape, result.is_complex()).tolist(), dtype=result.dtype)
    grads = torch.autograd.grad(result, inputs, cotangent, create_graph=True, allow_unused=True)
    found["grad"] = [to_numpy(g) for g in grads]
    live = [g for g in grads if g is not None and g.requires_grad]
    if live:
        total = sum((g * g.conj()).real.sum() if g.is_complex() else (g * g).sum() for g in live)
        try:
            seconds = torch.autograd.grad(total, inputs, allow_unused=True)
        except RuntimeError:  # PyTorch has no second derivative of some
            return found
        found["second"] = [to_numpy(g) for g in seconds]
    return found


def waves(shape, complex_too=False):
    """Numbers of one size and many digits, for cotangents."""
    numbers = np.cos(np.arange(np.prod(shape, dtype=int)) + 1.0).reshape(tuple(shape))
    return numbers * (1 + 0.5j) if complex_too else numbers


def to_numpy(tensor):
    """A copy of a tensor's values; None for none."""
    return None if tensor is None else np.array(tensor.numpy(force=True))
