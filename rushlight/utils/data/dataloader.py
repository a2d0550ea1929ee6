"""The data loader: batches from a dataset in some order, optionally loaded by worker processes."""

import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from itertools import repeat
from multiprocessing.context import BaseContext
from typing import Any, Generic, TypeVar

from rushlight.core.advice import advised
from rushlight.random import Generator
from rushlight.utils.data.collate import default_collate, default_convert
from rushlight.utils.data.dataset import Dataset, IterableDataset
from rushlight.utils.data.iterators import _BaseDataLoaderIter as _BaseDataLoaderIter
from rushlight.utils.data.iterators import _MultiProcessingDataLoaderIter, _SingleProcessDataLoaderIter
from rushlight.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

__all__ = ["DataLoader"]

T = TypeVar("T", covariant=True)
FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


_collate_fn_t = Callable[[list[Any]], Any]
_worker_init_fn_t = Callable[[int], None]


class _InfiniteConstantSampler(Sampler[None]):
    """Yields None without end: an iterable dataset chooses its samples itself."""

    def __iter__(self) -> Any:
        return repeat(None)


class DataLoader(Generic[T]):
    """Iterates over a dataset in batches.

    dataset: samples by index, or an `IterableDataset`. batch_size, drop_last: the number of samples in a batch, and
    whether a smaller last batch is dropped; None for single samples. shuffle, sampler, batch_sampler: the order:
    random, of a sampler, or of one that yields whole batches. num_workers, prefetch_factor, persistent_workers,
    timeout, worker_init_fn, multiprocessing_context: the number of worker processes, how many batches each loads ahead,
    whether they are kept for the next pass, how long to wait for them, what they call first (with their number), and
    how they are started. collate_fn: makes a batch from a list of samples. pin_memory, pin_memory_device: for
    accelerators, without effect here. generator: the source of random numbers for shuffling and of the workers' base
    seed. in_order: whether batches of workers keep their order.

    ValueError for options that exclude each other.

    >>> import rushlight as torch
    >>> dataset = torch.utils.data.TensorDataset(torch.arange(5))
    >>> [batch for batch, in torch.utils.data.DataLoader(dataset, batch_size=2)]
    [tensor([0, 1]), tensor([2, 3]), tensor([4])]
    """

    __initialized = False

    def __init__(
        self,
        dataset: Dataset[T],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Sampler[Any] | Iterable[Any] | None = None,
        batch_sampler: Sampler[list[Any]] | Iterable[list[Any]] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: BaseContext | str | None = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ):
        check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor: int | None = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        self.generator = generator
        self.persistent_workers = persistent_workers
        self._is_iterable = isinstance(dataset, IterableDataset)
        self._announced_length: int | None = None
        self._iterator: Any = None
        self._choose_order(batch_size, shuffle, sampler, batch_sampler, drop_last)
        self.collate_fn: Callable[[list[Any]], Any] = collate_fn or (
            default_collate if self._auto_collation else default_convert
        )
        self.__initialized = True

    def _choose_order(
        self,
        batch_size: int | None,
        shuffle: bool | None,
        sampler: Sampler[Any] | Iterable[Any] | None,
        batch_sampler: Sampler[list[Any]] | Iterable[list[Any]] | None,
        drop_last: bool,
    ) -> None:
        """Sets the samplers, after checking that the arguments do not exclude each other."""
        if self._is_iterable:
            refuse_order(shuffle, sampler, batch_sampler)
        if sampler is not None and shuffle:
            raise ValueError(advised("sampler option is mutually exclusive with shuffle"))
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError(
                advised("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
            )
        dataset: Any = self.dataset
        if sampler is None and self._is_iterable:
            sampler = _InfiniteConstantSampler()
        elif sampler is None and shuffle:
            sampler = RandomSampler(dataset, generator=self.generator)
        elif sampler is None:
            sampler = SequentialSampler(dataset)
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size: int | None = batch_size
        self.drop_last: bool = drop_last
        self.sampler: Any = sampler
        self.batch_sampler: Any = batch_sampler

    @property
    def multiprocessing_context(self) -> BaseContext | None:
        """The context that starts workers; None for the default."""
        return self.__multiprocessing_context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context: Any) -> None:
        if context is not None and not self.num_workers:
            raise ValueError(
                "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
                f"num_workers={self.num_workers}"
            )
        self.__multiprocessing_context = context_of(context)

    def __setattr__(self, attr: str, val: Any) -> None:
        if self.__initialized and attr in FIXED:
            raise ValueError(f"{attr} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(attr, val)

    @property
    def _auto_collation(self) -> bool:
        """Whether samples are collated into batches."""
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        """The sampler of indices, or of the lists of indices of batches."""
        return self.batch_sampler if self._auto_collation else self.sampler

    def __iter__(self) -> Iterator[Any]:
        if not self.num_workers:
            return _SingleProcessDataLoaderIter(self)
        if not self.persistent_workers:
            return _MultiProcessingDataLoaderIter(self)
        if self._iterator is None:
            self._iterator = _MultiProcessingDataLoaderIter(self)
        else:
            self._iterator.restart()
        return self._iterator

    def __len__(self) -> int:
        if not self._is_iterable:
            return len(self._index_sampler)
        length = self._announced_length = len(self.dataset)  # type: ignore[arg-type]  # it may have one all the same
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)


def check_workers(num_workers: int, timeout: Any, prefetch_factor: Any, persistent_workers: bool) -> None:
    """Raises PyTorch's errors for wrong options about workers."""
    if num_workers < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
            "multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def refuse_order(shuffle: Any, sampler: Any, batch_sampler: Any) -> None:
    """Raises PyTorch's errors for an order with an iterable dataset, which has its own."""
    if shuffle not in (False, None):
        raise ValueError(
            f"DataLoader with IterableDataset: expected unspecified shuffle option, but got shuffle={shuffle}"
        )
    for name, given in (("sampler", sampler), ("batch_sampler", batch_sampler)):
        if given is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={given}"
            )


def context_of(context: Any) -> Any:
    """A multiprocessing context, which may be given by name."""
    if isinstance(context, str):
        methods = multiprocessing.get_all_start_methods()
        if context not in methods:
            raise ValueError(
                f"multiprocessing_context option should specify a valid start method in {methods!r}, but got "
                f"multiprocessing_context={context!r}"
            )
        return multiprocessing.get_context(context)
    if context is not None and not isinstance(context, BaseContext):
        raise TypeError(
            "multiprocessing_context option should be a valid context object or a string specifying the start method, "
            f"but got multiprocessing_context={context}"
        )
    return context
