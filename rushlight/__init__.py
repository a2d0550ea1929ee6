"""rushlight: PyTorch's autograd, fast and light, on NumPy.

The same names with the same meaning:

>>> import rushlight as torch
>>> x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
>>> (x * x).sum().backward()
>>> x.grad
tensor([2., 4., 6.])
"""

# ruff: noqa: I001 (tensors first, then what makes them)

from importlib import import_module as _import_module

from rushlight.starting import WithoutCollections as _WithoutCollections

with _WithoutCollections():
    from rushlight.machine.processor import choose_blas_kernels as _choose_blas_kernels

    _choose_blas_kernels()

    from numpy import seterr as _seterr

    # PyTorch never warns of division by zero, overflow or invalid values: the results are inf and nan. NumPy would warn
    # each time; `np.seterr(all="warn")` after the import of rushlight turns its warnings on again.
    _seterr(all="ignore")

    from rushlight.machine.alignment import align_arrays as _align_arrays
    from rushlight.machine.memory import keep_blocks_as_configured as _keep_blocks

    _align_arrays()
    _keep_blocks()

    from rushlight.tensors import Tensor
    from rushlight.constants import *
    from rushlight.devices import *
    from rushlight.dtypes import *
    from rushlight.layouts import *
    from rushlight.naming import *
    from rushlight.printing import get_printoptions, set_printoptions
    from rushlight.settings import *
    from rushlight.size import Size

    from rushlight.ops.activation import *
    from rushlight.ops.changes.changed_views import *
    from rushlight.ops.changes.filling import *
    from rushlight.ops.changes.overwritten_views import *
    from rushlight.ops.elementwise.arithmetic import *
    from rushlight.ops.elementwise.bessel_functions import *
    from rushlight.ops.elementwise.blending import *
    from rushlight.ops.elementwise.comparison import *
    from rushlight.ops.elementwise.complexes import *
    from rushlight.ops.elementwise.elementary import *
    from rushlight.ops.elementwise.logic import *
    from rushlight.ops.elementwise.powers import *
    from rushlight.ops.elementwise.rounding import *
    from rushlight.ops.elementwise.clamping import *
    from rushlight.ops.elementwise.selection import *
    from rushlight.ops.elementwise.special_functions import *
    from rushlight.ops.making.conversion import *
    from rushlight.ops.making.copying import *
    from rushlight.ops.making.creation import *
    from rushlight.ops.making.from_data import *
    from rushlight.ops.making.grids import *
    from rushlight.ops.making.old_constructors import *
    from rushlight.ops.making.ranges import *
    from rushlight.ops.making.shared_memory import *
    from rushlight.ops.picking.flat import *
    from rushlight.ops.picking.gather import *
    from rushlight.ops.picking.indexed import *
    from rushlight.ops.picking.indexing import *
    from rushlight.ops.picking.masking import *
    from rushlight.ops.picking.nonzero import *
    from rushlight.ops.products.added_products import *
    from rushlight.ops.products.contractions import *
    from rushlight.ops.products.products import *
    from rushlight.ops.queries import *
    from rushlight.ops.randomness.random_methods import *
    from rushlight.ops.randomness.random_tensors import *
    from rushlight.ops.reductions.counting import *
    from rushlight.ops.reductions.covariance import *
    from rushlight.ops.reductions.cumulative import *
    from rushlight.ops.reductions.differences import *
    from rushlight.ops.reductions.extrema import *
    from rushlight.ops.reductions.histograms import *
    from rushlight.ops.reductions.norms import *
    from rushlight.ops.reductions.order import *
    from rushlight.ops.reductions.prod import *
    from rushlight.ops.reductions.reduction import *
    from rushlight.ops.reductions.softmax import *
    from rushlight.ops.reductions.sorting import *
    from rushlight.ops.reductions.statistics import *
    from rushlight.ops.shapes.broadcasting import *
    from rushlight.ops.shapes.diagonals import *
    from rushlight.ops.shapes.dimensions import *
    from rushlight.ops.shapes.joining import *
    from rushlight.ops.shapes.padding import *
    from rushlight.ops.shapes.rearranging import *
    from rushlight.ops.shapes.shape import *
    from rushlight.ops.shapes.slicing import *
    from rushlight.ops.shapes.splitting import *
    from rushlight.ops import late_methods as _late_methods
    from rushlight.ops.changes.in_place import *  # after everything that has in-place methods
    from rushlight.legacy import *

    from rushlight import autograd, random, return_types, version
    from rushlight.autograd import enable_grad, inference_mode, is_grad_enabled, is_inference_mode_enabled
    from rushlight.autograd import no_grad, set_grad_enabled
    from rushlight.autograd.anomaly_mode import is_anomaly_check_nan_enabled, is_anomaly_enabled, set_anomaly_enabled
    from rushlight.random import (
        Generator,
        default_generator,
        get_rng_state,
        initial_seed,
        manual_seed,
        seed,
        set_rng_state,
    )
    from rushlight.torch_version import TorchVersion as _TorchVersion

    __version__ = _TorchVersion(version.__version__)

    from rushlight.absent.misses import type_or_miss as _type_or_miss
    from rushlight.refusals.guard import guard as _guard, guard_methods as _guard_methods

    _guard(globals())
    _guard_methods(Tensor)

