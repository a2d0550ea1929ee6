"""The place of PixelShuffle, PixelUnshuffle in PyTorch."""

from rushlight.nn.modules.rearrangement import PixelShuffle, PixelUnshuffle

__all__ = ["PixelShuffle", "PixelUnshuffle"]
