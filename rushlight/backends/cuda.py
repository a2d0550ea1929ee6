"""CUDA, which is not there. Its flags can be set and read as in PyTorch without CUDA; only CUDA would obey them."""

from types import SimpleNamespace

from rushlight.absent.misses import explain_misses as _explain_misses

matmul: SimpleNamespace = SimpleNamespace(allow_tf32=False, allow_fp16_reduced_precision_reduction=True)


def is_built() -> bool:
    """Whether there is CUDA: there is not."""
    return False


_explain_misses(globals())
