"""The module in which PyTorch has ChannelShuffle."""

from rushlight.nn.modules.rearrangement import ChannelShuffle

__all__ = ["ChannelShuffle"]
