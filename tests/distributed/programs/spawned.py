"""Processes that the program starts by itself: `spawn`, `Process`, shared memory, and groups made among them."""

import os
import socket
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn


def reduce(rank, size, address):
    dist.init_process_group("gloo", init_method=address, rank=rank, world_size=size)
    x = torch.full((2,), float(rank))
    dist.all_reduce(x)
    assert x.tolist() == [3.0, 3.0]
    dist.destroy_process_group()


def by_environment(rank, size, port):
    os.environ.update(MASTER_ADDR="localhost", MASTER_PORT=str(port))
    reduce(rank, size, None)
    os.environ["MASTER_PORT"] = str(port + 1)
    reduce(rank, size, None)  # a group after a group


def fail(rank, address):
    dist.init_process_group("gloo", init_method=address, rank=rank, world_size=3)
    if rank == 1:
        raise ValueError("the cause")
    dist.all_reduce(torch.ones(1))


def train(rank, model, queue):
    torch.manual_seed(rank)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(100):
        optimizer.zero_grad()
        x = torch.randn(8, 3)
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
    queue.put(rank)


def free_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


def main():
    mp.set_start_method("spawn")
    mp.spawn(reduce, args=(3, f"tcp://127.0.0.1:{free_port()}"), nprocs=3)
    port = free_port()
    processes = [mp.Process(target=by_environment, args=(rank, 3, port)) for rank in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    mp.start_processes(reduce, args=(3, f"file://{sys.argv[1]}/meeting"), nprocs=3, start_method="fork")

    try:
        mp.spawn(fail, args=(f"tcp://127.0.0.1:{free_port()}",), nprocs=3)
    except mp.ProcessRaisedException as error:
        assert "ValueError: the cause" in str(error) and error.error_index == 1
    else:
        raise AssertionError("a failure was not raised")

    model = nn.Linear(3, 1)
    model.share_memory()
    assert all(p.is_shared() for p in model.parameters())
    queue = mp.SimpleQueue()
    mp.spawn(train, args=(model, queue), nprocs=2)
    assert sorted([queue.get(), queue.get()]) == [0, 1]
    assert torch.allclose(model.weight, torch.ones(1, 3), atol=0.05), model.weight
    print("passed")


if __name__ == "__main__":
    main()
