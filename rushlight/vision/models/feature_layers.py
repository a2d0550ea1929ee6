"""Results of several layers of a network at once."""

from collections import OrderedDict

from rushlight import nn
from rushlight.tensors import Tensor

__all__ = ["IntermediateLayerGetter"]


class IntermediateLayerGetter(nn.ModuleDict):
    """The layers of a network up to the last one of `return_layers`, whose results are returned by their new names.

    ValueError if the network has no layer of such a name.

    >>> import rushlight as torch
    >>> from rushlight.vision.models.feature_layers import IntermediateLayerGetter
    >>> network = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 4), torch.nn.Linear(4, 5))
    >>> found = IntermediateLayerGetter(network, {"0": "first", "1": "second"})(torch.ones(2))
    >>> {name: tuple(result.shape) for name, result in found.items()}
    {'first': (3,), 'second': (4,)}
    """

    def __init__(self, model: nn.Module, return_layers: dict[str, str]):
        children = dict(model.named_children())
        if not set(return_layers) <= set(children):
            raise ValueError(f"return_layers are not present in model: it has {', '.join(children)}")
        last = max(list(children).index(name) for name in return_layers)
        super().__init__(dict(list(children.items())[: last + 1]))
        self.return_layers = return_layers

    def forward(self, x: Tensor) -> dict[str, Tensor]:
        """The results by name."""
        found: OrderedDict[str, Tensor] = OrderedDict()
        for name, layer in self.items():
            x = layer(x)
            if name in self.return_layers:
                found[self.return_layers[name]] = x
        return found
