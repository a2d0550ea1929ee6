"""The deprecated place of `torch.func.functional_call`."""

from typing import Any

from rushlight.core.lines import warn
from rushlight.func.modules import functional_call as call
from rushlight.nn.modules.module import Module
from rushlight.tensors import Tensor

__all__ = ["functional_call"]


def functional_call(
    module: Module,
    parameters_and_buffers: dict[str, Tensor],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Deprecated; use `torch.func.functional_call`."""
    warn(
        "This API is deprecated as of PyTorch 2.0 and will be removed in a future version of PyTorch. Please use "
        "torch.func.functional_call instead which is a drop-in replacement.",
        FutureWarning,
    )
    return call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)
