"""The module in which PyTorch has PixelShuffle and PixelUnshuffle."""

from rushlight.nn.modules.rearrangement import PixelShuffle, PixelUnshuffle

__all__ = ["PixelShuffle", "PixelUnshuffle"]
