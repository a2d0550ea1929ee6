"""Backends: rushlight computes with NumPy and its BLAS on the CPU. Scripts ask here for others, and set their flags."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.backends import cuda, cudnn, mha, mkl, mkldnn, mps, nnpack, openmp, opt_einsum

__all__ = ["cuda", "cudnn", "mha", "mkl", "mkldnn", "mps", "nnpack", "openmp", "opt_einsum"]

_explain_misses(globals())
