"""Datasets: samples by index, or iterable; concatenated, subset and split."""

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Generic, TypeVar

import numpy as np

from rushlight.core.advice import advised
from rushlight.core.lines import warn
from rushlight.random import Generator, default_generator
from rushlight.random.integers import randperm
from rushlight.tensors import Tensor

__all__ = [
    "ChainDataset",
    "ConcatDataset",
    "Dataset",
    "IterableDataset",
    "StackDataset",
    "Subset",
    "TensorDataset",
    "random_split",
]

T = TypeVar("T", covariant=True)


class Dataset(Generic[T]):
    """Samples by index: a subclass defines `__getitem__`, and `__len__` so that samplers can be used.

    A subclass may define `__getitems__`, which takes a list of indices, to return several samples at once.

    >>> import rushlight as torch
    >>> class Squares(torch.utils.data.Dataset):
    ...     def __len__(self):
    ...         return 4
    ...
    ...     def __getitem__(self, i):
    ...         return i**2
    >>> list(torch.utils.data.DataLoader(Squares(), batch_size=2))
    [tensor([0, 1]), tensor([4, 9])]
    """

    def __getitem__(self, index: Any) -> T:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: "Dataset[T]") -> "ConcatDataset[T]":
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T], Iterable[T]):
    """Samples from an iterator: a subclass defines `__iter__`.

    >>> import rushlight as torch
    >>> class Counted(torch.utils.data.IterableDataset):
    ...     def __iter__(self):
    ...         return iter(range(3))
    >>> list(torch.utils.data.DataLoader(Counted(), batch_size=2))
    [tensor([0, 1]), tensor([2])]
    """

    def __add__(self, other: "Dataset[T]") -> "ChainDataset":  # type: ignore[override]  # as in PyTorch
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Samples from the rows of tensors of the same length.

    >>> import rushlight as torch
    >>> dataset = torch.utils.data.TensorDataset(torch.tensor([[1, 2], [3, 4]]), torch.tensor([5, 6]))
    >>> dataset[1]
    (tensor([3, 4]), tensor(6))
    """

    def __init__(self, *tensors: Tensor):
        try:
            sizes = {tensor.size(0) for tensor in tensors}
        except (AttributeError, TypeError) as error:  # such as a list or an array
            advice = "TensorDataset takes tensors: torch.tensor(...), torch.from_numpy(array)."
            raise type(error)(f"{error}. {advice}") from None
        if len(sizes) > 1:
            raise AssertionError(advised("Size mismatch between tensors"))
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return len(self.tensors[0])


class StackDataset(Dataset[Any]):
    """Samples from several datasets of the same length combined: as tuples, or as dictionaries if named.

    >>> import rushlight as torch
    >>> pairs = torch.utils.data.StackDataset(x=[1, 2], y=["a", "b"])
    >>> pairs[1]
    {'x': 2, 'y': 'b'}
    """

    def __init__(self, *args: Dataset[Any], **kwargs: Dataset[Any]):
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both "
                "types are given."
            )
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        self.datasets: Any = args or kwargs
        lengths = {len(dataset) for dataset in args or kwargs.values()}  # type: ignore[arg-type]  # those by number have a length
        if len(lengths) > 1:
            raise ValueError("Size mismatch between datasets")
        self._length = lengths.pop()

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: dataset[index] for name, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __getitems__(self, indices: list[Any]) -> list[Any]:
        if isinstance(self.datasets, dict):
            columns = [samples(dataset, indices) for dataset in self.datasets.values()]
            return [dict(zip(self.datasets, row, strict=True)) for row in zip(*columns, strict=True)]
        return list(zip(*(samples(dataset, indices) for dataset in self.datasets), strict=True))

    def __len__(self) -> int:
        return self._length


def samples(dataset: Any, indices: list[Any]) -> list[Any]:
    """The samples at some indices: at once if the dataset supports it, else one by one."""
    if callable(getattr(dataset, "__getitems__", None)):
        items = dataset.__getitems__(indices)
        if len(items) != len(indices):
            raise ValueError(f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(items)}")
        return items
    return [dataset[index] for index in indices]


class ConcatDataset(Dataset[T]):
    """Several datasets concatenated. AssertionError for none, and for iterable ones.

    >>> import rushlight as torch
    >>> both = torch.utils.data.ConcatDataset([["a", "b"], ["c"]])
    >>> len(both), both[2]
    (3, 'c')
    """

    @staticmethod
    def cumsum(sequence: Iterable[Any]) -> list[int]:
        """The lengths of datasets, summed up."""
        return list(accumulate(map(len, sequence)))

    def __init__(self, datasets: Iterable[Dataset[Any]]):
        self.datasets: list[Dataset[Any]] = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes: list[int] = self.cumsum(self.datasets)

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> T:
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        which = bisect_right(self.cumulative_sizes, idx)
        return self.datasets[which][idx - (self.cumulative_sizes[which - 1] if which else 0)]


class ChainDataset(IterableDataset[Any]):
    """Several iterable datasets chained.

    >>> from rushlight.utils.data import ChainDataset, IterableDataset
    >>> class Counted(IterableDataset):
    ...     def __iter__(self):
    ...         return iter(range(2))
    >>> list(ChainDataset([Counted(), Counted()]))
    [0, 1, 0, 1]
    """

    def __init__(self, datasets: Iterable[Dataset[Any]]):
        self.datasets: Iterable[Dataset[Any]] = datasets

    def _parts(self) -> Iterator[Any]:
        """The datasets, each of which must be iterable."""
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield dataset

    def __iter__(self) -> Iterator[Any]:
        for dataset in self._parts():
            yield from dataset

    def __len__(self) -> int:
        return sum(len(dataset) for dataset in self._parts())


class Subset(Dataset[T]):
    """The samples of a dataset at given indices, in this order.

    >>> import rushlight as torch
    >>> part = torch.utils.data.Subset(["a", "b", "c"], [0, 2])
    >>> len(part), part[1]
    (2, 'c')
    """

    def __init__(self, dataset: Dataset[T], indices: Sequence[int]):
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, idx: Any) -> T:
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices: list[int]) -> list[T]:
        if type(self).__getitem__ is not Subset.__getitem__:
            return [self[i] for i in indices]
        return samples(self.dataset, [self.indices[i] for i in indices])

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Dataset[T], lengths: Sequence[float], generator: Generator = default_generator
) -> list[Subset[T]]:
    """Splits a dataset at random into parts of given lengths, or given fractions.

    ValueError if the lengths do not add up to that of the dataset.

    >>> import rushlight as torch
    >>> generator = torch.Generator().manual_seed(42)
    >>> [list(part) for part in torch.utils.data.random_split(range(10), [3, 7], generator)]
    [[2, 6, 1], [8, 4, 5, 0, 9, 3, 7]]
    """
    size = len(dataset)  # type: ignore[arg-type]  # those by number have a length
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = lengths_of_shares(size, lengths)
    if sum(lengths) != size:
        raise ValueError(advised("Sum of input lengths does not equal the length of the input dataset!"))
    order = randperm(generator, size, np.dtype(np.int64)).tolist()
    ends = accumulate(lengths)
    return [Subset(dataset, order[end - n : end]) for end, n in zip(ends, lengths, strict=True)]


def lengths_of_shares(size: int, shares: Sequence[float]) -> list[int]:
    """The lengths of parts given as fractions; the remainder is distributed from the first part on."""
    for i, share in enumerate(shares):
        if not 0 <= share <= 1:
            raise ValueError(f"Fraction at index {i} is not between 0 and 1")
    lengths = [math.floor(size * share) for share in shares]
    for i in range(size - sum(lengths)):
        lengths[i % len(lengths)] += 1
    for i, length in enumerate(lengths):
        if length == 0:
            warn(f"Length of split at index {i} is 0. This might result in an empty dataset.")
    return lengths
