"""Gradient buckets: the gradients of several parameters in one flat array, which is communicated as a whole."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np

from rushlight.core.graph import new_tensor
from rushlight.core.kinds import is_half
from rushlight.distributed.agreement import agree
from rushlight.distributed.collectives import all_reduce
from rushlight.distributed.common_memory import CommonMemory, common_memory
from rushlight.distributed.groups import ProcessGroup
from rushlight.distributed.memory import parts_of
from rushlight.distributed.reduce_ops import ReduceOp
from rushlight.futures import Future
from rushlight.sparse.tensor import is_sparse, sparse_of
from rushlight.tensors import Tensor

__all__ = ["Bucket", "GradBucket", "assign"]

UNEXPECTED = (
    "DistributedDataParallel {} gradient of a parameter. Wrap the model while its module {} `sparse=True`, and use the "
    "parameter in that module alone."
)
Views = dict[int, np.ndarray]  # parts of a flat array, by parameters' ids
FEW = 4  # the most processes that read each other's memory directly
SMALL = 2**16  # bytes below which a bucket is sent as a message, since windows are limited
FIRST = 1.0  # MiB: a small first bucket lets communication start early


class Bucket(ABC):
    """Parameters whose gradients are communicated together."""

    def __init__(self, index: int, parameters: list[Tensor]):
        self.index = index
        self.parameters = parameters
        self.missing: set[int] = set()
        self.future: Future[Any] | None = None

    def start(self, unused: set[int]) -> None:
        """Starts to wait for the gradients of all parameters except unused ones, which count as zero."""
        self.future = None
        self.missing = {id(parameter) for parameter in self.parameters} - unused
        self.empty(unused)

    @abstractmethod
    def empty(self, unused: set[int]) -> None:
        """Sets the gradients of some parameters to zero."""

    @abstractmethod
    def take(self, parameter: Tensor, factor: float) -> None:
        """Adds a parameter's gradient, times a factor."""

    @abstractmethod
    def contents(self) -> Tensor:
        """The tensor to communicate."""

    def send(self, group: ProcessGroup, as_view: bool) -> Future[Any]:
        """Starts to sum the contents over the processes of a group."""
        work = all_reduce(self.contents(), group=group, async_op=True)
        assert work is not None
        return work.get_future()

    @abstractmethod
    def give(self, used: set[int] | None, as_view: bool) -> None:
        """Gives parameters the averaged gradients: all of them, or those that some process used."""

    def wait(self) -> Tensor:
        """Waits for the averages and returns them."""
        assert self.future is not None
        return first_of(self.future.wait())


class FlatBucket(Bucket):
    """Parameters of one dtype, and the flat array in which their gradients are communicated.

    If a few processes share memory, the array is in it, and each process reads those of all others. Two arrays
    alternate: when all processes have written to one, all have finished reading the other.
    """

    def __init__(self, index: int, parameters: list[Tensor]):
        super().__init__(index, parameters)
        self.flat: np.ndarray = np.zeros(sum(parameter.numel() for parameter in parameters), parameters[0]._array.dtype)
        self.views: Views = self.views_of(self.flat)
        self.addends: list[Views] = [self.views]  # the gradients are the sum of these
        self.asked: bool = False  # whether shared memory was requested
        self.memory: CommonMemory | None = None
        self.turns: list[tuple[np.ndarray, Views, list[Views]]] = []  # the arrays in shared memory, with views

    def views_of(self, flat: np.ndarray) -> Views:
        """The parts of a flat array, by parameter."""
        parts = parts_of(flat, self.parameters)
        return {id(parameter): part for parameter, part in zip(self.parameters, parts, strict=True)}

    def start(self, unused: set[int]) -> None:
        """Starts to wait for the gradients of all parameters except unused ones, which count as zero."""
        if len(self.addends) > 1:
            self.turn()
        self.addends = [self.views]
        super().start(unused)

    def empty(self, unused: set[int]) -> None:
        """Sets the gradients of some parameters to zero."""
        for parameter in self.parameters:
            if id(parameter) in unused:
                self.views[id(parameter)][...] = 0

    def take(self, parameter: Tensor, factor: float) -> None:
        """Adds a parameter's gradient, times a factor."""
        grad, view = parameter.grad, self.views[id(parameter)]
        if grad is None:
            view[...] = 0
        elif is_sparse(grad):
            raise RuntimeError(UNEXPECTED.format("met a sparse", "says"))
        elif factor != 1:
            np.multiply(grad._array, factor, out=view)
        elif grad._array.base is not self.flat:
            np.copyto(view, grad._array)
        self.missing.discard(id(parameter))

    def contents(self) -> Tensor:
        """The tensor to communicate."""
        return new_tensor(self.flat)

    def send(self, group: ProcessGroup, as_view: bool) -> Future[Any]:
        """Starts to sum the flat arrays of the processes, or announces that this one's may be read."""
        if not self.asked:
            self.asked = True
            if not as_view and 1 < group.size() <= FEW and self.is_large():
                self.share(group)
        if self.memory is None:
            return super().send(group, as_view)
        agree(group, "all_reduce", [self.contents()], ReduceOp.SUM)
        self.addends = self.turns[0][2]
        return self.memory.meet("all_reduce", [self.contents()]).get_future()

    def is_large(self) -> bool:
        """Whether reading each other's arrays pays; those of half precision are summed in float32 instead."""
        return self.flat.nbytes >= SMALL and not is_half(self.flat.dtype)

    def share(self, group: ProcessGroup) -> None:
        """Moves the array into memory shared by the processes, if possible."""
        self.memory = common_memory(group, 2 * self.flat.nbytes)
        if self.memory is None:
            return
        own, rank = self.flat, group.rank()
        halves = [np.split(array, 2) for array in self.memory.arrays(own.dtype)]
        for flats in zip(*halves, strict=True):
            views = [self.views_of(flat) for flat in flats]
            self.turns.append((flats[rank], views[rank], views))
        self.turn()
        np.copyto(self.flat, own)

    def turn(self) -> None:
        """Switches to the other array in shared memory."""
        self.turns.reverse()
        self.flat, self.views, _ = self.turns[0]

    def give(self, used: set[int] | None, as_view: bool) -> None:
        """Gives parameters the averaged gradients: all of them, or those that some process used."""
        arrived = self.wait()._array
        if arrived is not self.flat:
            np.copyto(self.flat, arrived.reshape(self.flat.shape))
        for parameter in self.parameters:
            if used is not None and id(parameter) not in used:
                continue
            addends = [views[id(parameter)] for views in self.addends]
            if as_view:
                if parameter.grad is None or parameter.grad._array is not addends[0]:
                    parameter.grad = new_tensor(addends[0])
            elif parameter.grad is None:
                parameter.grad = new_tensor(add_up(addends, np.empty_like(addends[0])))
            else:
                add_up(addends, parameter.grad._array)
                parameter.grad._bump()


