"""Binary operators in all their forms, and pairs of operands of all dtypes: what is recorded, and then compared."""

import operator
import warnings

import numpy as np

DTYPES = [
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "bool",
]
SAMPLES = {
    "bool": [True, False, True],
    "uint": [3, 1, 250],
    "int": [-2, 1, 3],
    "float": [-1.5, 0.25, 2.5],
    "complex": [1 + 2j, 1j, -1.5 - 1j],
}
NUMBERS = [True, 2, -1, 0, 300, 0.5, -1.5, 1 + 2j, np.float64(0.5), np.int64(2), np.uint8(3)]


def values(dtype):
    """The elements of the sample of a dtype."""
    return SAMPLES[dtype.rstrip("0123456789")]


def operands():
    """Functions of a library that make operands, by name: tensors, tensors without dimensions, numbers."""
    made = {}
    for dtype in DTYPES:
        made[dtype] = lambda torch, d=dtype: torch.tensor(values(d), dtype=getattr(torch, d))
        made[f"{dtype}, 0-d"] = lambda torch, d=dtype: torch.tensor(values(d)[2], dtype=getattr(torch, d))
    for number in NUMBERS:
        made[f"{type(number).__name__} {number}"] = lambda torch, n=number: n
    return made


def pairs():
    """The names of two operands of which one is a tensor. (NumPy, and so rushlight, has no complex float16.)"""
    names = list(operands())
    mixed = lambda pair: any("float16" in name for name in pair) and any("complex" in name for name in pair)
    tensors = names[: 2 * len(DTYPES)]
    return [(a, b) for a in names for b in names if (a in tensors or b in tensors) and not mixed((a, b))]


FUNCTIONS = [
    "add",
    "sub",
    "mul",
    "div",
    "floor_divide",
    "remainder",
    "fmod",
    "pow",
    "atan2",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "maximum",
    "minimum",
    "hypot",
    "logaddexp",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "logical_and",
    "logical_or",
    "bitwise_left_shift",
    "bitwise_right_shift",
    "copysign",
    "nextafter",
    "xlogy",
    "gcd",
    "lcm",
    "float_power",
    "result_type",
]
IN_PLACE = [
    "add_",
    "sub_",
    "mul_",
    "div_",
    "floor_divide_",
    "remainder_",
    "fmod_",
    "pow_",
    "atan2_",
    "eq_",
    "ne_",
    "hypot_",
    "bitwise_and_",
    "bitwise_or_",
    "bitwise_xor_",
    "logical_and_",
    "logical_or_",
    "bitwise_left_shift_",
    "bitwise_right_shift_",
    "copysign_",
    "nextafter_",
    "xlogy_",
    "gcd_",
    "lcm_",
    "float_power_",
]
OPERATORS = [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "and_",
    "or_",
    "xor",
    "lshift",
    "rshift",
    "iadd",
    "isub",
    "imul",
    "itruediv",
    "ipow",
    "iand",
]


def forms():
    """Functions of a library that give a function of two operands, by name."""
    found = {name: lambda torch, name=name: getattr(torch, name) for name in FUNCTIONS}
    found |= {name: lambda torch, name=name: lambda a, b: getattr(a, name)(b) for name in IN_PLACE}
    found |= {f"operator {name}": lambda torch, name=name: getattr(operator, name) for name in OPERATORS}
    for mode in ("trunc", "floor"):
        found[f"div {mode}"] = lambda torch, mode=mode: lambda a, b: torch.div(a, b, rounding_mode=mode)
    for alpha in (2, 1.5, True):
        found[f"add {alpha}"] = lambda torch, alpha=alpha: lambda a, b: torch.add(a, b, alpha=alpha)
        found[f"sub {alpha}"] = lambda torch, alpha=alpha: lambda a, b: torch.sub(a, b, alpha=alpha)
    found["rsub 2"] = lambda torch: lambda a, b: torch.rsub(a, b, alpha=2)
    found["masked_fill"] = lambda torch: lambda a, b: a.masked_fill(torch.tensor([True, False, True]), b)
    return found


OPERANDS, FORMS = operands(), forms()


def outcome(torch, form, first, second):
    """What a form gives for two operands: the dtype or the error in words, and the values (NaN for an error)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = FORMS[form](torch)(OPERANDS[first](torch), OPERANDS[second](torch))
        except Exception as error:
            return f"{type(error).__name__}: {' '.join(str(error).split()[:3])}", np.full(3, np.nan)
    if not isinstance(result, torch.Tensor):
        return str(result), np.zeros(3)
    elements = [complex(x) for x in np.array(result.tolist()).reshape(-1)]
    return str(result.dtype).removeprefix("torch."), np.broadcast_to(np.array(elements), 3)
