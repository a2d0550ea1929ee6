"""Parallel styles of layers: by columns, by rows, or along the sequence."""

from typing import Any

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.tensor.making import distribute_module, distribute_tensor
from rushlight.distributed.tensor.parallel.prepared import (
    PrepareModuleInput,
    PrepareModuleInputOutput,
    PrepareModuleOutput,
)
from rushlight.distributed.tensor.parallel.styling import ParallelStyle, as_wanted, local_or_not
from rushlight.distributed.tensor.placements import Placement, Replicate, Shard
from rushlight.distributed.tensor.sharded import DTensor
from rushlight.nn.modules.linear import Linear
from rushlight.nn.modules.module import Module
from rushlight.nn.modules.sparse import Embedding
from rushlight.nn.parameter import Parameter
from rushlight.tensors import Tensor

__all__ = [
    "ColwiseParallel",
    "ParallelStyle",
    "PrepareModuleInput",
    "PrepareModuleInputOutput",
    "PrepareModuleOutput",
    "RowwiseParallel",
    "SequenceParallel",
]


def share_out(style: ParallelStyle, module: Module, mesh: DeviceMesh, places: dict[str, Placement]) -> None:
    """Makes a module's parameters DTensors with the given placements."""
    for name, parameter in list(module.named_parameters(recurse=False)):
        place = places.get(name, Replicate())
        part = distribute_tensor(parameter.detach(), mesh, [place], src_data_rank=style.src_data_rank)
        module.register_parameter(name, Parameter(part, requires_grad=parameter.requires_grad))


class LayerStyle(ParallelStyle):
    """The base of styles for linear layers and embeddings: placements of parameters, inputs and outputs."""

    usual_input: Placement = Replicate()
    usual_output: Placement = Replicate()

    def __init__(
        self,
        *,
        input_layouts: Placement | None = None,
        output_layouts: Placement | None = None,
        use_local_output: bool = True,
    ):
        self.input_layouts: tuple[Placement] = (input_layouts or self.usual_input,)
        self.output_layouts: tuple[Placement] = (output_layouts or self.usual_output,)
        self.use_local_output = use_local_output

    def _places(self, module: Module) -> tuple[dict[str, Placement], Placement]:
        """The placements of a module's parameters and of its input. NotImplementedError for other modules."""
        raise NotImplementedError

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        places, wanted = self._places(module)

        def prepare(module: Module, inputs: tuple[Any, ...], mesh: DeviceMesh) -> tuple[Any, ...]:
            return (as_wanted(inputs[0], mesh, self.input_layouts[0], wanted), *inputs[1:])

        def finish(module: Module, outputs: DTensor, mesh: DeviceMesh) -> Tensor:
            return local_or_not(outputs.redistribute(placements=self.output_layouts), self.use_local_output)

        return distribute_module(
            module, device_mesh, lambda name, part, mesh: share_out(self, part, mesh, places), prepare, finish
        )

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(input_layouts={self.input_layouts}, output_layouts={self.output_layouts}, "
            f"use_local_output={self.use_local_output})"
        )


class ColwiseParallel(LayerStyle):
    """Shards a layer's outputs: the rows of a linear layer's weight, the columns of an embedding's table.

    By default the input is replicated, and the output sharded along its last dimension; layouts may say otherwise: that
    of an ordinary input tensor, and that to which the output is redistributed. With `use_local_output` the output is an
    ordinary tensor, this process's part.
    """

    usual_output: Placement = Shard(-1)

    def _places(self, module: Module) -> tuple[dict[str, Placement], Placement]:
        if isinstance(module, Linear):
            return {"weight": Shard(0), "bias": Shard(0)}, Replicate()
        if isinstance(module, Embedding):
            return {"weight": Shard(1)}, Replicate()
        raise NotImplementedError("ColwiseParallel currently only support nn.Linear and nn.Embedding!")


class RowwiseParallel(LayerStyle):
    """Shards a layer's inputs: the columns of a linear layer's weight, the rows of an embedding's table.

    A linear layer's input is sharded along its last dimension, an embedding's is replicated. The outputs are summed
    over all processes; they are replicated unless `output_layouts` says otherwise.
    """

    usual_input: Placement = Shard(-1)

    def _places(self, module: Module) -> tuple[dict[str, Placement], Placement]:
        if isinstance(module, Linear):
            return {"weight": Shard(1), "bias": Replicate()}, Shard(-1)
        if isinstance(module, Embedding):
            return {"weight": Shard(0)}, Replicate()
        raise NotImplementedError("RowwiseParallel currently only support nn.Linear and nn.Embedding!")


class SequenceParallel(ParallelStyle):
    """Shards the sequence dimension: for normalization and dropout, whose parameters are replicated.

    An ordinary input tensor counts as this process's part, sharded along `sequence_dim`.
    """

    def __init__(self, *, sequence_dim: int = 1, use_local_output: bool = False):
        self.sequence_sharding: tuple[Shard] = (Shard(sequence_dim),)
        self.use_local_output = use_local_output

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        cut = self.sequence_sharding[0]

        def prepare(module: Module, inputs: tuple[Any, ...], mesh: DeviceMesh) -> tuple[Any, ...]:
            if not isinstance(inputs[0], Tensor):
                raise ValueError(f"expecting input of {module} to be a torch.Tensor or DTensor, but got {inputs[0]}")
            return (as_wanted(inputs[0], mesh, cut, cut), *inputs[1:])

        def finish(module: Module, outputs: DTensor, mesh: DeviceMesh) -> Tensor:
            return local_or_not(outputs, self.use_local_output)

        return distribute_module(
            module, device_mesh, lambda name, part, mesh: share_out(self, part, mesh, {}), prepare, finish
        )

    def __repr__(self) -> str:
        return (
            f"SequenceParallel(sequence_dim={self.sequence_sharding[0].dim}, use_local_output={self.use_local_output})"
        )


_explain_misses(globals())