def add_up(addends: list[np.ndarray], total: np.ndarray) -> np.ndarray:
    """The sum of some arrays, in order, written to `total`."""
    if len(addends) == 1:
        np.copyto(total, addends[0])
    else:
        np.add(addends[0], addends[1], out=total)
    for addend in addends[2:]:
        np.add(total, addend, out=total)
    return total


class SparseBucket(Bucket):
    """One parameter with sparse gradients, which is communicated by itself."""

    def __init__(self, index: int, parameters: list[Tensor]):
        super().__init__(index, parameters)
        (self.parameter,) = parameters
        self.empty({id(self.parameter)})

    def empty(self, unused: set[int]) -> None:
        """Sets the gradient to one without elements, whether the parameter is used or not."""
        rows = np.zeros((0, *self.parameter.shape[1:]), self.parameter._array.dtype)
        self.grad: Tensor = sparse_of(np.zeros((1, 0), np.int64), new_tensor(rows), self.parameter.shape)

    def take(self, parameter: Tensor, factor: float) -> None:
        """Adds the parameter's gradient, times a factor."""
        if parameter.grad is not None:
            if not is_sparse(parameter.grad):
                raise RuntimeError(UNEXPECTED.format("met a dense", "does not say"))
            self.grad = parameter.grad.detach() * factor
        self.missing.discard(id(parameter))

    def contents(self) -> Tensor:
        """The tensor to communicate."""
        return self.grad

    def give(self, used: set[int] | None, as_view: bool) -> None:
        """Gives the parameter the averaged gradient, if some process used it."""
        arrived = self.wait()
        if used is None or id(self.parameter) in used:
            self.parameter.grad = arrived


def first_of(value: Tensor | list[Tensor]) -> Tensor:
    """The tensor in a communication hook's future, by itself or in a list."""
    return value[0] if isinstance(value, (list, tuple)) else value


class GradBucket:
    """The view of a bucket that a communication hook gets.

    >>> import rushlight as torch
    >>> import rushlight.distributed as dist
    >>> model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
    >>> def hook(state, bucket):
    ...     print(bucket.index(), bucket.is_last(), bucket.buffer().shape)
    ...     future = torch.futures.Future()
    ...     future.set_result(bucket.buffer())
    ...     return future
    >>> model.register_comm_hook(None, hook)
    >>> model(torch.ones(1, 2)).sum().backward()
    0 True torch.Size([3])
    """

    def __init__(self, bucket: Bucket, last: bool):
        self._bucket, self._last = bucket, last
        self._buffer = bucket.contents()

    def index(self) -> int:
        """The bucket's index; bucket 0 is sent first."""
        return self._bucket.index

    def buffer(self) -> Tensor:
        """The gradients as a flat tensor, or a sparse gradient."""
        return self._buffer

    def set_buffer(self, tensor: Tensor) -> None:
        """Replaces the gradients by another flat tensor."""
        self._buffer = tensor

    def gradients(self) -> list[Tensor]:
        """The gradient of each parameter, as views of the flat tensor."""
        if is_sparse(self._buffer):
            return [self._buffer]
        return [new_tensor(part) for part in parts_of(self._buffer._array, self._bucket.parameters)]

    def parameters(self) -> list[Tensor]:
        """The parameters."""
        return list(self._bucket.parameters)

    def is_last(self) -> bool:
        """Whether this is the last bucket of a backward pass."""
        return self._last


def assign(parameters: Iterable[Tensor], limit: float, sparse: set[int]) -> list[Bucket]:
    """Assigns parameters to buckets of at most `limit` MiB, the last first, as their gradients arrive first.

    Parameters with `sparse` gradients, given by id, get a bucket each.
    """
    groups: list[list[Tensor]] = []
    room, dtype = 0.0, None
    for parameter in reversed(list(parameters)):
        size = parameter.nbytes / 2**20
        alone = id(parameter) in sparse
        if alone or size > room or parameter.dtype is not dtype:
            room, dtype = (limit if groups else min(FIRST, limit)), parameter.dtype
            groups.append([])
        groups[-1].append(parameter)
        room = -1.0 if alone else room - size
    return [
        (SparseBucket if id(group[0]) in sparse else FlatBucket)(index, group) for index, group in enumerate(groups)
    ]
