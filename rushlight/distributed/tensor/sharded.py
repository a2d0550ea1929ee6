"""`DTensor`: a tensor distributed over the processes of a mesh."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from rushlight.core.above import ABOVE
from rushlight.core.graph import new_tensor
from rushlight.distributed.collectives import all_reduce
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.groups import get_world_size
from rushlight.distributed.reduce_ops import ReduceOp
from rushlight.distributed.tensor.moving import Redistribute, gradients_of
from rushlight.distributed.tensor.placements import Placement, Replicate
from rushlight.distributed.tensor.spread import Spread, placements_on
from rushlight.nn.parameter import Parameter
from rushlight.ops.shapes.dimensions import as_subclass
from rushlight.size import Size
from rushlight.tensors import Tensor

__all__ = ["DTensor", "ShardedParameter", "line_of_all"]


def line_of_all(device_mesh: DeviceMesh | None) -> DeviceMesh:
    """The given mesh, or a one-dimensional mesh of all processes."""
    return DeviceMesh("cpu", np.arange(get_world_size())) if device_mesh is None else device_mesh


class DTensor(Tensor):
    """A tensor distributed over a mesh: `shape` is that of the whole tensor, but memory only that of the local part.

    `placements` tell, for each dimension of the mesh, whether the tensor is sharded, replicated or a partial sum.
    Functions accept DTensors as other tensors, and communicate as needed; all processes of the mesh must call them.
    """

    spread: Spread
    parameter_class: ClassVar[type]  # the class that `nn.Parameter` makes of it

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return ABOVE.called_with_parts(func, args, kwargs or {})

    @classmethod
    def of_part(cls, part: np.ndarray, spread: Spread, requires_grad: bool = False) -> Self:
        """A leaf with a given local part."""
        made = cls.__new__(cls)
        made._array, made._needs, made.spread = part, requires_grad, spread
        return made

    @staticmethod
    def from_local(
        local_tensor: Tensor,
        device_mesh: DeviceMesh | None = None,
        placements: Sequence[Placement] | None = None,
        *,
        run_check: bool = False,
        shape: Sequence[int] | None = None,
        stride: Sequence[int] | None = None,
        grad_placements: Sequence[Placement] | None = None,
    ) -> "DTensor":
        """A DTensor from local parts; without `shape` all parts must have the size of this process's.

        With `run_check` replicated tensors are broadcast from the first process. Gradients go to `local_tensor` in its
        placement, or in `grad_placements`. `stride` has no effect: parts keep their layout.
        """
        mesh = line_of_all(device_mesh)
        places = placements_on(mesh, placements, local_tensor.dim())
        sizes = list(local_tensor.shape if shape is None else shape)
        if run_check:
            ABOVE.check_replicas(local_tensor, mesh, places)
        if shape is None:
            for axis, placement in enumerate(places):
                if placement.is_shard():
                    sizes[placement.dim] *= mesh.size(axis)  # type: ignore[attr-defined]
        spread = Spread(mesh, places, Size(sizes))
        leaving = gradients_of(places) if grad_placements is None else placements_on(mesh, grad_placements, len(sizes))
        return with_gradients(local_tensor, spread, gradients_of(places), leaving)

    @property
    def shape(self) -> Size:
        """The shape of the whole tensor."""
        return self.spread.shape

    @property
    def device_mesh(self) -> DeviceMesh:
        """The mesh of the processes."""
        return self.spread.mesh

    @property
    def placements(self) -> tuple[Placement, ...]:
        """The placement along each dimension of the mesh."""
        return self.spread.placements

    @property
    def _spec(self) -> Spread:
        """The tensor's distribution."""
        return self.spread

    @property
    def _local_tensor(self) -> Tensor:
        """The local part, detached from the graph."""
        return new_tensor(self._array)

    @property
    def grad(self) -> Tensor | None:
        """The gradient, in the tensor's placement."""
        found = Tensor.grad.__get__(self)  # type: ignore[union-attr]
        if found is not None and not isinstance(found, DTensor):
            found = self._grad = self.alike(found._array)
        return found

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        Tensor.grad.__set__(self, value)  # type: ignore[union-attr]

    def alike(self, part: np.ndarray) -> "DTensor":
        """A DTensor of the same distribution with another local part, such as a gradient's."""
        return DTensor.of_part(part, self.spread.otherwise(gradients_of(self.placements)))

    def to_local(self, *, grad_placements: Sequence[Placement] | None = None) -> Tensor:
        """The local part, which shares memory; its gradient has the tensor's placement, or `grad_placements`."""
        part = as_subclass(self, Tensor)
        usual = gradients_of(self.placements)
        arriving = (
            usual if grad_placements is None else placements_on(self.device_mesh, grad_placements, len(self.shape))
        )
        return part if arriving == usual else Redistribute.apply(part, self.spread, self.placements, arriving, usual)

    def redistribute(
        self,
        device_mesh: DeviceMesh | None = None,
        placements: Sequence[Placement] | None = None,
        *,
        async_op: bool = False,
        forward_dtype: Any = None,
        backward_dtype: Any = None,
    ) -> "DTensor":
        """The tensor in another placement. NotImplementedError for another mesh.

        Communication is complete when the function returns, also with `async_op`. `forward_dtype` is the dtype for
        communication; gradients are sent in their own.
        """
        if device_mesh is not None and device_mesh != self.device_mesh:
            raise NotImplementedError("Cross device mesh comm not supported yet! Go through full_tensor().")
        if backward_dtype is not None:
            raise NotImplementedError("backward_dtype is not supported: gradients are sent in their own type.")
        if placements is None:
            raise RuntimeError("placements is needed for redistribute!")
        goal = placements_on(self.device_mesh, placements, len(self.shape))
        source: DTensor = self if forward_dtype is None else self.to(forward_dtype)  # type: ignore[assignment]
        if goal == self.placements:
            return source
        part = as_subclass(source, Tensor)
        back = gradients_of(goal), gradients_of(self.placements)
        part = Redistribute.apply(part, self.spread, goal, *back)
        return of_local(part, self.spread.otherwise(goal))

    def full_tensor(self, *, grad_placements: Sequence[Placement] | None = None) -> Tensor:
        """The whole tensor, on each process. All processes of the mesh must call it."""
        everywhere = [Replicate()] * self.device_mesh.ndim
        return self.redistribute(placements=everywhere).to_local(grad_placements=grad_placements)

    def norm_key(self) -> Any:
        """A key for tensors whose norms are reduced together."""
        return self.device_mesh, tuple(placement.is_shard() for placement in self.placements)

    def combine_norms(self, norm: float, order: float) -> float:
        """The norm of the whole tensor from the norms of the local parts. All processes must call it."""
        total = new_tensor(np.array([norm if np.isinf(order) else norm**order]))
        op = ReduceOp.SUM if not np.isinf(order) else ReduceOp.MAX if order > 0 else ReduceOp.MIN
        for axis, placement in enumerate(self.placements):
            if placement.is_shard():
                all_reduce(total, op, self.device_mesh.get_group(axis))
        return total.item() if np.isinf(order) else total.item() ** (1 / order)

    def __deepcopy__(self, memo: Any) -> Any:
        if id(self) not in memo:
            memo[id(self)] = self.of_part(self._array.copy(), self.spread, self._needs)
        return memo[id(self)]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.unbind())

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        local = self._local_tensor
        return f"DTensor(local_tensor={local}, device_mesh={self.device_mesh}, placements={self.placements})"


class ShardedParameter(DTensor, Parameter):  # type: ignore[misc]  # the copies of each are its own
    """A distributed parameter: a DTensor that modules accept as a Parameter."""

    def __init__(self, data: DTensor, requires_grad: bool = True):
        super().__init__(data, requires_grad)
        self.spread: Spread = data.spread


DTensor.parameter_class = ShardedParameter


def of_local(part: Tensor, spread: Spread) -> DTensor:
    """A tensor as a DTensor, with its place in the graph."""
    made: DTensor = as_subclass(part, DTensor)  # type: ignore[assignment]
    made.spread = spread
    return made


def with_gradients(part: Tensor, spread: Spread, arriving: tuple[Any, ...], leaving: tuple[Any, ...]) -> DTensor:
    """A local part as a DTensor, whose gradient is redistributed before it is passed on."""
    if arriving != leaving:
        part = Redistribute.apply(part, spread, spread.placements, arriving, leaving)
    return of_local(part, spread)
