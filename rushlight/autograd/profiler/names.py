"""The names that PyTorch's profiler gives to operators, and the events that one call makes, one within the other."""

import sys
from collections.abc import Callable
from types import FrameType

from rushlight.core.graph import TensorBase
from rushlight.ops.products import matmul

# Operators that PyTorch has under another name; several for events that lie one within the other.
NAMES = {
    "add_scaled": ("add",),
    "avg_pool1d_backward": ("avg_pool2d_backward",),
    "batch_norm": ("batch_norm", "native_batch_norm"),
    "batch_norm_scaled": ("batch_norm", "native_batch_norm"),
    "bernoulli_tensor_": ("bernoulli_",),
    "clamp_max_tensor": ("clamp_max",),
    "clamp_min_tensor": ("clamp_min",),
    "clamp_tensors": ("clamp",),
    "convolution_weight": ("convolution_backward",),
    "copysign_number": ("copysign",),
    "cross_entropy": ("cross_entropy_loss",),
    "cumsum_back": ("cumsum",),
    "div_floor": ("div",),
    "div_trunc": ("div",),
    "euclidean_dist": ("_euclidean_dist",),
    "fft_c2c": ("_fft_c2c",),
    "fft_c2r": ("_fft_c2r",),
    "fft_r2c": ("_fft_r2c",),
    "fill_tensor": ("fill",),
    "fill_tensor_": ("fill_",),
    "fmod_number": ("fmod",),
    "fold": ("col2im",),
    "index_fill_tensor": ("index_fill",),
    "inv": ("linalg_inv_ex",),
    "layer_norm": ("layer_norm", "native_layer_norm"),
    "lerp_tensor": ("lerp",),
    "log_softmax": ("log_softmax", "_log_softmax"),
    "log_softmax_cotangent": ("_log_softmax_backward_data",),
    "look": ("unsqueeze",),
    "make_dual": ("_make_dual",),
    "masked_fill_tensor": ("masked_fill",),
    "max_dim": ("max",),
    "max_pool1d_with_indices": ("max_pool1d", "max_pool1d_with_indices"),
    "max_pool2d_with_indices": ("max_pool2d", "max_pool2d_with_indices"),
    "max_pool3d_with_indices": ("max_pool3d", "max_pool3d_with_indices"),
    "max_unpool1d": ("max_unpool2d",),
    "mean_dims": ("mean",),
    "median_dim": ("median",),
    "min_dim": ("min",),
    "multi_dot": ("linalg_multi_dot",),
    "nanmedian_dim": ("nanmedian",),
    "nll_loss": ("nll_loss_nd", "nll_loss"),
    "nll_sum": ("nll_loss_nd", "nll_loss"),
    "nll_loss2d": ("nll_loss_nd", "nll_loss2d"),
    "normal_mean": ("normal",),
    "normal_std": ("normal",),
    "pile": ("stack",),
    "pow_tensor": ("pow",),
    "prod_dim": ("prod",),
    "put_rows": ("embedding_dense_backward",),
    "relu": ("relu", "clamp_min"),
    "remainder_number": ("remainder",),
    "reshape_alias": ("_reshape_alias",),
    "reshape_copy": ("reshape", "_unsafe_view"),
    "round_decimals": ("round",),
    "rows": ("embedding",),
    "scatter_value": ("scatter",),
    "scatter_with_reduce": ("scatter",),
    "softmax": ("softmax", "_softmax"),
    "softmax_cotangent": ("_softmax_backward_data",),
    "solve": ("linalg_solve", "_linalg_solve_ex"),
    "sort_stable": ("sort",),
    "squeeze0": ("squeeze",),
    "squeezed": ("squeeze_",),
    "squeeze0_": ("squeeze_",),
    "squeeze1": ("squeeze",),
    "squeeze2": ("squeeze",),
    "sum_dims": ("sum",),
    "t": ("t", "transpose"),
    "to_copy": ("to", "_to_copy"),
    "unique2": ("_unique2",),
    "xlog1py_number": ("special_xlog1py",),
    "xlogy_number": ("xlogy",),
    "zeta_number": ("special_zeta",),
} | {f"upsample_{kind}2daa": (f"_upsample_{kind}2d_aa",) for kind in ("bicubic", "bilinear", "lanczos")}
NAMES |= {f"upsample_nearestexact{n}d": (f"_upsample_nearest_exact{n}d",) for n in (1, 2, 3)}
NAMES |= {f"reflect{n}d_pad": (f"reflection_pad{n}d",) for n in (1, 2, 3)}
NAMES |= {f"replicate{n}d_pad": (f"replication_pad{n}d",) for n in (1, 2, 3)}
NAMES |= {f"circular{n}d_pad": ("_pad_circular",) for n in (1, 2, 3)}
NAMES |= {name: (f"linalg_{name}",) for name in (
    "eig", "eigh", "eigvalsh", "lstsq", "lu_factor", "matrix_rank", "pinv", "solve_triangular", "svdvals",
)}  # fmt: skip
NAMES |= {name: (f"special_{name}",) for name in (
    "airy_ai", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "entr", "erfcx", "i0e", "i1", "i1e", "log_ndtr",
    "modified_bessel_i0", "modified_bessel_i1", "modified_bessel_k0", "modified_bessel_k1", "ndtr", "ndtri",
    "scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "spherical_bessel_j0", "xlog1py", "zeta",
)}  # fmt: skip

