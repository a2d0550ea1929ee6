"""The `out=` argument: writing results into tensors that the caller provides."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from rushlight.core.errors import lower_result
from rushlight.core.forward import carries_tangents
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.inplace import change, rank
from rushlight.core.interpreters import levels
from rushlight.core.lines import warn
from rushlight.core.placing import tensors_of
from rushlight.core.recording import recording
from rushlight.core.writing import APART, check_apart, check_memory
from rushlight.dtypes import FROM_NUMPY, TYPE_NAMES
from rushlight.ops.arguments.mismatch import C_NAMES
from rushlight.ops.changes.resizing import lay_anew

# PyTorch's errors for an `out` whose dtype is not the result's. Functions that are not listed cast to it.
EXACT = {
    "Expected out tensor to have dtype {own}, but got {given} instead": """
        addmm addmv alias_copy aminmax argmax argmin as_strided_copy avg_pool2d avg_pool3d baddbmm bmm cross cumprod
        cumsum diag diagonal_copy expand_copy gather index_add index_copy index_reduce isin linalg_cholesky
        linalg_cholesky_ex linalg_cross linalg_det linalg_eigh linalg_eigvalsh linalg_inv linalg_inv_ex
        linalg_ldl_factor linalg_ldl_factor_ex linalg_ldl_solve linalg_lu
        linalg_lu_factor linalg_lu_factor_ex linalg_lu_solve linalg_qr linalg_slogdet linalg_solve linalg_solve_ex
        linalg_svd linalg_svdvals linalg_vector_norm linear log_softmax lu_solve lu_unpack max[0] max[1] min[0]
        min[1] mm msort mv nansum norm permute_copy prod qr renorm scatter scatter_add scatter_reduce select_copy
        slice_copy slice_scatter softmax sort split_copy split_with_sizes_copy squeeze_copy sum svd t_copy topk
        transpose_copy triangular_solve tril triu unbind_copy unfold_copy unsqueeze_copy view_copy""",
    "Found dtype {Given} but expected {Own}": """
        abs bitwise_not ceil clamp clamp_max clamp_min conj_physical fft_ifft fft_ihfft floor frac gelu hardshrink lerp
        neg round sgn sign softplus softshrink trunc""",
    "expected scalar_type {Own} but found {Given}": "cummax cummin diff logcumsumexp",
    "expected scalar type {Own} but found {Given}": "linalg_solve_triangular log_sigmoid native_batch_norm",
    "result dtype {Given} does not match input dtype {Own}": "dot matmul vdot",
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
    "{name}() out tensor must be same dtype as the input tensor": "nanquantile quantile",
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
    "linalg.matrix_norm expected out tensor dtype {Own} but got: {Given}": "linalg_matrix_norm",
    "the output given to {name} has dtype {Given} but the operation's result requires dtype {Own}": "float_power",
    "torch.{name}(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64)": """
        bucketize searchsorted""",
}
RULES = {name: words for words, names in EXACT.items() for name in names.split()}  # `name[i]`: the i-th result
# Inputs for which these functions cast all the same: complex numbers, and bounds that are tensors.
CASTS: dict[str, Callable[..., bool]] = {
    "abs": lambda input: input.is_complex(),
    "lerp": lambda input, end, weight: not isinstance(weight, TensorBase),
    "diff": lambda input, n=1, *_: n > 0,
    "inner": lambda input, other: not (input.dim() and other.dim()),
    **dict.fromkeys(("clamp", "clamp_max", "clamp_min"), lambda input, *bounds: any_tensor(bounds)),
}
# Functions that resize `out` to another layout than the result's: contiguous, or contiguous unless it was empty.
CONTIGUOUS = (
    "cholesky",
    "cholesky_solve",
    "linalg_matrix_power",
    "fft_fft",
    "fft_hfft",
    "fft_ihfft2",
    "fft_ihfftn",
    "fft_irfft",
    "fft_rfft",
    "linalg_tensorinv",
    "lu",
)
CONTIGUOUS_UNLESS_EMPTY = (
    "cholesky_inverse",
    "geqrf",
    "linalg_eig",
    "linalg_householder_product",
    "linalg_lstsq",
    "ormqr",
)
JOINED = ("cat", "stack", "hstack", "vstack", "dstack", "column_stack")
# Elementwise functions, which may write where they read; `table` adds the operators of one and two tensors.
IN_STEP = set(
    "addcdiv addcmul clamp clamp_max clamp_min complex cumprod cumsum lerp logit nan_to_num polar round where".split()
)
PICKED = ("gather", "index_select", "masked_select", "take", "take_along_dim")
RESIZED = (
    "An output with one or more elements was resized since it had shape {}, which does not match the required output "
    "shape {}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they "
    "have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
    "t.resize_(0)."
)
OTHER_COUNT = (
    "The number of elements in the out tensor of shape {0} is {1} which does not match the computed number of elements "
    "{2}. Note that this may occur as a result of rounding error. The out tensor will be resized to a tensor of shape "
    "({2},)."
)


def write_out(name: str, out: Any, result: Any, *inputs: Any) -> Any:
    """Writes a result, or each of several, into the tensor given as `out=`, and returns that tensor.

    A tensor of another shape is resized, with a warning if it has elements. RuntimeError if gradients would have to be
    recorded, and for a dtype that the result cannot be cast to.
    """
    if not isinstance(result, (tuple, list)):
        check_out(name, out, result, inputs)
        return overwrite(name, out, result)
    if not isinstance(out, (tuple, list)):
        raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not {type(out).__name__}")
    if len(out) != len(result):
        raise TypeError(f"{name}(): argument 'out' must have {len(result)} elements, not {len(out)}")
    for i, (target, part) in enumerate(zip(out, result, strict=True)):
        check_out(name, target, part, inputs, RULES.get(f"{name}[{i}]"))
    written = [overwrite(name, target, part) for target, part in zip(out, result, strict=True)]
    return tuple(written) if type(result) in (tuple, list) else type(result)(written)


def check_out(name: str, out: Any, result: TensorBase, inputs: tuple[Any, ...], rule: str | None = None) -> None:
    """Raises PyTorch's errors for a tensor that a result cannot be written to.

    `rule` is the dtype rule of this result, if it is one of several.
    """
    if not isinstance(out, TensorBase):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if levels() and carries_tangents((out, *inputs)):
        if not any(isinstance(x, TensorBase) for x in inputs):
            raise NotImplementedError(f"Trying to use forward AD with aten::{name} that does not support it.")
        raise NotImplementedError(
            f"Trying to use forward AD with {name}_out that does not support it because it is an out= function"
        )
    if recording() and any(isinstance(x, TensorBase) and x.requires_grad for x in (out, *inputs)):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )
    check_overlap(name, out, inputs)
    own, given = result._array.dtype, out._array.dtype
    if own == given:
        return
    if name.startswith("fft_") and own.kind == "c" != given.kind:
        raise RuntimeError(f"{transform_of(name)} expects a complex output tensor, but got {type_word(given)}")
    rule = rule or RULES.get(name)
    if rule and not (name in CASTS and CASTS[name](*inputs)):
        names = {"own": C_NAMES[own.name], "given": C_NAMES[given.name]}
        names |= {"OwnTensor": tensor_word(own), "GivenTensor": tensor_word(given)}
        raise RuntimeError(rule.format(name=name, Own=type_word(own), Given=type_word(given), **names))
    if rank(own) > rank(given):
        if name in JOINED:
            raise TypeError(f"torch.cat(): input types can't be cast to the desired output type {type_word(given)}")
        if name == "logsumexp":
            wanted = "Expected floating point type for result tensor, but got"
            raise RuntimeError(f"{name}(): {wanted}: {type_word(given)}")
        raise lower_result(own, given)


def any_tensor(values: Sequence[Any]) -> bool:
    """Whether any of the values is a tensor."""
    return any(isinstance(x, TensorBase) for x in values)


def transform_of(name: str) -> str:
    """The name of a transform in PyTorch's messages, which have `fftn` for `fft2`."""
    plain = name.removeprefix("fft_").replace("2", "n")
    return "fftn" if plain == "ifftn" else plain


