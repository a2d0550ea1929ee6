"""Processes come together in groups of several sizes: some of them first, then all, again and again.

A process group of two trainers, calls among all, as in PyTorch's example of a parameter server with replicas.
"""

import os
import sys

import torch
import torch.distributed as dist
import torch.distributed.rpc as rpc
import torch.multiprocessing as mp
from torch.distributed.rpc import TensorPipeRpcBackendOptions

SIZE = 4


def total(rank):
    value = torch.full((3,), float(rank))
    dist.all_reduce(value)
    return value.tolist()


def averages(rank):
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(200, 200))
    model(torch.full((1, 200), float(rank))).sum().backward()
    return model.module.weight.grad.unique().tolist()


def calls(rank, folder):
    options = TensorPipeRpcBackendOptions(init_method=f"file://{folder}/calls")
    rpc.init_rpc(f"worker{rank}", rank=rank, world_size=SIZE, rpc_backend_options=options)
    following = f"worker{(rank + 1) % SIZE}"
    assert rpc.rpc_sync(following, torch.add, (torch.ones(2), rank)).tolist() == [rank + 1.0] * 2
    if rank <= 1:
        assert total(rank) == [1.0] * 3
    rpc.shutdown()


def meet(rank, folder):
    """Two are a group; all call each other; the other two are a group too; all are a group, in another order."""
    place = f"file://{folder}/group{rank // 2}"
    if rank <= 1:
        dist.init_process_group("gloo", init_method=place, rank=rank, world_size=2)
    calls(rank, folder)
    calls(rank, folder)
    if rank <= 1:
        dist.destroy_process_group()
    else:
        dist.init_process_group("gloo", init_method=place, rank=3 - rank, world_size=2)
        assert total(rank) == [5.0] * 3
        assert averages(rank) == [2.5]
        assert dist.get_rank() == 3 - rank
        dist.destroy_process_group()
    dist.init_process_group("gloo", init_method=f"file://{folder}/all", rank=SIZE - 1 - rank, world_size=SIZE)
    assert (total(rank), dist.get_rank()) == ([6.0] * 3, SIZE - 1 - rank)
    assert averages(rank) == [1.5]
    dist.destroy_process_group()


def main(folder):
    if "RANK" in os.environ or "PMI_RANK" in os.environ:
        meet(dist.get_node_local_rank(), folder)
    else:
        mp.spawn(meet, args=(folder,), nprocs=SIZE)
    print("passed", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
