"""The dtypes that PyTorch's functions refuse, mostly because there is no kernel for them."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from rushlight.core.graph import TensorBase
from rushlight.core.guards import asking
from rushlight.core.kinds import is_half
from rushlight.core.placing import tensors_of
from rushlight.ops.arguments.mismatch import type_name
from rushlight.ops.arguments.promotion import missing
from rushlight.ops.making.conversion import convert

# A function, the kernel's name in the message, and the dtypes without one: b(ool), i(ntegers), s(hort integers: all but
# int64), h(alf: float16 and bfloat16) or f(loat16) alone, c(omplex); e: h, but tensors without e(lements) are taken.
TABLE = """
    cdist                                   cdist                                       e
    cholesky                                cholesky_cpu                                bie
    cholesky_inverse                        cholesky_inverse_out_cpu                    bih
    cholesky_solve                          cholesky_solve_cpu                          bih
    det                                     lu_cpu                                      e
    geqrf                                   geqrf_cpu                                   bih
    histogram                               histogramdd                                 e
    histogramdd                             histogramdd                                 e
    linalg.cholesky                         cholesky_cpu                                e
    linalg.cholesky_ex                      cholesky_cpu                                e
    linalg.cond                             linalg_svd_cpu                              e
    linalg.det                              lu_cpu                                      e
    linalg.eig                              linalg_eig_out_cpu                          h
    linalg.eigh                             linalg_eigh_cpu                             e
    linalg.eigvals                          linalg_eig_out_cpu                          h
    linalg.eigvalsh                         linalg_eigh_cpu                             e
    linalg.householder_product              orgqr_cpu                                   bih
    linalg.ldl_factor                       ldl_factor_kernel_cpu                       e
    linalg.ldl_factor_ex                    ldl_factor_kernel_cpu                       e
    linalg.ldl_solve                        ldl_solve_kernel_cpu                        e
    linalg.lu                               lu_cpu                                      e
    linalg.lu_factor                        lu_cpu                                      e
    linalg.lu_factor_ex                     lu_cpu                                      e
    linalg.lu_solve                         linalg.lu_solve_cpu                         e
    linalg.multi_dot                        addmm_impl_cpu_                             b
    linalg.qr                               geqrf_cpu                                   h
    linalg.solve                            lu_cpu                                      e
    linalg.solve_ex                         lu_cpu                                      e
    linalg.solve_triangular                 triangular_solve_cpu                        bih
    linalg.svd                              linalg_svd_cpu                              e
    linalg.svdvals                          linalg_svd_cpu                              e
    linalg.tensorsolve                      lu_cpu                                      h
    lu                                      lu_cpu                                      e
    lu_solve                                linalg.lu_solve_cpu                         e
    masked.cumprod                          cumprod_out_cpu                             b
    masked.cumsum                           cumsum_out_cpu                              b
    nn.functional.avg_pool1d                avg_pool2d                                  bs
    nn.functional.avg_pool2d                avg_pool2d                                  bs
    nn.functional.avg_pool3d                avg_pool3d_out_frame                        bsh
    nn.functional.conv_transpose1d          slow_conv_transpose2d_out_cpu               bs
    nn.functional.conv_transpose2d          slow_conv_transpose2d_out_cpu               bs
    nn.functional.conv_transpose3d          slow_conv_transpose3d_out_cpu               bs
    nn.functional.ctc_loss                  ctc_loss_cpu                                bihc
    nn.functional.fractional_max_pool2d     fractional_max_pool2d_out_frame             c
    nn.functional.fractional_max_pool3d     fractional_max_pool3d_out_frame             c
    nn.functional.local_response_norm       avg_pool2d                                  bs
    nn.functional.max_unpool1d              max_unpool2d                                bic
    nn.functional.max_unpool2d              max_unpool2d                                bic
    nn.functional.max_unpool3d              max_unpool3d                                bic
    nn.functional.multi_margin_loss         multi_margin_loss_cpu_kernel                bih
    nn.functional.multilabel_margin_loss    multilabel_margin_loss_forward_out_frame    bih
    nn.functional.rrelu                     rrelu_with_noise_out_cpu                    f
    nn.functional.unfold                    im2col_out_cpu                              i
    orgqr                                   orgqr_cpu                                   bih
    qr                                      geqrf_cpu                                   h
    special.airy_ai                         airy_ai_cpu                                 h
    special.bessel_j0                       bessel_j0_cpu                               h
    special.bessel_j1                       bessel_j1_cpu                               h
    special.bessel_y0                       bessel_y0_cpu                               h
    special.bessel_y1                       bessel_y1_cpu                               h
    special.erfcx                           erfcx_cpu                                   h
    special.log_ndtr                        log_ndtr_cpu                                h
    special.modified_bessel_i0              modified_bessel_i0_cpu                      h
    special.modified_bessel_i1              modified_bessel_i1_cpu                      h
    special.modified_bessel_k0              modified_bessel_k0_cpu                      h
    special.modified_bessel_k1              modified_bessel_k1_cpu                      h
    special.ndtri                           ndtri_cpu                                   h
    special.scaled_modified_bessel_k0       scaled_modified_bessel_k0_cpu               h
    special.scaled_modified_bessel_k1       scaled_modified_bessel_k1_cpu               h
    special.spherical_bessel_j0             spherical_bessel_j0_cpu                     h
    svd                                     linalg_svd_cpu                              e
    trace                                   trace                                       b
    triangular_solve                        triangular_solve_cpu                        bih
    unique_consecutive                      unique                                      c
