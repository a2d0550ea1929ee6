"""What computes: NumPy and its BLAS, on the CPU. Scripts ask here for other backends, and set flags for them."""

from rushlight.backends import cuda, cudnn, mps

__all__ = ["cuda", "cudnn", "mps"]
