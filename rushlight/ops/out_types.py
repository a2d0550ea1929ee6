"""Which dtypes `out=` may have, and PyTorch's errors for others."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.errors import lower_result
from rushlight.core.graph import TensorBase
from rushlight.core.inplace import rank
from rushlight.core.kinds import is_half
from rushlight.dtypes import FROM_NUMPY, TYPE_NAMES
from rushlight.ops.arguments.mismatch import C_NAMES

# PyTorch's errors for an `out` whose dtype is not the result's. Functions that are not listed cast to it.
EXACT = {
    "Expected out tensor to have dtype {own}, but got {given} instead": """
        addmm addmv alias_copy aminmax argmax argmin as_strided_copy avg_pool2d avg_pool3d baddbmm bmm cross cumprod
        cumsum diag diagonal_copy expand_copy gather index_add index_copy index_reduce isin linalg_cholesky
        linalg_cholesky_ex linalg_cross linalg_det linalg_eigh linalg_eigvalsh linalg_inv linalg_inv_ex
        linalg_ldl_factor linalg_ldl_factor_ex linalg_ldl_solve linalg_lu linalg_lu_factor linalg_lu_factor_ex
        linalg_lu_solve linalg_matrix_power linalg_qr linalg_slogdet linalg_solve linalg_solve_ex linalg_svd
        linalg_svdvals linalg_vector_norm linear log_softmax lu_solve lu_unpack max[0] max[1] min[0] min[1] mm msort
        nansum norm permute_copy prod qr renorm scatter scatter_add scatter_reduce select_copy slice_copy
        slice_scatter softmax sort split_copy split_with_sizes_copy squeeze_copy sum svd t_copy topk transpose_copy
        triangular_solve tril triu unbind_copy unfold_copy unsqueeze_copy view_copy""",
    "Found dtype {Given} but expected {Own}": """
        abs bitwise_not ceil clamp clamp_max clamp_min clip conj_physical fft_ifft fft_ihfft floor frac gelu hardshrink
        lerp neg round sgn sign softplus softshrink trunc""",
    "expected scalar_type {Own} but found {Given}": "cummax cummin diff logcumsumexp",
    "expected scalar type {Own} but found {Given}": "linalg_solve_triangular log_sigmoid native_batch_norm",
    "result dtype {Given} does not match input dtype {Own}": "dot vdot",
    "addmv input tensors must have the same dtype, but got {Given}, {Own}, and {Own}": "mv",
    "{name} does not support non-boolean outputs.": "isneginf isposinf signbit",
    "Expected object of scalar type {Own} but got scalar type {Given} for argument 'out'": "complex polar",
    "{name}(): self and result must have the same scalar type": "index_select masked_select",
    "{name} only supports bool tensor for result, got: {Given}": "all any",
    "Expected the dtype for input and out to match, but got {Own} for input's dtype and {Given} for out's dtype.": """
        amax amin""",
    "tensordot: Expected the output tensor to have dtype {Own}, but got an output tensor with dtype {Given}": """
        inner tensordot""",
    "{name}(): self and out expected to have the same dtype, but got self.dtype = {Own} and out.dtype = {Given}": """
        take""",
    "quantile() out tensor must be same dtype as the input tensor": "nanquantile quantile",
    "{name}: dtype of out: {Given} should be same as input: {Own}": "nan_to_num",
    "{name}: Expected out tensor to have scalar type {Own} but got scalar type{Given}": "nonzero nonzero_static",
    "Expected out type to be {Own} but got {Given}": "where",
    "output values must be of same type as input": "kthvalue[0]",
    "output indices must be of scalar type {Own}": "kthvalue[1]",
    "expected scalar type '{Own}' but got '{Given}' for values output": "mode[0]",
    "expected scalar type '{Own}' but got '{Given}' for indices output": "mode[1]",
    "Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but type {GivenTensor} does "
    "not equal {OwnTensor} (while checking arguments for median)": "median[0] nanmedian[0]",
    "Expected tensor for argument #1 'indices' to have scalar type {Own}; but got {GivenTensor} instead (while "
    "checking arguments for median)": "median[1] nanmedian[1]",
    "torch.frexp() expects mantissa to have dtype {own} but got {given}": "frexp[0]",
    "torch.frexp() expects exponent to have {own} dtype but got {given}": "frexp[1]",
    "self and mat2 must have the same dtype, but got {Given} and {Own}": "addbmm",
    "{name} is not yet implemented for tensors with different dtypes.": "heaviside",
    "{name} expects {Own} tensor out, got: {Given}": "multinomial",
    "torch.{name}: Expected input and result to have the same dtype, but input has dtype{Own} and result has dtype "
    "{Given}": "ormqr",
    "torch.histogram: input tensor and hist tensor should have the same dtype, but got input {own} and hist {given}": (
        "histc histogram[0]"
    ),
    "torch.histogram: input tensor and bin_edges tensor should have the same dtype, but got input {own} and bin_edges "
    "{given} for dimension 0": "histogram[1]",
    "linalg.vecdot: Expected out of dtype{Own} but found {Given}": "linalg_vecdot",
    "multi_dot(): expected out tensor to have dtype {own} but got {given}": "linalg_multi_dot multi_dot",
    "linalg.norm expected out tensor dtype {Own} but got: {Given}": "linalg_norm",
    "linalg.matrix_norm expected out tensor dtype {Own} but got: {Given}": "linalg_matrix_norm nuclear_norm",
    "Expected self.dtype() == output.dtype() to be true, but got false: {Own} and {Given}": "narrow_copy",
    "the output given to {name} has dtype {Given} but the operation's result requires dtype {Own}": "float_power",
    "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64)": """
        bucketize searchsorted""",
}
# Those for an `out` that the result cannot be cast to. Functions that are not listed say "result type ...".
NO_CAST = {
    "{name}: Expected result to be safely castable from {Own} dtype, but got result with dtype {Given}": """
        cholesky cholesky_inverse cholesky_solve""",
    "linalg.{short}: Expected result to be safely castable from {Own} dtype, but got result with dtype {Given}": """
        linalg_cond linalg_pinv""",
    "torch.linalg.{short}: Expected result to be safely castable from {Own} dtype, but got result with dtype {Given}": (
        "linalg_householder_product linalg_matrix_rank"
    ),
    "torch.linalg.householder_product: Expected result to be safely castable from {Own} dtype, but got result with "
    "dtype {Given}": "orgqr",
    "{short}: Expected result to be safely castable from {Own} dtype, but got result with dtype {Given}": """
        linalg_matrix_power linalg_tensorinv linalg_tensorsolve""",
    "torch.geqrf: Expected a to be safely castable from {Own} dtype, but got a with dtype {Given}": "geqrf[0]",
    "torch.geqrf: Expected tau to be safely castable from {Own} dtype, but got tau with dtype {Given}": "geqrf[1]",
    "torch.linalg.{short}: Expected eigenvalues to be safely castable from {Own} dtype, but got eigenvalues with dtype "
    "{Given}": "linalg_eig[0] linalg_eigvals",
    "torch.linalg.{short}: Expected eigenvectors to be safely castable from {Own} dtype, but got eigenvectors with "
    "dtype {Given}": "linalg_eig[1]",
    "torch.linalg.{short}: Expected solution to be safely castable from {Own} dtype, but got solution with dtype "
    "{Given}": "linalg_lstsq[0] linalg_lstsq[1]",
    "torch.linalg.{short}: Expected rank to be safely castable from {Own} dtype, but got rank with dtype {Given}": """
        linalg_lstsq[2]""",
    "torch.linalg.{short}: Expected singular_values to be safely castable from {Own} dtype, but got singular_values "
    "with dtype {Given}": "linalg_lstsq[3]",
    "diag: result type {Own} can't be cast to the desired out= type {Given}": "diag",
    "{name} can't be cast to the desired output type {Given}": "ldexp",
    "{name}: result type {Own} can't be cast to the desired output type {Given}": "mvlgamma",
    "{name}.dtype_out(): input types can't be cast to the desired output type {Given}": "mean",
    "Expected canCast( typeMetaToScalarType(self.dtype()), typeMetaToScalarType(out.dtype())) to be true, but got "
    "false: {Own} and {Given}": "max[all] min[all]",
    "{name}(): Expected floating point type for result tensor, but got: {Given}": "logsumexp",
}


def by_name(table: dict[str, str]) -> dict[str, str]:
    """The message for each name in a table; `name[i]` is the i-th result."""
    return {name: words for words, names in table.items() for name in names.split()}


RULES, CAST_RULES = by_name(EXACT), by_name(NO_CAST)
# Inputs for which these functions cast all the same: complex numbers, and bounds that are tensors.
CASTS: dict[str, Callable[..., bool]] = {
    "abs": lambda input: input.is_complex(),
    "lerp": lambda input, end, weight: not isinstance(weight, TensorBase),
    "diff": lambda input, n=1, *_: n > 0,
    "inner": lambda input, other: not (input.dim() and other.dim()),
    "linalg_matrix_power": lambda A, n: n in (0, 1),
    **dict.fromkeys(("clamp", "clamp_max", "clamp_min", "clip"), lambda input, *bounds: any_tensor(bounds)),
}
# Functions that are another one for some inputs.
KINDS: dict[str, Callable[..., str]] = {
    "diag": lambda input, *_: "diag" if input.dim() == 1 else "diagonal_copy",
    "matmul": lambda input, other: kind_of_product(input.dim(), other.dim()),
    "max": lambda *operands: "max" if len(operands) > 1 else "max[all]",
    "mean": lambda input, *dims: "mean" if not dims else "mean of dimensions",
    "min": lambda *operands: "min" if len(operands) > 1 else "min[all]",
    "norm": lambda input, p=2, *_: "linalg_matrix_norm" if p == "nuc" else "norm",
}
JOINED = ("cat", "stack", "hstack", "vstack", "dstack", "column_stack")
TRUTHS = ("all", "any")  # they write bytes too


def kind_of_product(first: int, second: int) -> str:
    """The function that multiplies vectors and matrices of these numbers of dimensions."""
    return "mm" if second > 1 else "dot" if first == 1 else "mv"


def check_type(name: str, part: int | None, own: np.dtype, given: np.dtype, inputs: tuple[Any, ...]) -> None:
    """Raises PyTorch's error if a result of one dtype cannot be written to an `out` of another.

    `part` is the place of the result if it is one of several.
    """
    if own == given or (name in TRUTHS and given == np.uint8):
        return
    if name.startswith("fft_") and own.kind == "c" != given.kind:
        raise RuntimeError(f"{transform_of(name)} expects a complex output tensor, but got {type_word(given)}")
    if name in ("std", "var") and is_half(own) and not is_half(given) and reduces_all(*inputs):
        raise RuntimeError(f"std_var_all: Unsupported dtype {type_word(own)}")
    kind = KINDS[name](*inputs) if name in KINDS else name
    narrower = rank(own) > rank(given)
    rule = rule_in(CAST_RULES, kind, part) if narrower else None
    if rule is None and not (name in CASTS and CASTS[name](*inputs)):
        rule = rule_in(RULES, kind, part)
    if rule is not None:
        names = {"own": C_NAMES[own.name], "given": C_NAMES[given.name], "short": name.removeprefix("linalg_")}
        names |= {"OwnTensor": tensor_word(own), "GivenTensor": tensor_word(given)}
        raise RuntimeError(rule.format(name=name, Own=type_word(own), Given=type_word(given), **names))
    if narrower and name in JOINED:
        raise TypeError(f"torch.cat(): input types can't be cast to the desired output type {type_word(given)}")
    if narrower:
        raise lower_result(own, given)


def reduces_all(input: TensorBase, dim: Any = None, *_: Any) -> bool:
    """Whether `dim`, or the older `unbiased` in its place, leaves no dimension of a tensor."""
    if dim is None or isinstance(dim, bool):
        return True
    return input.dim() == (1 if isinstance(dim, int) else len(dim) or input.dim())


def rule_in(rules: dict[str, str], name: str, part: int | None) -> str | None:
    """The message for a function, or for one of its results; None if there is none."""
    return rules.get(f"{name}[{part}]") or rules.get(name)


def type_is_first(name: str) -> bool:
    """Whether PyTorch looks at the dtype of `out` before it looks for a kernel."""
    return RULES.get(name, "").startswith("Found dtype") and name != "softshrink"


def any_tensor(values: Sequence[Any]) -> bool:
    """Whether any of the values is a tensor."""
    return any(isinstance(x, TensorBase) for x in values)


def type_word(dtype: np.dtype) -> str:
    """A dtype as error messages name it, such as `Float`."""
    return TYPE_NAMES[FROM_NUMPY[dtype]]


def tensor_word(dtype: np.dtype) -> str:
    """The class of tensors of a dtype as error messages name it, such as `torch.FloatTensor`."""
    word = type_word(dtype)
    return f"torch.{word}Tensor" if dtype.kind in "iuf" else f"CPU{word}Type"


def transform_of(name: str) -> str:
    """The name of a transform in PyTorch's messages, which have `fftn` for `fft2`."""
    plain = name.removeprefix("fft_").replace("2", "n")
    return "fftn" if plain == "ifftn" else plain
