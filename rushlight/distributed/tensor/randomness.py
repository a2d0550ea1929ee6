"""Random numbers in DTensors: those that one process alone would draw, of which each process takes its part.

So parts differ as they do within the whole, copies are the same, and processes that began with one seed have drawn as
many. PyTorch has it so on GPUs; on CPUs each of its processes draws for its part alone.
"""

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any

import rushlight as torch
from rushlight.autograd import no_grad
from rushlight.distributed.tensor.moving import gradients_of
from rushlight.distributed.tensor.sharded import DTensor
from rushlight.distributed.tensor.special import SPECIAL, special
from rushlight.nn.functional.dropping import check_probability
from rushlight.tensors import Tensor

__all__ = ["draw_into", "draws"]

IN_PLACE = "uniform_ normal_ log_normal_ exponential_ cauchy_ geometric_ bernoulli_ random_".split()


def draws(name: str, func: Callable[..., Any]) -> bool:
    """Whether a function fills its tensor with random numbers, or as `nn.init` has it."""
    return name in IN_PLACE or func.__module__ == "rushlight.nn.init"


def draw_into(func: Callable[..., Any], tensor: DTensor, *args: Any, **kwargs: Any) -> DTensor:
    """A call that fills a tensor in place."""
    whole = tensor._local_tensor.new_empty(tensor.shape)
    func(whole, *args, **kwargs)
    with no_grad() if func.__module__ == "rushlight.nn.init" else nullcontext():
        tensor.to_local().copy_(tensor.spread.cut(whole))
    return tensor


def part_of(whole: Tensor, input: DTensor) -> DTensor:
    """A tensor that all processes have, of which each keeps the part that it has of `input`."""
    spread = input.spread.otherwise(gradients_of(input.placements))
    return DTensor.of_part(spread.cut(whole.detach()).clone()._settled(), spread, whole.requires_grad)


def drawn_like(function: Callable[..., Tensor], input: DTensor, *args: Any, **kwargs: Any) -> DTensor:
    """Numbers in the shape of a tensor."""
    return part_of(function(input._local_tensor.new_empty(input.shape), *args, **kwargs), input)


for function in (torch.rand_like, torch.randn_like, torch.randint_like):
    SPECIAL[function.__name__] = partial(drawn_like, function)


@special("bernoulli")
def bernoulli(input: DTensor, p: float | None = None, *, generator: Any = None) -> DTensor:
    """Ones with the probabilities that the elements are."""
    return part_of(torch.bernoulli(input.detach().full_tensor(), p, generator=generator), input)  # type: ignore[arg-type]


@special("dropout")
def dropout(input: DTensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """The tensor times its part of a mask."""
    check_probability(p)
    if not training or p == 0:
        return input
    mask = part_of(torch.nn.functional.dropout(input._local_tensor.new_ones(input.shape), p), input)
    return input.mul_(mask) if inplace else input * mask
