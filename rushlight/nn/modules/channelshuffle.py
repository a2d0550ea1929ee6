"""The place of ChannelShuffle in PyTorch."""

from rushlight.nn.modules.rearrangement import ChannelShuffle

__all__ = ["ChannelShuffle"]