# Operators that PyTorch does not have: steps of derivatives and of functions that are one operator there.
OWN = frozenset((
    "accumulate", "add_at", "cofactors", "drop", "embedding_shares", "fft_resize", "into_level", "is_number", "is_zero",
    "keep", "lstm_states", "masked_gather", "module_boundary", "moved", "out_of_level", "own",
    "permutation", "place", "place_diagonal", "place_masked", "power_0",
    "product_before", "put_back", "put_flat", "quantile_places", "recur", "shares", "shift",
    "spread_diagonal", "stable_softplus", "summed_over_levels", "tied", "unpad", "window_put_back", "window_read",
    "window_replace",
))  # fmt: skip


def parts(op, args) -> list[tuple[str, tuple]]:
    """The events of a call, the outermost first: the name of each, and its arguments in PyTorch's order."""
    name = op.name
    if name in OWN:
        return [(f"rushlight::{name}", args)]
    if name in ARRANGED:
        return [(f"aten::{part}", arranged) for part, arranged in ARRANGED[name](*args)]
    return [(f"aten::{part}", args) for part in NAMES.get(name, (name,))]


def linear(input, weight, bias):
    """A linear layer with a bias is an `addmm`."""
    return [("linear", (input, weight, bias)), ("addmm", (bias, input, Turned(weight)))]


def mm_turned(input, weight):
    """One without is an `mm`."""
    return [("linear", (input, weight)), ("mm", (input, Turned(weight)))]


def convolution(input, weight, bias, stride, padding, dilation, groups):
    """A convolution goes by its number of dimensions."""
    n = array_of(weight).ndim - 2
    outer = (input, weight, bias, stride, padding, dilation, groups)
    return [(f"conv{n}d", outer), ("convolution", (*outer[:6], False, (0,) * n, groups))]


def convolution_transpose(input, weight, bias, shape, stride, padding, dilation, groups):
    """A transposed one too. In a derivative, on arrays, it is the cotangent of a convolution's input."""
    n = array_of(weight).ndim - 2
    if not isinstance(input, TensorBase):
        return [("convolution_backward", (input, weight))]
    outer = (input, weight, bias, stride, padding, None, groups, dilation)
    inner = (input, weight, bias, stride, padding, dilation, True, None, groups)
    return [(f"conv_transpose{n}d", outer), ("convolution", inner)]


def product(name):
    """A product of vectors or matrices, which may be part of a `matmul`."""

    def events(input, other):
        inner = [(name, (input, other))]
        return [("matmul", (input, other)), *inner] if is_under_way(matmul) else inner

    return events


def is_under_way(function) -> bool:
    """Whether a public function is what made the call that is noted, a few frames up."""
    frame: FrameType | None = sys._getframe(3)
    for _ in range(6):
        if frame is None or frame.f_code is function.__code__:
            break
        frame = frame.f_back
    return frame is not None and frame.f_code is function.__code__


def added(*args):
    """Sums and differences have a factor as a last argument."""
    return (*args, None)


ARRANGED: dict[str, Callable[..., list[tuple[str, tuple]]]] = {
    "add": lambda *args: [("add", added(*args))],
    "sub": lambda *args: [("sub", added(*args))],
    "rsub": lambda *args: [("rsub", added(*args)), ("sub", added(*args[::-1]))],
    "linear": linear,
    "mm_turned": mm_turned,
    "convolution": convolution,
    "convolution_transpose": convolution_transpose,
    "mm": product("mm"),
    "mv": product("mv"),
    "dot": product("dot"),
    "bmm": product("bmm"),
    "broadcast": product("bmm"),
    "folded": product("mm"),
}


class Turned:
    """A matrix that the call takes transposed, for its shape."""

    def __init__(self, matrix):
        self.shape = array_of(matrix).shape[::-1]


def array_of(value):
    """The array of a tensor, or the array itself."""
    return value._array if isinstance(value, TensorBase) else value


def shapes_of(args) -> list[list[int]]:
    """The shape of each argument that has one; an empty list for any other, lists of tensors among them."""
    return [list(getattr(array_of(arg), "shape", ())) for arg in args]
