"""Feature pyramids (T. Lin et al., 2017): images of several sizes, each with what the smaller ones know."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from rushlight import nn
from rushlight.nn.functional import interpolate
from rushlight.tensors import Tensor
from rushlight.vision.ops.misc import Conv2dNormActivation

__all__ = ["FeaturePyramidNetwork"]


class FeaturePyramidNetwork(nn.Module):
    """Takes a dictionary of images from large to small, with channels by `in_channels_list`.

    All get `out_channels` channels. `extra_blocks` may add further ones: it is called with the results, the inputs and
    the names, and returns results and names.
    """

    _version = 2

    def __init__(
        self,
        in_channels_list: list[int],
        out_channels: int,
        extra_blocks: Callable[..., Any] | None = None,
        norm_layer: Callable[..., nn.Module] | None = None,
    ):
        super().__init__()
        self.inner_blocks: nn.ModuleList = nn.ModuleList()
        self.layer_blocks: nn.ModuleList = nn.ModuleList()
        options: dict[str, Any] = {"norm_layer": norm_layer, "activation_layer": None}
        for channels in in_channels_list:
            if channels == 0:
                raise ValueError("in_channels=0 is currently not supported")
            self.inner_blocks.append(Conv2dNormActivation(channels, out_channels, kernel_size=1, padding=0, **options))
            self.layer_blocks.append(Conv2dNormActivation(out_channels, out_channels, kernel_size=3, **options))
        for layer in self.modules():
            if isinstance(layer, nn.Conv2d):
                nn.init.kaiming_uniform_(layer.weight, a=1)
                if layer.bias is not None:
                    nn.init.zeros_(layer.bias)
        self.extra_blocks = extra_blocks

    def forward(self, x: dict[str, Tensor]) -> dict[str, Tensor]:
        """The results by the names of the images, the largest first."""
        names, images = list(x), list(x.values())
        inner: Any = None
        results: list[Tensor] = []
        for image, enter, leave in reversed(list(zip(images, self.inner_blocks, self.layer_blocks, strict=True))):
            own = enter(image)
            inner = own if inner is None else own + interpolate(inner, size=own.shape[-2:], mode="nearest")
            results.insert(0, leave(inner))
        if self.extra_blocks is not None:
            results, names = self.extra_blocks(results, images, names)
        return OrderedDict(zip(names, results, strict=True))
