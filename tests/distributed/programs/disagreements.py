"""Calls that do not fit each other, and groups that have ended: errors in all processes, which then go on."""

from functools import partial

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
last = rank == size - 1


def refused(call, kind, words):
    try:
        call()
    except kind as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"{words!r} was not raised")


def room(*shape, count=size):
    return [torch.zeros(*shape) for _ in range(count)]


def calls_that_differ():
    """In the last process everything is different."""
    other = 3 if last else 2
    dtype = torch.float64 if last else torch.float32
    op = dist.ReduceOp.MAX if last else dist.ReduceOp.SUM
    root = 1 if last else 0
    calls = {
        "all_reduce(float32[2], op=SUM)": lambda: dist.all_reduce(torch.ones(other)),
        "all_reduce(float32[2, 1], op=SUM)": lambda: dist.all_reduce(torch.ones(2, 1, dtype=dtype)),
        "all_reduce(float32[2, 2], op=SUM)": lambda: dist.all_reduce(torch.ones(2, 2), op),
        "all_reduce(float32[], op=SUM)": lambda: dist.all_reduce(torch.tensor(1.0, dtype=dtype), async_op=True),
        "all_reduce_coalesced(float32[2], float32[1]": lambda: dist.all_reduce_coalesced(
            [torch.ones(other), torch.ones(1)]
        ),
        "reduce(float32[2], op=SUM, root=0)": lambda: dist.reduce(torch.ones(2), root),
        "broadcast(float32[2], root=0)": lambda: dist.broadcast(torch.ones(other), 0),
        "broadcast(float32[1], root=0)": lambda: dist.broadcast(torch.ones(1), root),
        "all_gather(": lambda: dist.all_gather(room(other), torch.ones(other)),
        "all_gather_coalesced(": lambda: dist.all_gather_coalesced([room(other, count=1)] * size, room(other, count=1)),
        "all_gather_into_tensor(": lambda: dist.all_gather_into_tensor(torch.ones(size * other), torch.ones(other)),
        "reduce_scatter(": lambda: dist.reduce_scatter(torch.ones(other), room(other)),
        "reduce_scatter_tensor(": lambda: dist.reduce_scatter_tensor(torch.ones(other), torch.ones(size * other)),
        "barrier()": lambda: dist.all_reduce(torch.ones(1)) if last else dist.barrier(),
        "all_to_all()": lambda: (
            dist.all_to_all_single(torch.ones(size), torch.ones(size)) if last else dist.all_to_all(room(1), room(1))
        ),
        "gather(root=0)": lambda: dist.gather(torch.ones(1), room(1) if rank == root else None, root),
        "scatter(root=0)": lambda: dist.scatter(torch.ones(1), room(1) if rank == root else None, root),
    }
    for words, call in calls.items():
        refused(call, RuntimeError, f"Rank 0 is running collective: {words}")
        refused(call, RuntimeError, f"but Rank {size - 1} is running collective: ")
    pair = dist.new_group([0, size - 1])
    if rank in (0, size - 1):
        refused(lambda: dist.broadcast(torch.ones(other), 0, pair), RuntimeError, f"but Rank {size - 1} is running")


def what_a_process_sends_itself():
    short, long = torch.ones(2), torch.ones(3)
    refused(lambda: dist.all_gather(room(2), long), RuntimeError, "invalid tensor size")
    refused(lambda: dist.all_gather(room(2), short.long()), ValueError, "different dtypes")
    refused(lambda: dist.reduce_scatter(long, room(2)), RuntimeError, "invalid tensor size")
    refused(lambda: dist.reduce_scatter_tensor(short.long(), torch.ones(2 * size)), RuntimeError, "same type as input")
    refused(lambda: dist.all_to_all(room(2), room(3)), RuntimeError, "invalid tensor size")
    refused(lambda: dist.all_to_all_single(torch.ones(size), torch.ones(2 * size)), RuntimeError, "sends itself")


