"""The dtypes that PyTorch's functions refuse, mostly because there is no kernel for them."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from rushlight.core.graph import TensorBase
from rushlight.core.guards import asking
from rushlight.core.kinds import is_half
from rushlight.ops.arguments.mismatch import C_NAMES, type_name
from rushlight.ops.arguments.promotion import missing

# A function, the kernel's name in the message, and the dtypes without one: b(ool), i(ntegers), s(hort integers: all but
# int64), h(alf: float16 and bfloat16) or f(loat16) alone, c(omplex).
TABLE = """
    cdist                                   cdist                                       h
    cholesky                                cholesky_cpu                                bih
    cholesky_inverse                        cholesky_inverse_out_cpu                    bih
    cholesky_solve                          cholesky_solve_cpu                          bih
    geqrf                                   geqrf_cpu                                   bih
    linalg.cholesky                         cholesky_cpu                                h
    linalg.cholesky_ex                      cholesky_cpu                                h
    linalg.cond                             linalg_svd_cpu                              h
    linalg.eig                              linalg_eig_out_cpu                          h
    linalg.eigvals                          linalg_eig_out_cpu                          h
    linalg.householder_product              orgqr_cpu                                   bih
    linalg.lu_solve                         linalg.lu_solve_cpu                         h
    linalg.multi_dot                        addmm_impl_cpu_                             b
    linalg.qr                               geqrf_cpu                                   h
    linalg.solve                            lu_cpu                                      h
    linalg.solve_ex                         lu_cpu                                      h
    linalg.solve_triangular                 triangular_solve_cpu                        bih
    linalg.svdvals                          linalg_svd_cpu                              h
    linalg.tensorsolve                      lu_cpu                                      h
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
    lu_solve                                linalg.lu_solve_cpu                         h
    ormqr                                   ormqr_cpu                                   bih
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
    special.zeta                            zeta_cpu                                    h
    trace                                   trace                                       b
    triangular_solve                        triangular_solve_cpu                        bih
    unique_consecutive                      unique                                      c
"""
ABSENT = {name: (kernel, types) for name, kernel, types in map(str.split, TABLE.strip().splitlines())}
TAKEN = np.dtype(np.float32), np.dtype(np.float64)  # accepted by every function
NO_FLOAT = "Expected a floating point or complex tensor as input. Got {}"
WORDS = {  # messages of RuntimeErrors of other functions
    "cdist": ("cdist only supports floating-point dtypes, X1 got: {}", "bic"),
    "cumulative_trapezoid": ("cumulative_trapezoid: received a bool input for `y`, but bool is not supported", "b"),
    "gradient": ("Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` operator.", "b"),
    "linalg.vander": ("linalg.vander supports floating point, complex, and integer tensors, but got {}", "bh"),
    "linalg.vecdot": (f"linalg.vecdot: {NO_FLOAT}", "bi"),
    "lu_solve": (f"torch.linalg.lu_solve: {NO_FLOAT}", "bi"),
    "nn.functional.gaussian_nll_loss": ("result type Float can't be cast to the desired output type {c_name}", "bi"),
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
    def called(*args, **kwargs):
        if args and isinstance(args[0], TensorBase) and args[0]._array.dtype in TAKEN:
            return function(*args, **kwargs)
        return refusing(*args, **kwargs)

    @asking
    @wraps(function)
    def refusing(*args, **kwargs):
        first = next(iter((*args, *kwargs.values())), None)
        first = first[0] if type(first) in (tuple, list) and first else first
        if isinstance(first, TensorBase):
            array = first._array
            if letter(array.dtype, absent) in absent:
                raise missing(kernel, array.dtype)
            if letter(array.dtype, refused) in refused:
                raise RuntimeError(words.format(type_name(array), c_name=C_NAMES[array.dtype.name]))
        return function(*args, **kwargs)

    return called


def letter(dtype: np.dtype, types: str) -> str:
    """The letter of a dtype in the table; "-" for one that every function accepts."""
    if dtype.kind in "iu":
        return "i" if "i" in types else "-" if dtype.itemsize == 8 else "s"
    if is_half(dtype):
        return "f" if "f" in types and dtype.kind == "f" else "h"
    return dtype.kind if dtype.kind in "bc" else "-"
