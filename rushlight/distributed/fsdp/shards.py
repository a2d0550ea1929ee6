"""The parameters of one sharded module: gathered where they are used; their gradients averaged and sharded."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from rushlight.core.engine import RUN
from rushlight.core.graph import new_tensor
from rushlight.core.windows import address
from rushlight.distributed.collectives import all_gather_into_tensor, all_reduce, reduce_scatter_tensor
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.fsdp.policies import MixedPrecisionPolicy
from rushlight.distributed.groups import ProcessGroup
from rushlight.distributed.objects import all_gather_object
from rushlight.distributed.reduce_ops import ReduceOp
from rushlight.distributed.tensor.placements import Placement, Replicate, Shard
from rushlight.distributed.tensor.sharded import DTensor, ShardedParameter
from rushlight.distributed.tensor.spread import Spread, rows_of
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from rushlight.size import Size
from rushlight.tensors import Tensor

__all__ = ["Shards"]


class Place:
    """One parameter: the modules that have it, the rows that this process holds, and the whole tensor.

    The whole tensor is the same leaf in all passes. Between its uses it has no memory: a single zero, expanded.
    """

    def __init__(self, owners: list[tuple[Module, str]], parameter: Tensor, mesh: DeviceMesh, start: int, dtype: Any):
        array = parameter._array
        self.owners = owners
        self.shape: tuple[int, ...] = array.shape
        rows = self.shape or (1,)
        axis = mesh.ndim - 1
        first, last = rows_of(rows[0], mesh.size(axis), mesh.get_local_rank(axis))
        own = array.reshape(rows)[first:last].copy()
        self.sharded = ShardedParameter.of_part(own, spread_of_rows(parameter, rows, mesh), parameter.requires_grad)
        self.size: int = -(-rows[0] // mesh.size(axis)) * int(np.prod(rows[1:]))
        self.part: slice[int, int, None] = slice(start, start + self.size)
        self.nothing: np.ndarray = np.broadcast_to(
            np.zeros((), array.dtype if dtype is None else dtype._numpy), self.shape
        )
        self.whole = new_tensor(self.nothing)
        if isinstance(parameter, DTensor):
            self.whole = DTensor.of_part(self.nothing, parameter.spread)
        self.whole.requires_grad_(parameter.requires_grad)
        self.grad: np.ndarray | None = None

    def show(self, tensor: Tensor) -> None:
        """Sets the whole tensor or the rows as the parameter of the modules that have it."""
        for module, name in self.owners:
            module._parameters[name] = tensor  # type: ignore[assignment]  # stands for the Parameter

    def is_shown(self) -> bool:
        """Whether the whole tensor is the modules' parameter now."""
        module, name = self.owners[0]
        return module._parameters[name] is self.whole

    def adopt(self) -> None:
        """Takes over rows that were assigned as the modules' parameter since it was last set."""
        module, name = self.owners[0]
        found = module._parameters[name]
        if isinstance(found, DTensor) and found is not self.sharded and found is not self.whole:
            self.sharded = found

    def holds(self, array: np.ndarray) -> bool:
        """Whether an array is in the memory of the whole tensor."""
        whole = self.whole._array
        return whole is not self.nothing and 0 <= address(array) - address(whole) < max(whole.nbytes, 1)


def spread_of_rows(parameter: Tensor, rows: tuple[int, ...], mesh: DeviceMesh) -> Spread:
    """The placement of a parameter whose rows are sharded along the last dimension of a mesh.

    A parameter that is sharded already is sharded again: on a mesh of both dimensions, the earlier one first.
    """
    placements: tuple[Placement, ...] = (*[Replicate()] * (mesh.ndim - 1), Shard(0))
    if not isinstance(parameter, DTensor):
        return Spread(mesh, placements, Size(rows))
    before = parameter.spread
    group = before.mesh.get_group(0)
    lines: list[Any] = [None] * group.size()
    all_gather_object(lines, mesh.mesh.tolist(), group)
    theirs, own = before.mesh.mesh_dim_names, mesh.mesh_dim_names
    names = (*theirs, *own) if theirs and own else None
    both = DeviceMesh(mesh.device_type, lines, mesh_dim_names=names, groups=[group, *mesh.get_all_groups()])
    return Spread(both, (*before.placements, *placements), before.shape)