def what_pytorch_refuses():
    x, other = torch.ones(2), (rank + 1) % size
    wide, few, numbers = x.double(), [torch.ones(2)] * (size - 1), torch.ones(2 * size)
    pair = dist.new_group([0, 1])
    message = partial(dist.P2POp, dist.isend, x)
    sparse = torch.eye(2).to_sparse()
    for call, kind, words in (
        (
            lambda: dist.all_reduce(sparse, dist.ReduceOp.MAX),
            RuntimeError,
            "sparse tensors only works with ReduceOp.SUM",
        ),
        (lambda: dist.broadcast(sparse, 0), NotImplementedError, "Could not run"),
        (lambda: dist.all_gather([sparse] * size, sparse), NotImplementedError, "Could not run"),
        (lambda: dist.all_reduce_coalesced([]), NotImplementedError, "There were no tensor arguments"),
        (lambda: dist.all_gather_coalesced([], []), NotImplementedError, "There were no tensor arguments"),
        (
            lambda: dist.all_reduce(x, dist.ReduceOp.PREMUL_SUM),
            TypeError,
            "arguments. ReduceOp.PREMUL",
        ),
        (lambda: dist.all_reduce(x, "sum"), TypeError, "incompatible function arguments. op has to be a ReduceOp"),
        (lambda: dist.broadcast(x), ValueError, "Must specify global_rank or group_rank"),
        (lambda: dist.reduce(x), ValueError, "Must specify global_rank or group_rank"),
        (lambda: dist.send(x), ValueError, "Must specify global_rank or group_rank"),
        (message, ValueError, "Must specify global_rank or group_rank"),
        (lambda: dist.broadcast(x, 0, group_src=0), ValueError, "Can't specify both group_src and src"),
        (lambda: dist.broadcast(x, size), RuntimeError, f"invalid root rank: {size}"),
        (lambda: dist.broadcast(x, -1), RuntimeError, "invalid root rank: -1"),
        (lambda: dist.broadcast(x, group_src=size), RuntimeError, f"invalid root rank: {size}"),
        (lambda: dist.broadcast(x, 0.5), TypeError, "a rank is an int, but got float"),
        (lambda: dist.reduce(x, size), RuntimeError, f"invalid root rank: {size}"),
        (lambda: dist.broadcast_object_list([1], size), RuntimeError, f"invalid root rank: {size}"),
        (lambda: dist.all_gather(few, x), RuntimeError, "invalid tensor list size, must be world size"),
        (lambda: dist.reduce_scatter(x, few), RuntimeError, "invalid tensor list size, must be world size"),
        (lambda: dist.all_to_all(few, few), RuntimeError, "invalid tensor list size, must be world size"),
        (lambda: dist.gather(x, few, group_dst=rank), RuntimeError, "invalid tensor list size, must be world size"),
        (lambda: dist.scatter(x, few, group_src=rank), RuntimeError, "invalid tensor list size, must be world size"),
        (lambda: dist.all_gather_into_tensor(x, x), RuntimeError, "output tensor size must be equal to world_size"),
        (lambda: dist.all_gather_into_tensor(numbers, wide), RuntimeError, "output tensor size must be equal"),
        (lambda: dist.reduce_scatter_tensor(x, x), RuntimeError, "input tensor must be the same size"),
        (lambda: dist.all_to_all_single(numbers, numbers.double()), ValueError, "tensors with different dtypes"),
        (lambda: dist.recv(x, rank), RuntimeError, "Invalid source rank"),
        (lambda: dist.send(x, rank), ValueError, "Invalid destination rank"),
        (lambda: dist.batch_isend_irecv([]), IndexError, "list index out of range"),
        (lambda: dist.batch_isend_irecv([1]), ValueError, "Invalid ``p2p_op_list``"),
        (lambda: dist.all_reduce(x, group=5), ValueError, "Process group 5 is not initialized in the world group map"),
        (lambda: dist.barrier(5), ValueError, "Process group 5 is not initialized"),
        (lambda: dist.get_backend("pair"), ValueError, "Process group pair is not initialized"),
        (lambda: dist.monitored_barrier(timeout=5), TypeError, "Expected timeout argument to be of type"),
        (lambda: dist.new_group([0, 1], timeout=5), TypeError, "Expected timeout argument to be of type"),
        (lambda: dist.all_gather_object([], 1), IndexError, "list assignment index out of range"),
        (lambda: dist.init_device_mesh("cpu:0", (size,)), RuntimeError, "Device type with index is not supported"),
    ):
        refused(call, kind, words)
    if size > 2 and pair is not dist.GroupMember.NON_GROUP_MEMBER:
        refused(lambda: dist.broadcast(x, 2, pair), ValueError, "Global rank 2 is not part of group")
    assert message(other).peer == other


def messages_of_other_sizes():
    for sent in (1, 3):
        if rank == 0:
            dist.send(torch.ones(sent), 1)
        elif rank == 1:
            words = "4 bytes came from rank 0 for a tensor of 8 bytes" if sent == 1 else "same size and dtype"
            refused(lambda: dist.recv(torch.zeros(2), 0), RuntimeError, words)
    refused(lambda: dist.isend(torch.ones(1), (rank + 1) % size, tag=-1), ValueError, "tag has to be 0 to")
    refused(lambda: dist.irecv(torch.ones(1), (rank + 1) % size, tag=2**40), ValueError, "tag has to be 0 to")
    if rank == 0:
        dist.send(torch.ones(1), 1, tag=32_001)
    elif rank == 1:
        x = torch.zeros(1)
        dist.recv(x, tag=32_001)
        assert x.item() == 1


def groups_that_have_ended():
    before = dist.get_pg_count()
    group = dist.new_group()
    assert dist.get_pg_count() == before + 1
    work = dist.all_reduce(torch.ones(1), group=group, async_op=True)
    work.wait()
    dist.destroy_process_group(group)
    assert dist.get_pg_count() == before
    for call in (
        lambda: dist.all_reduce(torch.ones(1), group=group),
        lambda: dist.barrier(group),
        lambda: dist.get_rank(group),
        lambda: dist.destroy_process_group(group),
    ):
        refused(call, ValueError, "is not registered, please create group with torch.distributed.new_group")
    everyone, kept = dist.group.WORLD, dist.new_group()
    dist.destroy_process_group()
    for gone in (everyone, kept):
        refused(lambda gone=gone: dist.all_reduce(torch.ones(1), group=gone), ValueError, "is not registered")
    refused(lambda: dist.all_reduce(torch.ones(1)), ValueError, "has not been initialized")
    refused(dist.destroy_process_group, AssertionError, "Process group cannot be None")
    dist.init_process_group("gloo")
    dist.barrier()


def models_that_differ():
    other = torch.nn.Sequential(*(torch.nn.Linear(1, 1) for _ in range(2 if last else 1)))
    for model in (torch.nn.Linear(3 if last else 2, 1), other):
        refused(lambda model=model: torch.nn.parallel.DistributedDataParallel(model), RuntimeError, "same model across")


what_a_process_sends_itself()
what_pytorch_refuses()
messages_of_other_sizes()
dist.set_debug_level(dist.DebugLevel.DETAIL)
calls_that_differ()
dist.set_debug_level(dist.DebugLevel.OFF)
models_that_differ()
groups_that_have_ended()
print("passed")
