"""`DistributedSampler`: each process's share of a dataset."""

import math
from collections.abc import Iterator
from typing import Any

from rushlight.ops.randomness.random_tensors import randperm
from rushlight.random import Generator
from rushlight.utils.data.sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[int]):
    """Gives each process every n-th index of a dataset, in a new order each epoch: call `set_epoch` before each.

    All shares have the same length: some samples are repeated, or with `drop_last` some are left out. `num_replicas`
    and `rank` are those of the default process group if not given. ValueError for an invalid rank.

    >>> import rushlight as torch
    >>> sampler = torch.utils.data.DistributedSampler(range(5), num_replicas=2, rank=1, shuffle=False)
    >>> list(sampler)
    [1, 3, 0]
    """

    num_samples: int
    epoch: int

    dataset: Any
    num_replicas: int
    rank: int
    shuffle: bool
    seed: int
    drop_last: bool

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ):
        if num_replicas is None or rank is None:
            from rushlight import distributed  # 200 files that a sampler with both numbers does not need

            num_replicas = distributed.get_world_size() if num_replicas is None else num_replicas
            rank = distributed.get_rank() if rank is None else rank
        if not 0 <= rank < num_replicas:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset, self.num_replicas, self.rank = dataset, num_replicas, rank
        self.shuffle, self.seed, self.drop_last, self.epoch = shuffle, seed, drop_last, 0
        length = len(dataset)
        if drop_last and length % num_replicas:
            self.num_samples = math.ceil((length - num_replicas) / num_replicas)
        else:
            self.num_samples = math.ceil(length / num_replicas)
        self.total_size: int = self.num_samples * num_replicas

    def __iter__(self) -> Iterator[int]:
        length = len(self.dataset)
        if self.shuffle:
            numbers = randperm(length, generator=Generator().manual_seed(self.seed + self.epoch)).tolist()
        else:
            numbers = list(range(length))
        if not self.drop_last and numbers:
            numbers = (numbers * math.ceil(self.total_size / length))[: self.total_size]
        return iter(numbers[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Sets the number of the epoch, which determines the order of the samples."""
        self.epoch = epoch
