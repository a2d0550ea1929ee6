"""Collective communication of tensors, in which all processes of a group take part.

Every function returns None once its tensors hold the result; with `async_op=True` it returns a `Work` at once, and the
tensors may be used after its `wait()`. A process outside the group gets a warning and None. All processes of a group
must make the same calls in the same order.
"""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import numpy as np

from rushlight.distributed import mpi
from rushlight.distributed.agreement import agree
from rushlight.distributed.arguments import (
    check_count,
    check_own,
    check_some,
    check_tensor,
    check_tensors,
    named_root,
    root_of,
)
from rushlight.distributed.groups import ProcessGroup, member
from rushlight.distributed.memory import Incoming, outgoing, packed, parts_of, unpack
from rushlight.distributed.reduce_ops import ReduceOp
from rushlight.distributed.reductions import Reduction
from rushlight.distributed.sparse_sums import sum_sparse
from rushlight.distributed.work import Work
from rushlight.sparse.tensor import is_sparse
from rushlight.tensors import Tensor

__all__ = [
    "all_gather",
    "all_gather_coalesced",
    "all_gather_into_tensor",
    "all_gather_single",
    "all_reduce",
    "all_reduce_coalesced",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "broadcast",
    "gather",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_single",
    "reduce_scatter_tensor",
    "scatter",
]

Group = ProcessGroup | None


def begin(
    group: ProcessGroup, name: str, request: Any, finish: Callable[[], object], result: list[Tensor], async_op: bool
) -> Work | None:
    """Waits for a communication, or returns its work with `async_op`."""
    return handed_out(Work(group, name, [request], finish, result), async_op)


def handed_out(work: Work, async_op: bool) -> Work | None:
    """The work of a communication with `async_op`; else waits for it and returns None."""
    if async_op:
        return work
    work.wait()
    return None


def all_reduce(tensor: Tensor, op: ReduceOp = ReduceOp.SUM, group: Group = None, async_op: bool = False) -> Work | None:
    """Reduces `tensor` over all processes, by default to the sum; every process gets the result, in place.

    Shapes and dtypes must be the same in all processes. float16 and bfloat16 are summed in float32. Sparse tensors may
    have their elements at different indices.

    >>> import rushlight as torch
    >>> import rushlight.distributed as dist
    >>> x = torch.ones(2) * dist.get_rank()
    >>> dist.all_reduce(x)  # the same tensor everywhere
    >>> x
    tensor([0., 0.])
    """
    if not is_sparse(tensor):
        check_tensor(tensor, "tensor")
    members = member(group)
    if members is None:
        return None
    if is_sparse(tensor):
        return handed_out(sum_sparse(tensor, op, members), async_op)
    reduction = Reduction(op, tensor._array.dtype, members.size())
    agree(members, "all_reduce", [tensor], op)
    incoming = Incoming(tensor)
    array = reduction.widen(incoming.array)
    request = members.comm.Iallreduce(mpi.load().IN_PLACE, mpi.typed(array), reduction.op)
    return begin(members, "all_reduce", request, lambda: incoming.put(reduction.narrow(array)), [tensor], async_op)


def all_reduce_coalesced(
    tensors: list[Tensor], op: ReduceOp = ReduceOp.SUM, group: Group = None, async_op: bool = False
) -> Work | None:
    """`all_reduce` of several tensors of one dtype in a single communication.

    >>> import rushlight as torch
    >>> import rushlight.distributed as dist
    >>> a, b = torch.ones(1), torch.ones(2)
    >>> dist.all_reduce_coalesced([a, b])
    >>> a, b
    (tensor([1.]), tensor([1., 1.]))
    """
    check_tensors(tensors, "tensors")
    check_some(tensors)
    members = member(group)
    if members is None:
        return None
    reduction = Reduction(op, tensors[0]._array.dtype, members.size())
    agree(members, "all_reduce_coalesced", tensors, op)
    array = np.concatenate([reduction.widen(outgoing(tensor)).reshape(-1) for tensor in tensors])
    request = members.comm.Iallreduce(mpi.load().IN_PLACE, mpi.typed(array), reduction.op)

    def finish() -> None:
        for tensor, part in zip(tensors, parts_of(reduction.narrow(array), tensors), strict=True):
            Incoming(tensor, keep=False).put(part)

    return begin(members, "all_reduce_coalesced", request, finish, list(tensors), async_op)


