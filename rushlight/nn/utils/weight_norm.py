"""The older `weight_norm`: a forward pre-hook computes the weight from `weight_g` and `weight_v`."""

from typing import Any

from rushlight.core.lines import warn
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from rushlight.nn.utils.hooked import refuse_second, remove_hook
from rushlight.ops.reductions.weight_norms import _weight_norm, norm_except_dim
from rushlight.tensors import Tensor

__all__ = ["WeightNorm", "remove_weight_norm", "weight_norm"]


class WeightNorm:
    """The hook: computes a module's weight from its norm and its direction."""

    name: str
    dim: int

    def __init__(self, name: str, dim: int | None):
        self.name, self.dim = name, -1 if dim is None else dim

    def compute_weight(self, module: Module) -> Tensor:
        """The weight: `weight_v`, rescaled to the norm `weight_g`."""
        return _weight_norm(getattr(module, f"{self.name}_v"), getattr(module, f"{self.name}_g"), self.dim)

    @staticmethod
    def apply(module: Module, name: str, dim: int | None) -> "WeightNorm":
        """Adds the hook to a module. RuntimeError if the weight has one already."""
        warn(
            "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.",
            FutureWarning,
        )
        refuse_second(module, WeightNorm, "weight_norm", name)
        hook = WeightNorm(name, dim)
        weight = getattr(module, name)
        del module._parameters[name]
        module.register_parameter(f"{name}_g", Parameter(norm_except_dim(weight, 2, hook.dim).data))
        module.register_parameter(f"{name}_v", Parameter(weight.data))
        setattr(module, name, hook.compute_weight(module))
        module.register_forward_pre_hook(hook)
        return hook

    def remove(self, module: Module) -> None:
        """Makes the weight a parameter again, with its present value."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[f"{self.name}_g"]
        del module._parameters[f"{self.name}_v"]
        setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module: Module, inputs: Any) -> None:
        """Computes the weight before a call."""
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Trains the norm of a weight, `weight_g`, separately from its direction, `weight_v`.

    Deprecated; use `parametrizations.weight_norm`.

    >>> import rushlight as torch
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):  # it is deprecated: `parametrizations.weight_norm`
    ...     layer = torch.nn.utils.weight_norm(torch.nn.Linear(2, 3))
    >>> layer.weight_g.shape, layer.weight_v.shape
    (torch.Size([3, 1]), torch.Size([3, 2]))
    """
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """Reverses `weight_norm`: the weight is a parameter again. ValueError if it was not applied.

    >>> import rushlight as torch
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     layer = torch.nn.utils.weight_norm(torch.nn.Linear(2, 3))
    >>> sorted(name for name, _ in torch.nn.utils.remove_weight_norm(layer).named_parameters())
    ['bias', 'weight']
    """
    return remove_hook(module, WeightNorm, "weight_norm", name)
