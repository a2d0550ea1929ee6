"""The module in which PyTorch has Fold and Unfold."""

from rushlight.nn.modules.rearrangement import Fold, Unfold

__all__ = ["Fold", "Unfold"]
