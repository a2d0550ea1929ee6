"""The older `spectral_norm`: a forward pre-hook divides the weight by its largest singular value."""

from typing import Any

import rushlight
from rushlight.autograd import no_grad
from rushlight.linalg import multi_dot
from rushlight.nn.functional import normalize
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from rushlight.nn.utils.hooked import refuse_second, remove_hook
from rushlight.nn.utils.parametrizations import dimension_of_results
from rushlight.tensors import Tensor

__all__ = [
    "SpectralNorm",
    "SpectralNormLoadStateDictPreHook",
    "SpectralNormStateDictHook",
    "remove_spectral_norm",
    "spectral_norm",
]


class SpectralNorm:
    """The hook: divides a module's weight by its largest singular value, estimated by the power method."""

    name: str
    dim: int
    n_power_iterations: int
    eps: float

    _version = 1

    def __init__(self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12):
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name, self.dim, self.n_power_iterations, self.eps = name, dim, n_power_iterations, eps

    def reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        """The weight as a matrix, with one row for each index of `dim`."""
        return weight.movedim(self.dim, 0).reshape(weight.size(self.dim), -1)

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        """The weight divided by its largest singular value, after steps of the power method if asked for."""
        weight, u, v = (getattr(module, f"{self.name}_{part}") for part in ("orig", "u", "v"))
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(normalize(rushlight.mv(matrix.t(), u), dim=0, eps=self.eps))
                    u.copy_(normalize(rushlight.mv(matrix, v), dim=0, eps=self.eps))
                u, v = u.clone(), v.clone()  # later calls change the module's own vectors in place
        return weight / rushlight.dot(u, rushlight.mv(matrix, v))

    def remove(self, module: Module) -> None:
        """Makes the weight a parameter again, with its present value."""
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for name in (self.name, f"{self.name}_u", f"{self.name}_v", f"{self.name}_orig"):
            delattr(module, name)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Module, inputs: Any) -> None:
        """Computes the weight before a call; in training after steps of the power method."""
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    @staticmethod
    def apply(module: Module, name: str, n_power_iterations: int, dim: int, eps: float) -> "SpectralNorm":
        """Adds the hook to a module. RuntimeError if the weight has one already."""
        refuse_second(module, SpectralNorm, "spectral_norm", name)
        hook = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        with no_grad():
            sizes = hook.reshape_weight_to_matrix(weight).shape
            u, v = (normalize(weight.new_empty(n).normal_(0, 1), dim=0, eps=eps) for n in sizes)
        delattr(module, name)
        module.register_parameter(f"{name}_orig", weight)
        setattr(module, name, weight.data)
        module.register_buffer(f"{name}_u", u)
        module.register_buffer(f"{name}_v", v)
        module.register_forward_pre_hook(hook)
        module._register_state_dict_hook(SpectralNormStateDictHook(hook))
        module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(hook))
        return hook


class SpectralNormStateDictHook:
    """Stores the version of the hook with a state dict."""

    def __init__(self, fn: SpectralNorm):
        self.fn = fn

    def __call__(self, module: Module, state_dict: dict[Any, Any], prefix: str, local_metadata: dict[Any, Any]) -> None:
        """Adds the version to the metadata."""
        local_metadata.setdefault("spectral_norm", {})[f"{self.fn.name}.version"] = self.fn._version


class SpectralNormLoadStateDictPreHook:
    """Converts state dicts of version 1, which have the weight in place of `weight_v`."""

    def __init__(self, fn: SpectralNorm):
        self.fn = fn

    def __call__(
        self,
        state_dict: dict[Any, Any],
        prefix: str,
        local_metadata: dict[Any, Any],
        strict: bool,
        missing_keys: list[Any],
        unexpected_keys: list[Any],
        error_msgs: list[Any],
    ) -> None:
        """Computes the missing vector."""
        key = prefix + self.fn.name
        version = local_metadata.get("spectral_norm", {}).get(f"{self.fn.name}.version")
        today = all(f"{key}_{part}" in state_dict for part in ("orig", "u", "v")) and key not in state_dict
        if version is not None or today:
            return
        lacking = [name for name in (f"{key}_orig", key, f"{key}_u") if name not in state_dict]
        if lacking:
            missing_keys.extend(lacking if strict else [])
            return
        with no_grad():
            original, weight, u = state_dict[f"{key}_orig"], state_dict.pop(key), state_dict[f"{key}_u"]
            matrix = self.fn.reshape_weight_to_matrix(original)
            state_dict[f"{key}_v"] = right_vector(matrix, u, (original / weight).mean())


def right_vector(matrix: Tensor, u: Tensor, sigma: Tensor) -> Tensor:
    """The vector v for which matrix @ v is a multiple of `u`, and u @ matrix @ v is `sigma`."""
    v = multi_dot([matrix.t().mm(matrix).pinverse(), matrix.t(), u.unsqueeze(1)]).squeeze(1)
    return v * (sigma / rushlight.dot(u, rushlight.mv(matrix, v)))


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Keeps the largest singular value of a weight near one; use `parametrizations.spectral_norm` instead.

    Each call in training makes `n_power_iterations` steps of the power method; its vectors are the buffers `weight_u`
    and `weight_v`. `dim` is the dimension of the outputs: by default 0, and 1 for transposed convolutions.

    >>> import rushlight as torch
    >>> layer = torch.nn.utils.spectral_norm(torch.nn.Linear(3, 4))
    >>> layer.weight_u.shape, layer.weight_v.shape
    (torch.Size([4]), torch.Size([3]))
    """
    SpectralNorm.apply(module, name, n_power_iterations, dimension_of_results(module) if dim is None else dim, eps)
    return module


def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """Reverses `spectral_norm`: the weight is a parameter again. ValueError if it was not applied.

    >>> import rushlight as torch
    >>> layer = torch.nn.utils.spectral_norm(torch.nn.Linear(2, 3))
    >>> sorted(name for name, _ in torch.nn.utils.remove_spectral_norm(layer).named_parameters())
    ['bias', 'weight']
    """
    return remove_hook(module, SpectralNorm, "spectral_norm", name)
