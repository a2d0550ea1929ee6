"""`call_for_per_sample_grads`: the backward pass leaves a gradient of each sample beside each parameter."""

from collections.abc import Callable
from typing import Any

from rushlight.core.graph import TensorBase
from rushlight.func import functional_call, vmap
from rushlight.nn.modules.module import Module
from rushlight.tensors import Tensor
from rushlight.utils._pytree import tree_leaves, tree_map, tree_map_only

__all__ = ["call_for_per_sample_grads"]


def call_for_per_sample_grads(
    module: Module, *, batch_size: int | None = None, loss_reduction: str = "sum", batch_first: bool = True
) -> Callable[..., Any]:
    """A function that calls a module, whose backward pass adds to `grad_sample` of each parameter, not to `grad`.

    `grad_sample` has a gradient for each sample: shape (batch, *parameter). `loss_reduction` tells how the loss joins
    the samples, "sum" or "mean"; `batch_first`, whether their dimension is the first or the second. RuntimeError for
    other arguments, for inputs of other batch sizes, and for a module whose parameters have a `grad_sample` already.

    >>> import rushlight as torch
    >>> layer = torch.nn.Linear(2, 1)
    >>> call_for_per_sample_grads(layer)(torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    >>> layer.weight.grad_sample
    tensor([[[1., 2.]],
            [[3., 4.]]])
    """
    if loss_reduction not in ("sum", "mean"):
        raise RuntimeError(f"Expected loss_reduction argument to be sum or mean, got {loss_reduction}")
    if not isinstance(module, Module):
        raise RuntimeError(f"Module passed must be nn.Module, got {type(module).__name__}")
    if not (batch_size is None or isinstance(batch_size, int)):
        raise RuntimeError(f"Batch size passed must be None or an integer, got {type(batch_size).__name__}")
    if batch_size is not None and batch_size < 1:
        raise RuntimeError(f"Batch size must be positive, got {batch_size}")
    if any(getattr(parameter, "grad_sample", None) is not None for parameter in module.parameters()):
        raise RuntimeError(
            "Current Expanded Weights accumulates the gradients, which will be incorrect for multiple "
            f"calls without clearing gradients. Please clear out the grad_sample parameter of {module}"
        )
    dim = 0 if batch_first else 1

    def called(*args: Any, **kwargs: Any) -> Any:
        count = size_of((args, kwargs), dim) if batch_size is None else batch_size
        copies = {}
        for name, parameter in module.named_parameters():
            copies[name] = parameter.detach().expand(count, *parameter.shape)
            if parameter.requires_grad:
                copies[name].requires_grad_().register_post_accumulate_grad_hook(
                    adding_to(parameter, count if loss_reduction == "mean" else 1)
                )

        def of_sample(values: dict[str, Tensor], args: Any, kwargs: Any) -> Any:
            whole = tree_map_only(TensorBase, lambda value: value.unsqueeze(dim), (args, kwargs))
            return tree_map(lambda result: result.squeeze(dim), functional_call(module, values, *whole))

        batched = tree_map(lambda value: dim if isinstance(value, TensorBase) else None, (args, kwargs))
        return vmap(of_sample, in_dims=(0, *batched), out_dims=dim, randomness="different")(copies, args, kwargs)

    return called


def size_of(inputs: Any, dim: int) -> int:
    """The number of samples of all tensors among the inputs."""
    sizes = {leaf.shape[dim] for leaf in tree_leaves(inputs) if isinstance(leaf, TensorBase)}
    if len(sizes) != 1:
        raise RuntimeError(f"Expected tensors of one batch size among the inputs, got the sizes {sorted(sizes)}")
    return sizes.pop()


def adding_to(parameter: Tensor, factor: int) -> Callable[[Tensor], None]:
    """A hook that adds the gradient of a parameter's copies, one for each sample, to its `grad_sample`."""

    def add(copies: Any) -> None:
        found, copies.grad = copies.grad * factor, None
        before = getattr(parameter, "grad_sample", None)
        parameter.grad_sample = found if before is None else before + found

    return add
