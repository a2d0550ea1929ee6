"""The place of Fold, Unfold in PyTorch."""

from rushlight.nn.modules.rearrangement import Fold, Unfold

__all__ = ["Fold", "Unfold"]
