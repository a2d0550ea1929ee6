"""What PyTorch's tutorials on distributed programs do, on CPUs, in processes that `spawn` starts.

Messages in a ring, gradients averaged by hand, a class of one's own in a `Join` context, training that goes on from a
snapshot, the state of an application in a checkpoint for any number of processes.
"""

import os
import sys
from dataclasses import asdict, dataclass

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.algorithms.join import Join, Joinable, JoinHook
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.checkpoint.stateful import Stateful
from torch.distributed.fsdp import fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))


def ring_sum(tensor):
    """The sum over all processes by messages to the next one."""
    rank, size = dist.get_rank(), dist.get_world_size()
    outgoing, incoming, total = tensor.clone(), torch.empty_like(tensor), tensor.clone()
    for _ in range(size - 1):
        sent = dist.isend(outgoing, (rank + 1) % size)
        dist.recv(incoming, (rank - 1) % size)
        sent.wait()
        total += incoming
        outgoing, incoming = incoming, outgoing
    return total


def by_hand():
    rank, size = dist.get_rank(), dist.get_world_size()
    assert ring_sum(torch.full((2, 3), float(rank))).tolist() == [[sum(range(size))] * 3] * 2
    one, other = network(), DDP(network())
    inputs = torch.randn(6, 4, generator=torch.Generator().manual_seed(rank))
    for model in (one, other):
        model(inputs).square().mean().backward()
    for parameter in one.parameters():
        dist.all_reduce(parameter.grad.data, op=dist.ReduceOp.SUM)
        parameter.grad.data /= size
    assert all(torch.allclose(a.grad, b.grad) for a, b in zip(one.parameters(), other.parameters(), strict=True))


class Shadow(JoinHook):
    def __init__(self, counter):
        self.counter = counter

    def main_hook(self):
        dist.all_reduce(torch.zeros(1))

    def post_hook(self, is_last_joiner):
        last = torch.tensor(dist.get_rank() if is_last_joiner else -1)
        dist.all_reduce(last, op=dist.ReduceOp.MAX)
        self.counter.total = self.counter.seen.clone()
        dist.broadcast(self.counter.total, src=last.item())


class Counter(Joinable):
    """Counts the inputs of all processes, of which some have more than others."""

    join_device = torch.device("cpu")

    def __init__(self):
        super().__init__()
        self.seen = torch.zeros(1)

    def __call__(self):
        Join.notify_join_context(self)
        one = torch.ones(1)
        dist.all_reduce(one)
        self.seen += one

    def join_hook(self, **kwargs):
        return Shadow(self)

    @property
    def join_process_group(self):
        return dist.group.WORLD


def uneven():
    rank, size = dist.get_rank(), dist.get_world_size()
    counter = Counter()
    with Join([counter]):
        for _ in range(2 + rank):
            counter()
    assert counter.total.item() == sum(2 + other for other in range(size))
    model = DDP(nn.Linear(1, 1))
    optimizer = ZeroRedundancyOptimizer(model.parameters(), optimizer_class=torch.optim.Adam, lr=0.01)
    with Join([model, optimizer]):
        for _ in range(2 + rank):
            model(torch.ones(1)).sum().backward()
            optimizer.step()


@dataclass
class Snapshot:
    model: dict
    optimizer: dict
    epoch: int


def train(epochs, path):
    """Trains from the snapshot on, or from the start; the sum of the losses of the last epoch."""
    model = network()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    first = 0
    if os.path.exists(path):
        snapshot = Snapshot(**torch.load(path, map_location="cpu"))
        model.load_state_dict(snapshot.model)
        optimizer.load_state_dict(snapshot.optimizer)
        first = snapshot.epoch
    model = DDP(model)
    data = TensorDataset(torch.arange(64.0).reshape(16, 4) / 64, torch.arange(16) % 2)
    loader = DataLoader(data, batch_size=4, sampler=DistributedSampler(data))
    for epoch in range(first, epochs):
        loader.sampler.set_epoch(epoch)
        total = 0.0
        for inputs, labels in loader:
            optimizer.zero_grad(set_to_none=True)
            loss = nn.functional.cross_entropy(model(inputs), labels)
            loss.backward()
            optimizer.step()
            total += loss.item()
    dist.barrier()
    if dist.get_rank() == 0:
        torch.save(asdict(Snapshot(model.module.state_dict(), optimizer.state_dict(), epochs)), path)
    dist.barrier()
    return total


def goes_on(folder):
    whole = train(3, f"{folder}/whole.pt")
    train(2, f"{folder}/parts.pt")
    assert train(3, f"{folder}/parts.pt") == whole


class Application(Stateful):
    def __init__(self):
        self.model = fully_shard(network())
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=0.1)

    def step(self):
        self.optimizer.zero_grad()
        self.model(torch.ones(1, 4)).sum().backward()
        self.optimizer.step()

    def state_dict(self):
        model, optimizer = get_state_dict(self.model, self.optimizer)
        return {"model": model, "optimizer": optimizer}

    def load_state_dict(self, state):
        set_state_dict(self.model, self.optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])

    def total(self):
        return sum(parameter.full_tensor().abs().sum().item() for parameter in self.model.parameters())


def meet(rank, size, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/meeting{size}", rank=rank, world_size=size)


def lesson(rank, size, folder):
    meet(rank, size, folder)
    by_hand()
    uneven()
    goes_on(folder)
    application = Application()
    application.step()
    dcp.save({"app": application}, checkpoint_id=f"{folder}/checkpoint")
    application.step()
    if rank == 0:
        torch.save(application.total(), f"{folder}/total.pt")
    else:
        application.total()
    dist.destroy_process_group()


def take_up(rank, size, folder):
    meet(rank, size, folder)
    application = Application()
    dcp.load({"app": application}, checkpoint_id=f"{folder}/checkpoint")
    application.step()
    assert abs(application.total() - torch.load(f"{folder}/total.pt")) < 1e-4
    dist.destroy_process_group()


def main(folder):
    mp.spawn(lesson, args=(3, folder), nprocs=3)
    mp.spawn(take_up, args=(2, folder), nprocs=2)
    model = network()
    state = {"app": {"model": model.state_dict()}}
    dcp.load(state, checkpoint_id=f"{folder}/checkpoint")  # without a group, and into a module that is not sharded
    assert not torch.equal(state["app"]["model"]["0.weight"], network()[0].weight)
    print("passed")


if __name__ == "__main__":
    main(sys.argv[1])