# Modules, and functions by their module, that are loaded when they are first used.
_MODULES = {
    "_C",
    "__config__",
    "_dynamo",
    "_inductor",
    "_higher_order_ops",
    "_jit_internal",
    "_six",
    "_tensor",
    "_utils",
    "accelerator",
    "amp",
    "array_api",
    "backends",
    "compiler",
    "config",
    "cpu",
    "cuda",
    "distributed",
    "distributions",
    "fft",
    "func",
    "functional",
    "functorch",
    "fx",
    "futures",
    "hub",
    "interop",
    "jit",
    "library",
    "linalg",
    "masked",
    "mps",
    "multiprocessing",
    "nn",
    "onnx",
    "optim",
    "overrides",
    "profiler",
    "quasirandom",
    "serialization",
    "signal",
    "sparse",
    "special",
    "storage",
    "testing",
    "torch_version",
    "types",
    "utils",
    "vision",
    "xpu",
}
_FUNCTIONS = {
    "_C": ["DisableTorchFunction", "DisableTorchFunctionSubclass"],
    "_higher_order_ops": ["cond", "while_loop"],
    "amp": ["GradScaler", "autocast"],
    "amp.autocast_mode": [
        "autocast_decrement_nesting",
        "autocast_increment_nesting",
        "clear_autocast_cache",
        "get_autocast_cpu_dtype",
        "get_autocast_dtype",
        "is_autocast_cache_enabled",
        "is_autocast_cpu_enabled",
        "is_autocast_enabled",
        "set_autocast_cache_enabled",
        "set_autocast_cpu_dtype",
        "set_autocast_cpu_enabled",
        "set_autocast_dtype",
        "set_autocast_enabled",
    ],
    "machine.threads": ["get_num_interop_threads", "get_num_threads", "set_num_interop_threads", "set_num_threads"],
    "compiler": ["compile"],
    "config": ["show_config"],
    "func": ["vmap"],
    "nn.functional": [
        "adaptive_avg_pool1d",
        "avg_pool1d",
        "bilinear",
        "channel_shuffle",
        "conv1d",
        "conv2d",
        "conv3d",
        "conv_tbc",
        "conv_transpose1d",
        "conv_transpose2d",
        "conv_transpose3d",
        "cosine_similarity",
        "grid_sampler",
        "grid_sampler_2d",
        "grid_sampler_3d",
        "max_pool1d",
        "max_pool1d_with_indices",
        "max_pool2d",
        "max_pool3d",
        "native_batch_norm",
        "native_channel_shuffle",
        "native_dropout",
        "native_group_norm",
        "native_layer_norm",
        "pairwise_distance",
        "pixel_shuffle",
        "pixel_unshuffle",
        "rms_norm",
    ],
    "overrides.assertion": ["_assert"],
    "serialization": ["load", "save"],
    "sparse.creation": [
        "sparse_bsc_tensor",
        "sparse_bsr_tensor",
        "sparse_compressed_tensor",
        "sparse_coo_tensor",
        "sparse_csc_tensor",
        "sparse_csr_tensor",
    ],
    "storage": [
        "is_storage",
        "BFloat16Storage",
        "BoolStorage",
        "ByteStorage",
        "CharStorage",
        "ComplexDoubleStorage",
        "ComplexFloatStorage",
        "DoubleStorage",
        "FloatStorage",
        "HalfStorage",
        "IntStorage",
        "LongStorage",
        "ShortStorage",
        "Storage",
        "StorageBase",
        "TypedStorage",
        "UntypedStorage",
    ],
    "utils.dlpack": ["to_dlpack"],
    "sparse.products": ["dsmm", "hsmm", "hspmm", "saddmm", "smm", "spmm", "sspaddmm"],
}
_HOMES = {
    name: module for table in (_FUNCTIONS, _late_methods.FUNCTIONS) for module, names in table.items() for name in names
}


def __getattr__(name):
    """Loads a name at its first use; AttributeError for an unknown one, with the reason why rushlight lacks it."""
    if name == "torch":
        return _import_module("rushlight")  # programs write torch.torch.Tensor
    if name in _MODULES:
        return _import_module(f"rushlight.{name}")
    if name == "Storage":
        return _import_module("rushlight.storage").of_default_dtype()
    home = "ops.foreach" if name.startswith("_foreach_") else _HOMES.get(name)
    if home is not None:
        found = (
            _late_methods.late_function(home, name)
            if home in _late_methods.FUNCTIONS
            else getattr(_import_module(f"rushlight.{home}"), name)
        )
        globals()[name] = found
        return found
    return _type_or_miss("rushlight", name)


def __dir__():
    return [*globals(), *_MODULES, *_HOMES]
