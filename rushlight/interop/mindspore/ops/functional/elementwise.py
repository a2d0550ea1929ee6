"""Functions that PyTorch has with the same meaning: elementwise ones, comparisons, products."""

from collections.abc import Callable
from typing import Any

import rushlight as torch
from rushlight.interop.mindspore.common.lifting import lifted

SAME = """
    abs acos acosh add addmm angle arange asin asinh atan atan2 atanh bmm ceil chunk conj cos cosh cross diag
    digamma einsum eq erf erfc erfinv exp exp2 expm1 floor fmod ge gt hypot inverse isfinite isinf isnan kron le
    lerp lgamma linspace log log10 log1p log2 logaddexp logical_and logical_not logical_or logical_xor lt
    masked_fill masked_select matmul maximum minimum mm mul mv narrow ne neg nonzero outer pow reciprocal remainder
    repeat_interleave roll round rsqrt sigmoid sign sin sinc sinh sqrt square sub swapaxes tan tanh trace tril triu
    true_divide trunc where xlogy zeros_like ones_like flip diagonal unbind broadcast_to inner
""".split()

OTHER_NAMES = {
    "absolute": "abs",
    "not_equal": "ne",
    "equal": "eq",
    "greater": "gt",
    "greater_equal": "ge",
    "less": "lt",
    "less_equal": "le",
    "floor_div": "floor_divide",
    "negative": "neg",
    "subtract": "sub",
    "multiply": "mul",
    "mod": "remainder",
    "floor_mod": "remainder",
    "inv": "reciprocal",
    "tensor_add": "add",
    "tensor_sub": "sub",
    "tensor_mul": "mul",
    "tensor_pow": "pow",
    "tensor_dot": "tensordot",
    "select": "where",
}

for _name in SAME:
    globals()[_name] = lifted(getattr(torch, _name))
for _name, _same in OTHER_NAMES.items():
    globals()[_name] = lifted(getattr(torch, _same), _name)

div: Callable[..., Any] = lifted(torch.div)
divide: Callable[..., Any] = lifted(torch.div, "divide")
tensor_div: Callable[..., Any] = divide
tile: Callable[..., Any] = lifted(torch.tile)

__all__ = [*SAME, *OTHER_NAMES, "div", "divide", "tensor_div", "tile"]
