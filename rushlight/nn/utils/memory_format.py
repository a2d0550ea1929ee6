"""The memory format of convolution weights."""

from rushlight.layouts import memory_format as MemoryFormat
from rushlight.nn.modules.conv import Conv2d, Conv3d
from rushlight.nn.modules.conv_transpose import ConvTranspose2d, ConvTranspose3d
from rushlight.nn.modules.module import Module

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]


def convert_conv2d_weight_memory_format(module: Module, memory_format: MemoryFormat) -> Module:
    """Converts the weights of all two-dimensional convolutions in a module to a memory format.

    >>> import rushlight as torch
    >>> layer = torch.nn.utils.convert_conv2d_weight_memory_format(torch.nn.Conv2d(3, 1, 2), torch.channels_last)
    >>> layer.weight.is_contiguous(memory_format=torch.channels_last)
    True
    """
    return converted(module, (Conv2d, ConvTranspose2d), memory_format)


def convert_conv3d_weight_memory_format(module: Module, memory_format: MemoryFormat) -> Module:
    """Converts the weights of all three-dimensional convolutions in a module to a memory format.

    >>> import rushlight as torch
    >>> layer = torch.nn.utils.convert_conv3d_weight_memory_format(torch.nn.Conv3d(3, 1, 2), torch.channels_last_3d)
    >>> layer.weight.is_contiguous(memory_format=torch.channels_last_3d)
    True
    """
    return converted(module, (Conv3d, ConvTranspose3d), memory_format)


def converted(module: Module, kinds: tuple[type, ...], memory_format: MemoryFormat) -> Module:
    """Converts the weights of all layers of certain classes to a memory format."""
    for layer in module.modules():
        if isinstance(layer, kinds):
            layer.weight.data = layer.weight.detach().clone(memory_format=memory_format)
    return module
