"""Making DTensors from whole tensors, from factory functions, and from all parameters of a module."""

from collections.abc import Callable, Sequence
from typing import Any

import rushlight as torch
from rushlight.core.above import above
from rushlight.distributed.collectives import broadcast
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.tensor.moving import Redistribute, gradients_of
from rushlight.distributed.tensor.placements import Placement, Replicate
from rushlight.distributed.tensor.sharded import DTensor, line_of_all, of_local
from rushlight.distributed.tensor.spread import Spread, placements_on
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from rushlight.size import Size
from rushlight.tensors import Tensor

__all__ = ["distribute_module", "distribute_tensor", "empty", "full", "ones", "rand", "randn", "zeros"]


def distribute_tensor(
    tensor: Tensor,
    device_mesh: DeviceMesh | None = None,
    placements: Sequence[Placement] | None = None,
    *,
    src_data_rank: int | None = 0,
) -> DTensor:
    """Distributes a tensor: each process gets its part of that on process `src_data_rank` of its line of the mesh.

    With None, each takes its part of its own tensor; these must be equal. All processes must call it. ValueError for
    placements that do not fit the mesh.

    >>> import rushlight.distributed as dist
    >>> from rushlight.distributed.tensor import DTensor, Shard, distribute_tensor
    >>> dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
    >>> distribute_tensor(torch.ones(2, 3), placements=[Shard(0)]).shape
    torch.Size([2, 3])
    >>> dist.destroy_process_group()
    """
    mesh = line_of_all(device_mesh)
    if isinstance(tensor, DTensor):
        if tensor.device_mesh != mesh or tensor.placements != placements_on(mesh, placements, tensor.dim()):
            raise ValueError(
                f"Cannot distribute a DTensor with placements {tensor.placements} on {tensor.device_mesh} to "
                f"{placements} on {mesh}: use redistribute."
            )
        return tensor
    places = placements_on(mesh, placements, tensor.dim())
    if any(placement.is_partial() for placement in places):
        raise RuntimeError("Trying to distribute a tensor to a Partial placement: use Shard or Replicate.")
    everywhere: tuple[Placement, ...] = (Replicate(),) * mesh.ndim
    whole = tensor.clone()
    if src_data_rank is not None and not tensor.is_meta:
        for axis in range(mesh.ndim):
            broadcast(whole.detach(), group=mesh.get_group(axis), group_src=src_data_rank)
    spread = Spread(mesh, everywhere, tensor.shape)
    if not tensor.requires_grad or tensor.is_leaf:
        part = whole.detach()
        part = part if places == everywhere else spread.otherwise(places).cut(part).clone()
        return DTensor.of_part(part._settled(), spread.otherwise(places), tensor.requires_grad)
    part = Redistribute.apply(whole, spread, places, gradients_of(places), everywhere)
    return of_local(part, spread.otherwise(places))


@above
def check_replicas(local: Tensor, mesh: DeviceMesh, placements: tuple[Placement, ...]) -> None:
    """Broadcasts what is replicated on a mesh from the first process of each line, in place."""
    for axis, placement in enumerate(placements):
        if placement.is_replicate():
            broadcast(local.detach(), group=mesh.get_group(axis), group_src=0)


def distribute_module(
    module: Module,
    device_mesh: DeviceMesh | None = None,
    partition_fn: Callable[[str, Module, DeviceMesh], None] | None = None,
    input_fn: Callable[[Module, Any, DeviceMesh], Any] | None = None,
    output_fn: Callable[[Module, Any, DeviceMesh], Any] | None = None,
) -> Module:
    """Makes a module's parameters and buffers DTensors; changes the module, and returns it.

    `partition_fn` is called for each submodule with its name; what it leaves is replicated. `input_fn` gets the
    arguments of `forward`, and `output_fn` its result.
    """
    mesh = line_of_all(device_mesh)
    for name, part in module.named_modules():
        if partition_fn is not None:
            partition_fn(name, part, mesh)
        for key, parameter in part._parameters.items():
            if parameter is not None and not isinstance(parameter, DTensor):
                whole = distribute_tensor(parameter.detach(), mesh, src_data_rank=None)
                part.register_parameter(key, Parameter(whole, requires_grad=parameter.requires_grad))
        for key, buffer in part._buffers.items():
            if buffer is not None and not isinstance(buffer, DTensor):
                part._buffers[key] = distribute_tensor(buffer, mesh, src_data_rank=None)
    if input_fn is not None:
        module.register_forward_pre_hook(lambda module, inputs: input_fn(module, inputs, mesh))
    if output_fn is not None:
        module.register_forward_hook(lambda module, inputs, outputs: output_fn(module, outputs, mesh))
    return module


def maker(function: Callable[..., Any], random: bool = False) -> Callable[..., DTensor]:
    """Makes the DTensor version of a factory function."""

    def make(
        *size: Any,
        requires_grad: bool = False,
        dtype: Any = None,
        layout: Any = torch.strided,
        device_mesh: DeviceMesh | None = None,
        placements: Sequence[Placement] | None = None,
    ) -> DTensor:
        *before, last = size if function is torch.full else (*size, None)
        shape = before[0] if before and isinstance(before[0], (tuple, list)) else before
        mesh = line_of_all(device_mesh)
        spread = Spread(mesh, placements_on(mesh, placements, len(shape)), Size(shape))
        value = (last,) if function is torch.full else ()
        if random:  # draws the whole tensor, of which each process takes its part
            part = spread.cut(function(tuple(shape), dtype=dtype, layout=layout)).clone()
        else:
            part = function(spread.local_shape(), *value, dtype=dtype, layout=layout)
        return DTensor.of_part(part._settled(), spread, requires_grad)

    make.__name__ = make.__qualname__ = function.__name__
    make.__doc__ = (
        f"`torch.{function.__name__}` of which each process of a mesh holds a part; without one, all have it."
    )
    return make


zeros: Callable[..., DTensor] = maker(torch.zeros)
ones: Callable[..., DTensor] = maker(torch.ones)
empty: Callable[..., DTensor] = maker(torch.empty)
full: Callable[..., DTensor] = maker(torch.full)
rand: Callable[..., DTensor] = maker(torch.rand, random=True)
randn: Callable[..., DTensor] = maker(torch.randn, random=True)
