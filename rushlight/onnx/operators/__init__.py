"""Translations of rushlight's operators to ONNX, by family."""

from rushlight.onnx.operators import elementwise, indexing, layers, losses, products, reductions, shapes
from rushlight.onnx.operators.table import TRANSLATIONS

__all__ = ["TRANSLATIONS"]
