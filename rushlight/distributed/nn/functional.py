"""Differentiable collectives: the backward of each function is the adjoint communication.

All processes must run backward too, since the adjoints communicate.
"""

from typing import Any

from rushlight.autograd.function import Function
from rushlight.distributed import collectives
from rushlight.distributed.groups import ProcessGroup, here
from rushlight.distributed.reduce_ops import ReduceOp
from rushlight.ops.making.creation import empty_like, zeros_like
from rushlight.ops.shapes.joining import cat, stack
from rushlight.ops.shapes.slicing import unbind
from rushlight.tensors import Tensor

__all__ = [
    "all_gather",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "broadcast",
    "gather",
    "reduce",
    "reduce_scatter",
    "scatter",
]

Group = ProcessGroup | None


class AllReduce(Function):
    """A sum on all processes; its adjoint is the same sum of the gradients."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, op: ReduceOp, group: Group) -> Tensor:
        ctx.op, ctx.group = op, group
        result = tensor.clone()
        collectives.all_reduce(result, op, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        return AllReduce.apply(grad, ctx.op, ctx.group), None, None


class Broadcast(Function):
    """Sends the tensor of one process to all; its adjoint sums the gradients of all in that process."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, src: int, group: Group) -> Tensor:
        ctx.src, ctx.group = src, group
        result = tensor.clone()
        collectives.broadcast(result, src, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        return Reduce.apply(grad, ctx.src, ReduceOp.SUM, ctx.group), None, None


class Reduce(Function):
    """A sum on one process, zeros on the others; its adjoint is a broadcast."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, dst: int, op: ReduceOp, group: Group) -> Tensor:
        ctx.dst, ctx.group = dst, group
        result = tensor.clone()
        collectives.reduce(result, dst, op, group)
        return result if is_rank(dst, group) else zeros_like(tensor)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        return Broadcast.apply(grad, ctx.dst, ctx.group), None, None, None


class AllToAll(Function):
    """Sends row i of a stack to process i, and receives row i from it: self-adjoint."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, group: Group) -> Tensor:
        ctx.group = group
        result = empty_like(rows)
        collectives.all_to_all_single(result, rows.contiguous(), group=group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        return AllToAll.apply(grad, ctx.group), None


class AllToAllParts(Function):
    """Sends parts of different lengths to each process; the adjoint exchanges the lengths."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, output: Tensor, received: list[int], sent: list[int], group: Group) -> Tensor:
        ctx.received, ctx.sent, ctx.group, ctx.like = received, sent, group, rows.detach()
        result = empty_like(output)
        collectives.all_to_all_single(result, rows.contiguous(), received, sent, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        return AllToAllParts.apply(grad, ctx.like, ctx.sent, ctx.received, ctx.group), None, None, None, None


def is_rank(rank: int, group: Group) -> bool:
    """Whether this process has a given global rank."""
    members = here(group)
    return members.ranks[members.rank()] == rank


def all_reduce(tensor: Tensor, op: ReduceOp = ReduceOp.SUM, group: Group = None) -> Tensor:
    """The sum of the tensors of all processes. Only sums have a derivative: other `op`s raise ValueError."""
    if op is not ReduceOp.SUM:
        raise ValueError(f"The derivative of all_reduce is that of ReduceOp.SUM, not of ReduceOp.{op.name}.")
    return AllReduce.apply(tensor, op, group)


def broadcast(tensor: Tensor, src: int, group: Group = None) -> Tensor:
    """The tensor of process `src`; the others pass one of its shape and dtype."""
    return Broadcast.apply(tensor, src, group)


def reduce(tensor: Tensor, dst: int, op: ReduceOp = ReduceOp.SUM, group: Group = None) -> Tensor:
    """The sum of the tensors of all processes on process `dst`, zeros on the others."""
    if op is not ReduceOp.SUM:
        raise ValueError(f"The derivative of reduce is that of ReduceOp.SUM, not of ReduceOp.{op.name}.")
    return Reduce.apply(tensor, dst, op, group)


def all_gather(tensor: Tensor, group: Group = None) -> tuple[Tensor, ...]:
    """The tensors of all processes, ordered by rank."""
    return unbind(AllToAll.apply(stack([tensor] * here(group).size()), group))


def gather(tensor: Tensor, dst: int = 0, group: Group = None) -> tuple[Tensor, ...]:
    """The tensors of all processes on process `dst`, zeros on the others."""
    members = here(group)
    to = members.ranks.index(dst)
    zeros = zeros_like(tensor)
    return unbind(AllToAll.apply(stack([tensor if i == to else zeros for i in range(members.size())]), group))


def scatter(tensors: list[Tensor], src: int = 0, group: Group = None) -> Tensor:
    """The tensor for this process in the list of process `src`; the others pass lists of the same shapes."""
    members = here(group)
    return unbind(AllToAll.apply(stack(list(tensors)), group))[members.ranks.index(src)]


def reduce_scatter(
    output: Tensor, input_list: list[Tensor], op: ReduceOp = ReduceOp.SUM, group: Group = None
) -> Tensor:
    """The sum of the tensors for this process in the lists of all; `output` has its shape."""
    if op is not ReduceOp.SUM:
        raise ValueError(f"The derivative of reduce_scatter is that of ReduceOp.SUM, not of ReduceOp.{op.name}.")
    return AllToAll.apply(stack(list(input_list)), group).sum(0)


def all_to_all(
    output_tensor_list: list[Tensor], input_tensor_list: list[Tensor], group: Group = None
) -> tuple[Tensor, ...]:
    """The tensors for this process in the lists of all; `output_tensor_list` gives the shapes."""
    sent = [tensor.numel() for tensor in input_tensor_list]
    received = [tensor.numel() for tensor in output_tensor_list]
    flat = cat([tensor.reshape(-1) for tensor in input_tensor_list])
    output = cat([tensor.detach().reshape(-1) for tensor in output_tensor_list])
    parts = AllToAllParts.apply(flat, output, received, sent, group).split(received)
    return tuple(part.reshape(like.shape) for part, like in zip(parts, output_tensor_list, strict=True))


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None,
    group: Group = None,
) -> Tensor:
    """Sends parts of `input` along its first dimension to each process, where they are concatenated.

    `output` gives the shape.
    """
    return AllToAllParts.apply(input, output, output_split_sizes or [], input_split_sizes or [], group)