class Shards:
    """The parameters of a module that are in no sharded submodule of it.

    `gather` makes them whole, in a single communication. A hook on each takes its gradient; after the last one the
    gradients are averaged over the processes, and each process gets those of its rows. Processes that hold the same
    rows are `replicas` of each other.
    """

    length: int
    gathered: bool

    group: ProcessGroup
    policy: MixedPrecisionPolicy
    replicas: ProcessGroup | None

    def __init__(self, module: Module, mesh: DeviceMesh, policy: MixedPrecisionPolicy, ignored: set[int]):
        self.group, self.policy = mesh.get_group(mesh.ndim - 1), policy
        self.replicas = mesh.get_group(0) if mesh.ndim == 2 else None
        self.divisor: float | None = None  # of summed gradients: by default the number of processes
        self.places: list[Place] = []
        self.length = 0
        self.syncs: bool = False
        self.gathered: bool = False
        self.next_forward: list[Shards] = []  # gathered too, in advance
        self.next_backward: list[Shards] = []
        self.missing: set[int] = set()
        found: dict[int, tuple[Tensor, list[tuple[Module, str]]]] = {}
        inner = [part.__dict__["_shards"] for part in module.modules() if "_shards" in part.__dict__]
        passed = ignored | {id(place.sharded) for shards in inner for place in shards.places}
        for owner in module.modules():
            for name, own in owner._parameters.items():
                if own is not None and id(own) not in passed:
                    found.setdefault(id(own), (own, []))[1].append((owner, name))
        for parameter, owners in found.values():
            self._add(Place(owners, parameter, mesh, self.length, policy.param_dtype))
        self.syncs = True
        self.hide()

    def _add(self, place: Place) -> None:
        """Adds a parameter. AssertionError for a different dtype, as they are communicated as one array."""
        if self.places and place.nothing.dtype != self.places[0].nothing.dtype:
            raise AssertionError(
                f"FSDP expects uniform original parameter dtype but got {self.places[0].nothing.dtype} and "
                f"{place.nothing.dtype}: shard the parts of each dtype by themselves, or leave some out."
            )
        self.places.append(place)
        self.length += place.size
        if place.whole.requires_grad:
            place.whole.register_post_accumulate_grad_hook(partial(self._take, place))

    # parameters

    def put_rows(self) -> None:
        """Sets the rows of this process as the parameters."""
        for place in self.places:
            place.show(place.sharded)

    def hide(self) -> None:
        """Sets the rows as the parameters, and frees the memory of the whole tensors."""
        self.put_rows()
        for place in self.places:
            place.whole._array = place.nothing
        self.gathered = False

    def is_shown(self) -> bool:
        """Whether the whole tensors are set as the parameters."""
        return all(place.is_shown() for place in self.places)

    def gather(self) -> None:
        """Gathers the parameters, unless they are whole."""
        if self.gathered or not self.places:
            return
        own = np.zeros(self.length, self.places[0].nothing.dtype)
        for place in self.places:
            place.adopt()
            rows = place.sharded._array.reshape(-1)
            own[place.part.start : place.part.start + rows.size] = rows
        everything = np.empty((self.group.size(), self.length), own.dtype)
        all_gather_into_tensor(new_tensor(everything), new_tensor(own), self.group)
        for place in self.places:
            rows = everything[:, place.part].reshape(-1)
            place.whole._array = rows[: int(np.prod(place.shape))].reshape(place.shape)
        self.gathered = True

    def show(self) -> None:
        """Sets the whole tensors as the parameters, and expects their gradients.

        When a function is recomputed in backward, it expects the same gradients as before, if any.
        """
        self.gather()
        if RUN.get() is None or not self.missing:
            self.missing = {id(place) for place in self.places if place.whole.requires_grad}
        for place in self.places:
            place.show(place.whole)

    @contextmanager
    def brought_together(self, writes_back: bool, left_out: bool, with_grads: bool) -> Iterator[None]:
        """A context in which the parameters are whole, and leaves of their own; changes of them may be kept.

        A process that is left out only takes part in the communication.
        """
        wholes: list[tuple[Place, Tensor]] = []
        self.hide()
        for place in self.places:
            place.adopt()
            rows = place.sharded
            whole = Parameter(rows.detach().full_tensor().reshape(place.shape), rows.requires_grad)
            if with_grads and rows.grad is not None:
                whole.grad = rows.grad.full_tensor().reshape(place.shape)  # lies as its rows
            if not left_out:
                wholes.append((place, whole))
                place.show(whole)
        try:
            yield
        finally:
            for place, tensor in wholes:
                rows = place.sharded
                if writes_back:
                    rows._array[...] = rows.spread.cut(tensor._array.reshape(rows.shape))
                    rows._bump()
                place.show(rows)

    # what the graph saves

    def pack(self, tensor: Tensor) -> Any:
        """What the graph saves of a tensor: for a whole parameter, or a view of it, only its place."""
        for number, place in enumerate(self.places):
            array = tensor._array
            if place.holds(array):
                return number, address(array) - address(place.whole._array), array.shape, array.strides
        return tensor

    def unpack(self, kept: Any) -> Tensor:
        """The tensor that was packed; gathers the parameters again if necessary."""
        if isinstance(kept, Tensor):
            return kept
        number, offset, shape, strides = kept
        if not self.gathered:
            for shards in (self, *self.next_backward):
                shards.gather()
        whole = self.places[number].whole._array
        return new_tensor(np.ndarray(shape, whole.dtype, whole.reshape(-1).view(np.uint8), offset, strides))

    # gradients

    def _take(self, place: Place, whole: Tensor) -> None:
        """Takes the gradient of a whole parameter; the last one starts the averaging."""
        assert whole.grad is not None
        grad, whole.grad = whole.grad._array, None
        place.grad = grad if place.grad is None else place.grad + grad
        self.missing.discard(id(place))
        if not self.missing:
            self.reduce() if self.syncs else self.hide()

    def skip_unused(self, used: set[int]) -> None:
        """Does not wait for the gradients of parameters that a pass does not use."""
        self.missing -= {id(place) for place in self.places if id(place.whole) not in used}

    def reduce(self) -> None:
        """Averages the gradients over the processes, and accumulates those of this process's rows."""
        self.hide()
        self.missing = {id(place) for place in self.places if place.whole.requires_grad}
        size, dtype = self.group.size(), self.policy.reduce_dtype
        data = np.zeros((size, self.length), self.places[0].nothing.dtype if dtype is None else dtype._numpy)
        for place in self.places:
            if place.grad is not None:
                rows = np.zeros(size * place.size, data.dtype)
                rows[: place.grad.size] = place.grad.reshape(-1)
                data[:, place.part] = rows.reshape(size, place.size)
        own = np.empty(self.length, data.dtype)
        op = ReduceOp.AVG if self.divisor is None else ReduceOp.SUM
        reduce_scatter_tensor(new_tensor(own), new_tensor(data), op, self.group)
        if self.replicas is not None:
            all_reduce(new_tensor(own), op, self.replicas)
        if self.divisor is not None:
            own /= self.divisor
        for place in self.places:
            if place.grad is not None:
                place.grad = None
                self._give(place.sharded, own[place.part])

    def _give(self, sharded: DTensor, averages: np.ndarray) -> None:
        """Accumulates averages, of which the first are those of the rows, into the gradient of the rows."""
        rows = sharded._array
        grad = averages[: rows.size].reshape(rows.shape).astype(rows.dtype)
        if sharded.grad is not None:
            grad += sharded.grad._array
        sharded.grad = sharded.alike(grad)
