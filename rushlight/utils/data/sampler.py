"""Samplers: the order in which the samples of a dataset are used, and how they are grouped into batches."""

from collections.abc import Iterable, Iterator, Sequence, Sized
from itertools import islice
from typing import Any, Generic, TypeVar

import numpy as np

from rushlight.core.advice import advised
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.random import Generator, default_generator
from rushlight.random.integers import randint, random_, randperm
from rushlight.random.multinomial import multinomial

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

T = TypeVar("T", covariant=True)
INT64 = np.dtype(np.int64)


def draw_seed(generator: Generator | None) -> int:
    """Draws a seed for another generator."""
    return random_(generator or default_generator, (1,), INT64).item()


def require_positive(name: str, value: Any) -> None:
    """Raises PyTorch's ValueError for anything but a positive integer."""
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(advised(f"{name} should be a positive integer value, but got {name}={value}"))


class Sampler(Generic[T]):
    """The base class of samplers: a subclass defines `__iter__`, which yields indices of samples or lists of them.

    >>> import rushlight as torch
    >>> class Backwards(torch.utils.data.Sampler):
    ...     def __init__(self, data):
    ...         self.data = data
    ...
    ...     def __iter__(self):
    ...         return iter(range(len(self.data) - 1, -1, -1))
    >>> data = [1, 2, 3]
    >>> list(torch.utils.data.DataLoader(data, batch_size=2, sampler=Backwards(data)))
    [tensor([3, 2]), tensor([1])]
    """

    def __iter__(self) -> Iterator[T]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """Yields indices in order.

    >>> import rushlight as torch
    >>> list(torch.utils.data.SequentialSampler(["a", "b", "c"]))
    [0, 1, 2]
    """

    def __init__(self, data_source: Sized):
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """Yields indices in random order, or with `replacement` each drawn from all; `num_samples` in total.

    Without a generator, each iteration makes one, seeded from the default generator.

    >>> import rushlight as torch
    >>> generator = torch.Generator().manual_seed(0)
    >>> list(torch.utils.data.RandomSampler(range(6), generator=generator))
    [2, 5, 3, 0, 1, 4]
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ):
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        require_positive("num_samples", self.num_samples)

    @property
    def num_samples(self) -> int:
        """The number of samples."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        generator = self.generator
        if generator is None:
            generator = Generator().manual_seed(draw_seed(None))
        size, wanted = len(self.data_source), self.num_samples
        if self.replacement:
            for start in range(0, wanted, 32):
                yield from randint(generator, (min(32, wanted - start),), INT64, 0, size).tolist()
            return
        for _ in range(wanted // size):
            yield from randperm(generator, size, INT64).tolist()
        yield from randperm(generator, size, INT64)[: wanted % size].tolist()  # as PyTorch, drawn even for no rest

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Yields given indices in random order.

    >>> import rushlight as torch
    >>> sorted(torch.utils.data.SubsetRandomSampler([5, 7, 8]))
    [5, 7, 8]
    """

    def __init__(self, indices: Sequence[int], generator: Generator | None = None):
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for i in randperm(self.generator or default_generator, len(self.indices), INT64).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Draws indices at random, with probabilities proportional to weights.

    >>> import rushlight as torch
    >>> generator = torch.Generator().manual_seed(0)
    >>> list(torch.utils.data.WeightedRandomSampler([0.1, 0.9, 0.4], 5, generator=generator))
    [2, 1, 1, 2, 1]
    """

    def __init__(self, weights: Any, num_samples: int, replacement: bool = True, generator: Generator | None = None):
        require_positive("num_samples", num_samples)
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        array = np.array(weights._array if isinstance(weights, TensorBase) else weights, np.float64)
        if array.ndim != 1:
            raise ValueError(f"weights should be a 1d sequence but given weights have shape {array.shape}")
        self.weights: Any = new_tensor(array)
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        generator = self.generator or default_generator
        yield from multinomial(generator, self.weights._array, self.num_samples, self.replacement).tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Groups the indices of another sampler into lists of `batch_size`; a shorter last one is kept or dropped.

    >>> import rushlight as torch
    >>> data = torch.utils.data
    >>> list(data.BatchSampler(data.SequentialSampler(range(5)), batch_size=2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Sampler[int] | Iterable[int], batch_size: int, drop_last: bool):
        require_positive("batch_size", batch_size)
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        numbers = iter(self.sampler)
        while batch := list(islice(numbers, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield batch

    def __len__(self) -> int:
        size: int = len(self.sampler)  # type: ignore[arg-type]  # some have no length
        return size // self.batch_size if self.drop_last else -(-size // self.batch_size)
