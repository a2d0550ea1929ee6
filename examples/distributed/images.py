"""Trains a convolutional network on random images, with the structure of PyTorch's ImageNet script.

    rushlight run examples/distributed/images.py --processes 2      # starts the processes itself
    rushlight launch -n 2 examples/distributed/images.py            # MPI's launcher starts them

It has a distributed sampler, batch statistics over all processes, a learning rate schedule, and checkpoints, of which
rank 0 keeps the best.
"""

import argparse
import os
import socket
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

CLASSES = 4


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=0, help="how many processes to start (none)")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=64, help="images in a batch of all processes together")
    parser.add_argument("--images", type=int, default=1024)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--checkpoint", default="images.pt")
    return parser.parse_args()


def made_up_images(count, seed):
    """Images of 3 × 16 × 16: a bright bar, upright, level or along a diagonal, in noise; and which it is."""
    generator = torch.Generator().manual_seed(seed)
    images = 0.5 * torch.randn(count, 3, 16, 16, generator=generator)
    labels = torch.randint(CLASSES, (count,), generator=generator)
    places = torch.randint(2, 14, (count,), generator=generator)
    bars = torch.zeros(CLASSES, 16, 16, 16)
    for place in range(16):
        bars[0, place, place] = 1
        bars[1, place, :, place] = 1
        bars[2, place] = torch.eye(16).roll(place - 8, 1)
        bars[3, place] = torch.eye(16).roll(place - 8, 1).flip(1)
    return TensorDataset(images + bars[labels, places].unsqueeze(1), labels)


def network():
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(32, CLASSES),
    )


class Meter:
    """The mean of a value over all batches of all processes."""

    def __init__(self):
        self.total = torch.zeros(2)

    def update(self, value, count):
        self.total += torch.tensor([value * count, count])

    def mean(self):
        dist.all_reduce(self.total)
        return (self.total[0] / self.total[1]).item()


def run_epoch(model, loader, criterion, optimizer=None):
    """One pass over the images; trains if there is an optimizer. Gives the mean loss and the share that is right."""
    losses, right = Meter(), Meter()
    model.train(optimizer is not None)
    with torch.set_grad_enabled(optimizer is not None):
        for images, labels in loader:
            output = model(images)
            loss = criterion(output, labels)
            losses.update(loss.item(), len(labels))
            right.update((output.argmax(1) == labels).float().mean().item(), len(labels))
            if optimizer is not None:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    return losses.mean(), right.mean()


def worker(index, options):
    """What each process does."""
    if options.processes:
        dist.init_process_group("gloo", init_method=options.address, rank=index, world_size=options.processes)
    else:
        dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(rank)
    model = DistributedDataParallel(nn.SyncBatchNorm.convert_sync_batchnorm(network()))
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), options.lr, momentum=0.9, weight_decay=1e-4)
    scheduler = StepLR(optimizer, step_size=2, gamma=0.3)
    data, tests = made_up_images(options.images, seed=1), made_up_images(options.images // 4, seed=2)
    sampler = DistributedSampler(data)
    loader = DataLoader(data, batch_size=options.batch_size // size, sampler=sampler)
    test_loader = DataLoader(tests, batch_size=256, sampler=DistributedSampler(tests, shuffle=False))
    best = 0.0
    for epoch in range(options.epochs):
        start = time.perf_counter()
        sampler.set_epoch(epoch)
        loss, _ = run_epoch(model, loader, criterion, optimizer)
        _, right = run_epoch(model, test_loader, criterion)
        scheduler.step()
        if rank == 0:
            seconds = time.perf_counter() - start
            print(f"epoch {epoch}: loss {loss:.3f}, {right:.1%} of the test images right, {seconds:.1f} s", flush=True)
            if right > best:
                best = right
                torch.save({"epoch": epoch, "state_dict": model.state_dict()}, options.checkpoint)
    dist.destroy_process_group()


def main():
    options = arguments()
    if options.processes and "WORLD_SIZE" not in os.environ:
        with socket.socket() as server:
            server.bind(("127.0.0.1", 0))
            options.address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        mp.spawn(worker, args=(options,), nprocs=options.processes)
    else:
        options.processes = 0
        worker(0, options)


if __name__ == "__main__":
    main()