def reduce(
    tensor: Tensor,
    dst: int | None = None,
    op: ReduceOp = ReduceOp.SUM,
    group: Group = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Reduces `tensor` over all processes, by default to the sum; only process `dst` gets the result, in place.

    >>> import rushlight as torch
    >>> import rushlight.distributed as dist
    >>> x = torch.ones(2)
    >>> dist.reduce(x, dst=0)  # process 0 has the sum
    >>> x
    tensor([1., 1.])
    """
    check_tensor(tensor, "tensor")
    members = member(group)
    if members is None:
        return None
    root = named_root(members, dst, group_dst, "dst")
    reduction = Reduction(op, tensor._array.dtype, members.size())
    agree(members, "reduce", [tensor], op, root)
    if members.rank() != root:
        array = reduction.widen(outgoing(tensor))
        request = members.comm.Ireduce(mpi.typed(array), None, reduction.op, root)
        return begin(members, "reduce", request, lambda: None, [tensor], async_op)
    incoming = Incoming(tensor)
    array = reduction.widen(incoming.array)
    request = members.comm.Ireduce(mpi.load().IN_PLACE, mpi.typed(array), reduction.op, root)
    return begin(members, "reduce", request, lambda: incoming.put(reduction.narrow(array)), [tensor], async_op)


def broadcast(
    tensor: Tensor, src: int | None = None, group: Group = None, async_op: bool = False, group_src: int | None = None
) -> Work | None:
    """Sends `tensor` of process `src` to all others, which receive it in place.

    >>> import rushlight as torch
    >>> import rushlight.distributed as dist
    >>> x = torch.tensor([float(dist.get_rank())])
    >>> dist.broadcast(x, src=0)  # everywhere what process 0 has
    >>> x
    tensor([0.])
    """
    check_tensor(tensor, "tensor")
    members = member(group)
    if members is None:
        return None
    root = named_root(members, src, group_src, "src")
    agree(members, "broadcast", [tensor], root=root)
    incoming = Incoming(tensor)
    request = members.comm.Ibcast(incoming.bytes(), root)
    finish = incoming.put if members.rank() != root else (lambda: None)
    return begin(members, "broadcast", request, finish, [tensor], async_op)


def counts_of(tensors: Sequence[Tensor]) -> list[int]:
    """The sizes of tensors in bytes."""
    return [tensor._array.nbytes for tensor in tensors]


def all_gather(tensor_list: list[Tensor], tensor: Tensor, group: Group = None, async_op: bool = False) -> Work | None:
    """Gathers `tensor` of every process into `tensor_list` on all processes; tensors may differ in size.

    >>> import rushlight as torch
    >>> import rushlight.distributed as dist
    >>> parts = [torch.empty(2) for _ in range(dist.get_world_size())]
    >>> dist.all_gather(parts, torch.tensor([1.0, 2.0]))
    >>> parts
    [tensor([1., 2.])]
    """
    check_tensors(tensor_list, "tensor_list")
    check_tensor(tensor, "tensor")
    members = member(group)
    if members is None:
        return None
    check_count(tensor_list, members, "tensor_list")
    check_own(tensor, tensor_list[members.rank()], "all_gather")
    agree(members, "all_gather", tensor_list)
    counts = counts_of(tensor_list)
    data = np.empty(sum(counts), np.uint8)
    request = members.comm.Iallgatherv(packed([tensor]), [data, counts])
    return begin(members, "all_gather", request, lambda: unpack(data, tensor_list), list(tensor_list), async_op)


def all_gather_coalesced(
    output_tensor_lists: list[list[Tensor]],
    input_tensor_list: list[Tensor],
    group: Group = None,
    async_op: bool = False,
) -> Work | None:
    """`all_gather` of several tensors in a single communication: a list of all of them from each process.

    >>> import rushlight as torch
    >>> import rushlight.distributed as dist
    >>> parts = [[torch.empty(1), torch.empty(2)]]  # a list for each process
    >>> dist.all_gather_coalesced(parts, [torch.ones(1), torch.zeros(2)])
    >>> parts
    [[tensor([1.]), tensor([0., 0.])]]
    """
    check_tensors(input_tensor_list, "tensor_list")
    check_some(input_tensor_list)
    members = member(group)
    if members is None:
        return None
    check_count(output_tensor_lists, members, "output_tensor_lists")  # type: ignore[arg-type]  # lists, one for each
    for tensor, output in zip(input_tensor_list, output_tensor_lists[members.rank()], strict=True):
        check_own(tensor, output, "all_gather_coalesced")
    agree(members, "all_gather_coalesced", [tensor for tensors in output_tensor_lists for tensor in tensors])
    counts = [sum(counts_of(tensors)) for tensors in output_tensor_lists]
    data = np.empty(sum(counts), np.uint8)
    request = members.comm.Iallgatherv(packed(input_tensor_list), [data, counts])
    flat = [tensor for tensors in output_tensor_lists for tensor in tensors]
    return begin(members, "all_gather_coalesced", request, lambda: unpack(data, flat), flat, async_op)


def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: Group = None, async_op: bool = False
) -> Work | None:
    """Gathers `input_tensor` of every process into `output_tensor`, concatenated or stacked.

    ValueError if `output_tensor` has the wrong size.

    >>> import rushlight as torch
    >>> import rushlight.distributed as dist
    >>> result = torch.empty(2 * dist.get_world_size())
    >>> dist.all_gather_into_tensor(result, torch.tensor([1.0, 2.0]))
    >>> result
    tensor([1., 2.])
    """
    check_tensor(input_tensor, "input_tensor")
    check_tensor(output_tensor, "output_tensor")
    members = member(group)
    if members is None:
        return None
    if output_tensor.numel() != input_tensor.numel() * members.size() or output_tensor.dtype != input_tensor.dtype:
        raise RuntimeError(
            "output tensor size must be equal to world_size times input tensor size, and of its dtype: got "
            f"{tuple(output_tensor.shape)} for {members.size()} times {tuple(input_tensor.shape)}"
        )
    agree(members, "all_gather_into_tensor", [input_tensor])
    incoming = Incoming(output_tensor, keep=False)
    request = members.comm.Iallgather(packed([input_tensor]), incoming.bytes())
    return begin(members, "all_gather_into_tensor", request, incoming.put, [output_tensor], async_op)


all_gather_single = all_gather_into_tensor


def gather(
    tensor: Tensor,
    gather_list: list[Tensor] | None = None,
    dst: int | None = None,
    group: Group = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Gathers `tensor` of every process into `gather_list` on process `dst`; the others pass no list.

    ValueError for a list on the wrong process, or a missing one.

    >>> import rushlight as torch
    >>> import rushlight.distributed as dist
    >>> parts = [torch.empty(2) for _ in range(dist.get_world_size())] if dist.get_rank() == 0 else None
    >>> dist.gather(torch.tensor([1.0, 2.0]), parts, dst=0)
    >>> parts
    [tensor([1., 2.])]
    """
    check_tensor(tensor, "tensor")
    members = member(group)
    if members is None:
        return None
    root = root_of(members, dst, group_dst, "dst")
    if members.rank() != root:
        if gather_list:
            raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")
        agree(members, "gather", root=root)
        request = members.comm.Igatherv(packed([tensor]), None, root)
        return begin(members, "gather", request, lambda: None, [tensor], async_op)
    if gather_list is None:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    check_tensors(gather_list, "gather_list")
    check_count(gather_list, members, "gather_list")
    check_own(tensor, gather_list[root], "gather")
    agree(members, "gather", root=root)
    counts = counts_of(gather_list)
    data = np.empty(sum(counts), np.uint8)
    request = members.comm.Igatherv(packed([tensor]), [data, counts], root)
    return begin(members, "gather", request, lambda: unpack(data, gather_list), list(gather_list), async_op)


def scatter(
    tensor: Tensor,
    scatter_list: list[Tensor] | None = None,
    src: int | None = None,
    group: Group = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Sends each process its part of `scatter_list` of process `src`, into `tensor`; the others pass no list.

    ValueError for a list on the wrong process, or a missing one.

    >>> import rushlight as torch
    >>> import rushlight.distributed as dist
    >>> x = torch.empty(2)
    >>> dist.scatter(x, [torch.tensor([1.0, 2.0])] if dist.get_rank() == 0 else None, src=0)
    >>> x
    tensor([1., 2.])
    """
    check_tensor(tensor, "tensor")
    members = member(group)
    if members is None:
        return None
    root = root_of(members, src, group_src, "src")
    incoming = Incoming(tensor, keep=False)
    if members.rank() != root:
        if scatter_list:
            raise ValueError("Argument ``scatter_list`` must NOT be specified on non-source ranks.")
        agree(members, "scatter", root=root)
        request = members.comm.Iscatterv(None, incoming.bytes(), root)
    else:
        if not scatter_list:
            raise ValueError("Argument ``scatter_list`` must be specified on source rank.")
        check_tensors(scatter_list, "scatter_list")
        check_count(scatter_list, members, "scatter_list")
        check_own(tensor, scatter_list[root], "scatter")
        agree(members, "scatter", root=root)
        request = members.comm.Iscatterv([packed(scatter_list), counts_of(scatter_list)], incoming.bytes(), root)
    return begin(members, "scatter", request, incoming.put, [tensor], async_op)


def reduce_scatter(
    output: Tensor, input_list: list[Tensor], op: ReduceOp = ReduceOp.SUM, group: Group = None, async_op: bool = False
) -> Work | None:
    """Reduces the lists of all processes tensor by tensor, by default to sums; each process gets the one of its rank.

    >>> import rushlight as torch
    >>> import rushlight.distributed as dist
    >>> result = torch.empty(2)
    >>> dist.reduce_scatter(result, [torch.tensor([1.0, 2.0])])
    >>> result
    tensor([1., 2.])
    """
    check_tensor(output, "output")
    check_tensors(input_list, "input_list")
    members = member(group)
    if members is None:
        return None
    check_count(input_list, members, "input_list")
    check_own(output, input_list[members.rank()], "reduce_scatter")
    agree(members, "reduce_scatter", input_list, op)
    reduction = Reduction(op, output._array.dtype, members.size())
    data = np.concatenate([reduction.widen(outgoing(tensor)).reshape(-1) for tensor in input_list])
    return scatter_sums(members, "reduce_scatter", reduction, data, [t.numel() for t in input_list], output, async_op)


def reduce_scatter_tensor(
    output: Tensor, input: Tensor, op: ReduceOp = ReduceOp.SUM, group: Group = None, async_op: bool = False
) -> Work | None:
    """Reduces `input` over all processes, by default to the sum; each process gets the part of its rank.

    ValueError if the input does not consist of one part of the output's size for each process.

    >>> import rushlight as torch
    >>> import rushlight.distributed as dist
    >>> result = torch.empty(2)
    >>> dist.reduce_scatter_single(result, torch.tensor([1.0, 2.0]))
    >>> result
    tensor([1., 2.])
    """
    check_tensor(output, "output")
    check_tensor(input, "input")
    members = member(group)
    if members is None:
        return None
    if output.numel() * members.size() != input.numel():
        raise RuntimeError(
            "input tensor must be the same size as output size times world size: got "
            f"{tuple(input.shape)} for {members.size()} times {tuple(output.shape)}"
        )
    if output.dtype != input.dtype:
        raise RuntimeError(
            f"output tensor must have the same type as input tensor: got {output.dtype} and {input.dtype}"
        )
    reduction = Reduction(op, output._array.dtype, members.size())
    agree(members, "reduce_scatter_tensor", [input], op)
    data = reduction.widen(outgoing(input)).reshape(-1)
    counts = [output.numel()] * members.size()
    return scatter_sums(members, "reduce_scatter_tensor", reduction, data, counts, output, async_op)


reduce_scatter_single = reduce_scatter_tensor


def scatter_sums(group: Any, name: Any, reduction: Any, data: Any, counts: Any, output: Any, async_op: Any) -> Any:
    """Reduces flat arrays and sends each process its part."""
    incoming = Incoming(output, keep=False)
    array = incoming.array if reduction.dtype == incoming.array.dtype else np.empty(output.numel(), reduction.dtype)
    request = group.comm.Ireduce_scatter(mpi.typed(data), mpi.typed(array), counts, reduction.op)
    return begin(group, name, request, lambda: incoming.put(reduction.narrow(array)), [output], async_op)


def all_to_all(
    output_tensor_list: list[Tensor], input_tensor_list: list[Tensor], group: Group = None, async_op: bool = False
) -> Work | None:
    """Sends the i-th tensor of the input list to process i, and receives that of process i into the output list.

    >>> import rushlight as torch
    >>> import rushlight.distributed as dist
    >>> received = [torch.empty(2)]
    >>> dist.all_to_all(received, [torch.tensor([1.0, 2.0])])
    >>> received
    [tensor([1., 2.])]
    """
    check_tensors(output_tensor_list, "output_tensor_list")
    check_tensors(input_tensor_list, "input_tensor_list")
    members = member(group)
    if members is None:
        return None
    check_count(output_tensor_list, members, "output_tensor_list")
    check_count(input_tensor_list, members, "input_tensor_list")
    check_own(input_tensor_list[members.rank()], output_tensor_list[members.rank()], "all_to_all")
    agree(members, "all_to_all")
    counts = counts_of(output_tensor_list)
    data = np.empty(sum(counts), np.uint8)
    request = members.comm.Ialltoallv([packed(input_tensor_list), counts_of(input_tensor_list)], [data, counts])
    finish = lambda: unpack(data, output_tensor_list)
    return begin(members, "all_to_all", request, finish, list(output_tensor_list), async_op)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None,
    group: Group = None,
    async_op: bool = False,
) -> Work | None:
    """Splits `input` along its first dimension, sends part i to process i, and concatenates the parts received.

    Parts are equal, or have the given split sizes. RuntimeError for sizes that do not add up.

    >>> import rushlight as torch
    >>> import rushlight.distributed as dist
    >>> received = torch.empty(2)
    >>> dist.all_to_all_single(received, torch.tensor([1.0, 2.0]))
    >>> received
    tensor([1., 2.])
    """
    check_tensor(output, "output")
    check_tensor(input, "input")
    members = member(group)
    if members is None:
        return None
    incoming = Incoming(output, keep=False)
    sent = split_counts(input, input_split_sizes, members.size())
    received = split_counts(output, output_split_sizes, members.size())
    to_itself, from_itself = sent[members.rank()], received[members.rank()]
    if output.dtype != input.dtype:
        raise ValueError(f"Invalid usage of tensors with different dtypes: {output.dtype} and {input.dtype}")
    if to_itself != from_itself:
        raise RuntimeError(
            f"all_to_all_single: this process sends itself {to_itself} bytes, and has room for {from_itself}"
        )
    agree(members, "all_to_all_single")
    request = members.comm.Ialltoallv([packed([input]), sent], [incoming.bytes(), received])
    return begin(members, "all_to_all_single", request, incoming.put, [output], async_op)


def split_counts(tensor: Tensor, sizes: list[int] | None, parts: int) -> list[int]:
    """The sizes in bytes of a tensor's parts along its first dimension. RuntimeError for sizes that do not add up."""
    length = tensor.shape[0]
    if not sizes:
        if length % parts:
            raise RuntimeError(f"Tensor's dim 0 does not divide equally across group size: {length} over {parts}")
        sizes = [length // parts] * parts
    if len(sizes) != parts:
        raise RuntimeError(f"Number of tensor splits not equal to group size: {len(sizes)} and {parts}")
    if sum(sizes) != length:
        raise RuntimeError(f"Split sizes doesn't match total dim 0 size: {sizes} for {length}")
    row = tensor._array.nbytes // max(length, 1)
    return [size * row for size in sizes]


def barrier(
    group: Group = None, async_op: bool = False, device_ids: Any = None, timeout: timedelta | None = None
) -> Work | None:
    """Waits until all processes of the group have called it.

    >>> import rushlight.distributed as dist
    >>> dist.barrier()  # returns when all processes are here
    """
    members = member(group)
    if members is None:
        return None
    agree(members, "barrier")
    work = Work(members, "barrier", [members.comm.Ibarrier()])
    if async_op:
        return work
    work.wait(timeout)
    return None
