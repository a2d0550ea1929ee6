"""The PyTorch program that `benchmarks.distributed` measures; it prints its figures as a line of JSON.

Processes are started by `torchrun`, PyTorch's or rushlight's, which serves `import torch`.
"""

import json
import statistics
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

LARGE = 25_000_000  # float32: 100 MB
TURNS = 15


def measure(*calls, turns=TURNS, repeat=1):
    """The median seconds of calls that take turns, all processes beginning together."""
    times = [[] for _ in calls]
    for _ in range(turns):
        for call, found in zip(calls, times, strict=True):
            dist.barrier()
            start = time.perf_counter()
            for _ in range(repeat):
                call()
            found.append((time.perf_counter() - start) / repeat)
    return [statistics.median(found) for found in times]


def perceptron():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(1000, 100), nn.ReLU(), nn.Linear(100, 10))


def wide():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(512, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10))


def step_of(model, width, batch):
    """A training step of a module."""
    inputs, labels = torch.randn(batch, width), torch.randint(10, (batch,))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def step():
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()

    return step


def sum_by_hand(tensor):
    """The sum of a tensor's memory as a user of mpi4py writes it."""
    from mpi4py import MPI

    array = tensor.numpy()
    return lambda: MPI.COMM_WORLD.Allreduce(MPI.IN_PLACE, array)


def main():
    dist.init_process_group("gloo")
    large, one = torch.ones(LARGE), torch.ones(1)
    figures = {}
    calls = [lambda: dist.all_reduce(large)]
    if "rushlight" in sys.modules and dist.get_world_size() > 1:
        calls.append(sum_by_hand(large))
    for name, seconds in zip(("sum of 100 MB", "the same by hand"), measure(*calls), strict=False):
        figures[name] = seconds
    figures["sum of one number"] = measure(lambda: dist.all_reduce(one), repeat=100)[0]
    for name, make, width, batch, repeat in (
        ("perceptron", perceptron, 1000, 16, 20),
        ("wide perceptron", wide, 512, 256, 4),
    ):
        alone, wrapped = step_of(make(), width, batch), step_of(DistributedDataParallel(make()), width, batch)
        alone(), wrapped()
        figures[f"{name}, alone"], figures[f"{name}, DDP"] = measure(alone, wrapped, repeat=repeat)
    if dist.get_rank() == 0:
        print(json.dumps(figures), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
