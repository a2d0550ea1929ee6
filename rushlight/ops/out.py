"""`out=`: results that are written into tensors which users give."""

import math
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from rushlight.core.errors import lower_result
from rushlight.core.forward import carries_tangents
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.core.inplace import change, rank
from rushlight.core.interpreters import levels
from rushlight.core.recording import recording
from rushlight.core.windows import address, memory_of
from rushlight.dtypes import FROM_NUMPY, TYPE_NAMES
from rushlight.layouts import extent
from rushlight.ops.mismatch import C_NAMES

# What PyTorch says of an `out` of another dtype than the result's. Functions that are not listed cast to it.
EXACT = {
    "Expected out tensor to have dtype {own}, but got {given} instead": """
        addmm addmv alias_copy aminmax argmax argmin as_strided_copy avg_pool2d avg_pool3d baddbmm bmm cross diag
        diagonal_copy expand_copy gather index_add index_copy index_reduce isin linalg_cholesky linalg_cholesky_ex
        linalg_cross linalg_det linalg_eigh linalg_eigvalsh linalg_inv linalg_inv_ex linalg_lu linalg_lu_factor
        linalg_lu_factor_ex linalg_lu_solve linalg_qr linalg_slogdet linalg_solve linalg_solve_ex linalg_svd
        linalg_svdvals linalg_vector_norm linear log_softmax lu_solve lu_unpack mm msort norm permute_copy qr renorm
        scatter scatter_add scatter_reduce select_copy slice_copy slice_scatter softmax sort split_copy
        split_with_sizes_copy squeeze_copy svd t_copy topk transpose_copy triangular_solve tril triu unbind_copy
        unfold_copy unsqueeze_copy view_copy""",
    "Found dtype {Given} but expected {Own}": """
        abs bitwise_not ceil conj_physical floor frac gelu hardshrink neg round sgn sign softplus softshrink trunc""",
    "expected scalar_type {Own} but found {Given}": "cummax cummin diff logcumsumexp",
    "expected scalar type {Own} but found {Given}": "linalg_solve_triangular log_sigmoid native_batch_norm",
    "result dtype {Given} does not match input dtype {Own}": "dot matmul vdot",
    "{name} does not support non-boolean outputs.": "isneginf isposinf signbit",
    "Expected object of scalar type {Own} but got scalar type {Given} for argument 'out'": "complex polar",
    "{name}(): self and result must have the same scalar type": "index_select masked_select",
    "{name} only supports bool tensor for result, got: {Given}": "all any",
    "Expected the dtype for input and out to match, but got {Own} for input's dtype and {Given} for out's dtype.": """
        amax amin""",
    "{name}: Expected the output tensor to have dtype {Own}, but got an output tensor with dtype {Given}": "tensordot",
    "{name}(): self and out expected to have the same dtype, but got self.dtype = {Own} and out.dtype = {Given}": """
        take""",
    "{name}() out tensor must be same dtype as the input tensor": "nanquantile quantile",
    "{name}: dtype of out: {Given} should be same as input: {Own}": "nan_to_num",
    "{name}: Expected out tensor to have scalar type {Own} but got scalar type{Given}": "nonzero",
    "Expected out type to be {Own} but got {Given}": "where",
    "output values must be of same type as input": "kthvalue",
    "the output given to {name} has dtype {Given} but the operation's result requires dtype {Own}": "float_power",
    "torch.{name}(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64)": """
        bucketize searchsorted""",
}  # fmt: skip
RULES = {name: words for words, names in EXACT.items() for name in names.split()}
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
    """Writes a result, or each of several, into what was given as `out=`, and returns that.

    A tensor of another shape is resized, with a warning if it has elements. RuntimeError where gradients would have to
    be recorded, and for a dtype that the result cannot be written to.
    """
    if not isinstance(result, (tuple, list)):
        check_out(name, out, result, inputs)
        return overwrite(out, result)
    if not isinstance(out, (tuple, list)):
        raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not {type(out).__name__}")
    if len(out) != len(result):
        raise TypeError(f"{name}(): argument 'out' must have {len(result)} elements, not {len(out)}")
    for target, part in zip(out, result, strict=True):
        check_out(name, target, part, inputs)
    written = [overwrite(target, part) for target, part in zip(out, result, strict=True)]
    return tuple(written) if type(result) in (tuple, list) else type(result)(written)


def check_out(name: str, out: Any, result: TensorBase, inputs: tuple) -> None:
    """Raises PyTorch's errors for a tensor that a result cannot be written to."""
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
    own, given = result._array.dtype, out._array.dtype
    if own == given:
        return
    if name in RULES:
        names = {"own": C_NAMES[own.name], "given": C_NAMES[given.name]}
        raise RuntimeError(RULES[name].format(name=name, Own=type_word(own), Given=type_word(given), **names))
    if rank(own) > rank(given):
        raise lower_result(own, given)


def type_word(dtype: np.dtype) -> str:
    """A dtype as messages name it: `Float`."""
    return TYPE_NAMES[FROM_NUMPY[dtype]]


def overwrite(out: TensorBase, result: TensorBase) -> TensorBase:
    """Gives a tensor the shape and the elements of a result."""
    shape = result._array.shape
    if out._array.shape != shape:
        if out._array.size:
            warnings.warn(RESIZED.format(list(out._array.shape), list(shape)), UserWarning, stacklevel=4)
        resize(out, shape)
    return change(out, lambda _: result)


def resize(out: TensorBase, shape: tuple[int, ...]) -> None:
    """Gives a tensor another shape: the elements from its first one on in memory, or new memory where that ends."""
    if out.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    array, memory = out._settled(), memory_of(out)
    rest = extent(memory.shape, memory.strides, memory.itemsize) - (address(array) - address(memory))
    if 0 < math.prod(shape) * array.itemsize <= rest:
        strides = tuple(math.prod(shape[i + 1 :]) * array.itemsize for i in range(len(shape)))
        out._array = np.lib.stride_tricks.as_strided(array, shape, strides)
    else:
        out._array = np.empty(shape, array.dtype)


def takes_out(function: Callable) -> Callable:
    """Gives a public function of tensors `out=`."""
    name = function.__name__

    @wraps(function)
    def called(*args, out=None, **kwargs):
        result = function(*args, **kwargs)
        return result if out is None else write_out(name, out, result, *args, *kwargs.values())

    return called


def write_made(name: str, out: Any, array: np.ndarray, keeps_shape: bool = False) -> Any:
    """Writes what a creation function made into `out`, of whatever dtype, which takes its shape.

    With `keeps_shape` an `out` of as many elements keeps its own.
    """
    check_out(name, out, new_tensor(array), ())
    if keeps_shape and 0 < out._array.size != array.size and name == "arange":
        warnings.warn(
            OTHER_COUNT.format(list(out._array.shape), out._array.size, array.size), UserWarning, stacklevel=4
        )
    if keeps_shape and out._array.size == array.size:
        array = array.reshape(out._array.shape)
    elif out._array.shape != array.shape:
        resize(out, array.shape)
    return overwrite(out, new_tensor(array))