"""
ABSENT = {name: (kernel, types) for name, kernel, types in map(str.split, TABLE.strip().splitlines())}
# Functions that want tensors of one dtype, and say so first.
ALIKE = frozenset(
    "cdist cholesky_solve linalg.householder_product linalg.ldl_solve linalg.lstsq linalg.lu_solve linalg.multi_dot "
    "linalg.solve linalg.solve_ex linalg.tensorsolve orgqr triangular_solve".split()
)
TAKEN = np.dtype(np.float32), np.dtype(np.float64)  # accepted by every function
NO_FLOAT = "Expected a floating point or complex tensor as input. Got {}"
REAL_ONLY = "This function doesn't handle types other than float and double"
WORDS = {  # messages of RuntimeErrors of other functions
    "cumulative_trapezoid": ("cumulative_trapezoid: received a bool input for `y`, but bool is not supported", "b"),
    "gradient": ("Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` operator.", "b"),
    "linalg.lstsq": (REAL_ONLY, "h"),
    "linalg.matrix_rank": (REAL_ONLY, "h"),
    "linalg.vander": ("linalg.vander supports floating point, complex, and integer tensors, but got {}", "bh"),
    "linalg.vecdot": (f"linalg.vecdot: {NO_FLOAT}", "bi"),
    "lu_solve": (f"torch.linalg.lu_solve: {NO_FLOAT}", "bi"),
    "trapezoid": ("trapezoid: received a bool input for `y`, but bool is not supported", "b"),
    "trapz": ("trapezoid: received a bool input for `y`, but bool is not supported", "b"),
}


def with_known_types(function: Callable[..., Any], place: str) -> Callable[..., Any]:
    """Wraps a function: raises PyTorch's error if it has no kernel for the dtype of its first tensor."""
    name = place.removeprefix("Tensor").removeprefix(".")
    kernel, absent = ABSENT.get(name, ("", ""))
    words, refused = WORDS.get(name, ("", ""))
    if not absent and not refused:
        return function

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        if args and isinstance(args[0], TensorBase) and args[0]._array.dtype in TAKEN:
            return function(*args, **kwargs)
        return refusing(*args, **kwargs)

    @asking
    @wraps(function)
    def refusing(*args: Any, **kwargs: Any) -> Any:
        first = next(iter((*args, *kwargs.values())), None)
        first = first[0] if type(first) in (tuple, list) and first else first
        if isinstance(first, TensorBase) and not (name in ALIKE and differ_in_type(args, kwargs)):
            array = first._array
            if letter(array.dtype, absent) in absent:
                raise missing(kernel, array.dtype)
            if "e" in absent and is_half(array.dtype):
                if array.size:
                    raise missing(kernel, array.dtype)
                wide = function(*exchanged(args, array.dtype, TAKEN[0]), **exchanged(kwargs, array.dtype, TAKEN[0]))
                return exchanged(wide, TAKEN[0], array.dtype)
            if letter(array.dtype, refused) in refused:
                raise RuntimeError(words.format(type_name(array)))
        return function(*args, **kwargs)

    return called


def differ_in_type(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether the first and the last tensor among arguments, or in a list of them, differ in dtype."""
    tensors = tensors_of((*args, *kwargs.values()))
    return tensors[0]._array.dtype != tensors[-1]._array.dtype


def exchanged(value: Any, old: np.dtype, new: np.dtype) -> Any:
    """A value with all tensors of one dtype in it converted to another."""
    if isinstance(value, dict):
        return {key: exchanged(item, old, new) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)([exchanged(item, old, new) for item in value])
    is_old = isinstance(value, TensorBase) and value._array.dtype == old
    return convert(value, new) if is_old else value


def letter(dtype: np.dtype, types: str) -> str:
    """The letter of a dtype in the table; "-" for one that every function accepts."""
    if dtype.kind in "iu":
        return "i" if "i" in types else "-" if dtype.itemsize == 8 else "s"
    if is_half(dtype):
        return "f" if "f" in types and dtype.kind == "f" else "h"
    return dtype.kind if dtype.kind in "bc" else "-"