def check_overlap(name: str, out: TensorBase, inputs: tuple[Any, ...]) -> None:
    """Raises if `out` shares memory with an input that is still read while `out` is written.

    Elementwise functions may write where they read, element by element; indexing, joining and scattering functions may
    not. Sums and products have read everything before they write.
    """
    if name in JOINED or name in PICKED:
        check_memory(out, ())
        check_apart(out, tensors_of(inputs))
    elif name in APART:
        check_apart(out, inputs[1:])
    elif name in IN_STEP:
        check_memory(out, inputs)


def type_word(dtype: np.dtype) -> str:
    """A dtype as error messages name it, such as `Float`."""
    return TYPE_NAMES[FROM_NUMPY[dtype]]


def tensor_word(dtype: np.dtype) -> str:
    """The class of tensors of a dtype as error messages name it, such as `torch.FloatTensor`."""
    word = type_word(dtype)
    return f"torch.{word}Tensor" if dtype.kind in "iuf" else f"CPU{word}Type"


def overwrite(name: str, out: TensorBase, result: TensorBase) -> TensorBase:
    """Gives a tensor the shape and the elements of a result."""
    array = result._settled()
    if out._array.shape != array.shape:
        if out._array.size:
            warn(RESIZED.format(list(out._array.shape), list(array.shape)))
        contiguous = name in CONTIGUOUS or (name in CONTIGUOUS_UNLESS_EMPTY and out._array.size)
        resize(out, np.array(array, order="C", like=array) if contiguous else array)
    return change(out, lambda _: result)


def resize(out: TensorBase, model: np.ndarray) -> None:
    """Gives a tensor the shape and the layout of an array, the strides of dimensions of size 1 too."""
    if out.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    dense = model if model.flags.c_contiguous or model.flags.f_contiguous else np.empty_like(model)
    strides = tuple([stride // dense.itemsize * out._array.itemsize for stride in dense.strides])
    lay_anew(out, model.shape, strides)


def takes_out(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `out=` to a public function of tensors."""
    name = function.__name__

    @wraps(function)
    def called(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        return result if out is None else write_out(name, out, result, *args, *kwargs.values())

    return called


def write_made(name: str, out: Any, array: np.ndarray, keeps_shape: bool = False) -> Any:
    """Writes the result of a creation function into `out`, resized to its shape and keeping its dtype.

    With `keeps_shape`, an `out` with the right number of elements keeps its shape.
    """
    check_out(name, out, new_tensor(array), ())
    if keeps_shape and 0 < out._array.size != array.size and name == "arange":
        warn(OTHER_COUNT.format(list(out._array.shape), out._array.size, array.size))
    if keeps_shape and out._array.size == array.size:
        array = array.reshape(out._array.shape)
    elif out._array.shape != array.shape:
        resize(out, array)
    return overwrite(name, out, new_tensor(array))
