"""Options of PyTorch's code generator: they can be set and read, and have no effect."""

from types import SimpleNamespace

debug = False
disable_progress = True
cpp_wrapper = False
fallback_random = False
force_disable_caches = False
freezing = False
fx_graph_cache = True
fx_graph_remote_cache = None
max_autotune = False
max_autotune_gemm = False
max_autotune_pointwise = False
max_autotune_gemm_backends = "ATEN,TRITON,CPP"
coordinate_descent_tuning = False
coordinate_descent_check_all_directions = False
emulate_precision_casts = False
epilogue_fusion = True
pattern_matcher = True
reorder_for_compute_comm_overlap = False
shape_padding = True
force_fuse_int_mm_with_mul = False
use_mixed_mm = True
conv_1x1_as_mm = False
triton = SimpleNamespace(
    unique_kernel_names=True, cudagraphs=False, cudagraph_trees=True, cudagraph_skip_dynamic_graphs=False
)
cpp = SimpleNamespace(threads=-1, simdlen=None, enable_kernel_profile=False)
cuda = SimpleNamespace(arch=None, version=None)
trace = SimpleNamespace(enabled=False, log_autotuning_results=False)
