"""CUDA, which is not available. Its flags can be set and read as in PyTorch without CUDA, without effect."""

from types import SimpleNamespace

from rushlight.absent.misses import explain_misses as _explain_misses

matmul: SimpleNamespace = SimpleNamespace(allow_tf32=False, allow_fp16_reduced_precision_reduction=True)


def is_built() -> bool:
    """Whether rushlight is built with CUDA: False."""
    return False


_explain_misses(globals())
