"""The class of compiled modules, where PyTorch has it."""

from rushlight.compiler.modules import OptimizedModule

__all__ = ["OptimizedModule"]
