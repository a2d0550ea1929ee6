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


def by_environment(rank, size, *ports):
    os.environ["MASTER_ADDR"] = "localhost"
    for port in ports:  # a group after a group
        os.environ["MASTER_PORT"] = str(port)
        reduce(rank, size, None)


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


def reservation():
    """A socket whose port nobody else gets: bound, though it does not listen."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    return held


def main():
    reservations = [reservation() for _ in range(4)]
    ports = [held.getsockname()[1] for held in reservations]
    mp.set_start_method("spawn")
    mp.spawn(reduce, args=(3, f"tcp://127.0.0.1:{ports[0]}"), nprocs=3)
    processes = [mp.Process(target=by_environment, args=(rank, 3, *ports[1:3])) for rank in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    mp.start_processes(reduce, args=(3, f"file://{sys.argv[1]}/meeting"), nprocs=3, start_method="fork")

    try:
        mp.spawn(fail, args=(f"tcp://127.0.0.1:{ports[3]}",), nprocs=3)
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
