"""One pass through a data loader: in this process, or with batches loaded ahead by worker processes."""

import multiprocessing
import os
import queue
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from rushlight.core.interpreters import observer
from rushlight.core.lines import warn
from rushlight.reraising import ExceptionWrapper
from rushlight.tensors import Tensor
from rushlight.utils.data.fetch import IterableFetcher, MapFetcher
from rushlight.utils.data.sampler import draw_seed
from rushlight.utils.data.worker import PATIENCE, End, Restart, work


def fetcher_for(loader: Any) -> Callable[..., Any]:
    """A function that makes the fetcher of a loader's dataset."""
    kind = IterableFetcher if loader._is_iterable else MapFetcher
    return partial(kind, batched=loader._auto_collation, collate_fn=loader.collate_fn, drop_last=loader.drop_last)


class _BaseDataLoaderIter:
    """The common base of both kinds of pass: the order of samples, and the base seed of workers."""

    def __init__(self, loader: Any):
        self.loader = loader
        self._num_yielded = 0
        self._sampler_iter = iter(loader._index_sampler)
        self._base_seed = draw_seed(loader.generator)
        if loader.pin_memory:
            warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be "
                "used.",
            )

    def __iter__(self) -> Any:
        return self

    def __len__(self) -> int:
        return len(self.loader._index_sampler)

    def __next__(self) -> list[Tensor]:
        profiler = observer()
        if profiler is None:
            data = self._next_data()
        else:
            with profiler.region(f"enumerate(DataLoader)#{type(self).__name__}.__next__"):
                data = self._next_data()
        self._num_yielded += 1
        announced = self.loader._announced_length
        if announced is not None and self._num_yielded > announced:
            warn(
                f"Length of IterableDataset {self.loader.dataset} was reported to be {announced}(when accessing "
                f"len(dataloader)), but {self._num_yielded} samples have been fetched. ",
            )
        return data

    def _next_data(self) -> Any:
        """The next batch."""
        raise NotImplementedError

    def __getstate__(self) -> Any:
        raise NotImplementedError("{} cannot be pickled", type(self).__name__)


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """A pass in this process."""

    def __init__(self, loader: Any):
        super().__init__(loader)
        self.fetcher = fetcher_for(loader)(loader.dataset)

    def _next_data(self) -> Any:
        return self.fetcher.fetch(next(self._sampler_iter))


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """A pass with worker processes.

    Batches are numbered when they are requested, distributed to the workers in turn, and returned in that order (or,
    with `in_order=False`, as they arrive).
    """

    def __init__(self, loader: Any):
        super().__init__(loader)
        context = loader.multiprocessing_context or multiprocessing.get_context()
        self.results = context.Queue()
        self.tasks = [context.Queue() for _ in range(loader.num_workers)]
        self.workers = [self._worker(context, i) for i in range(loader.num_workers)]
        for worker in self.workers:
            worker.start()
        self.process = os.getpid()
        self.epoch = 0
        self._begin()

    def _worker(self, context: Any, number: int) -> Any:
        """A worker process, not started yet."""
        loader = self.loader
        arguments = (
            fetcher_for(loader),
            loader.dataset,
            self.tasks[number],
            self.results,
            self._base_seed,
            loader.worker_init_fn,
            number,
            loader.num_workers,
        )
        return context.Process(target=work, args=arguments, daemon=True)

    def _begin(self) -> None:
        """Requests the first batches."""
        self._num_yielded = 0
        self.asked = 0
        self.given = 0
        self.owners: dict[int, int] = {}  # the workers of batches that were requested and not returned yet
        self.arrived: dict[int, Any] = {}
        self.ended: set[int] = set()
        for _ in range(self.loader.prefetch_factor * len(self.workers)):
            self._ask()

    def restart(self) -> None:
        """Starts another pass with the same workers."""
        self.epoch += 1
        self._sampler_iter = iter(self.loader._index_sampler)
        for tasks in self.tasks:
            tasks.put(Restart())
        self._begin()

    def _ask(self) -> None:
        """Requests another batch from the worker whose turn it is."""
        for offset in range(len(self.workers)):
            worker = (self.asked + offset) % len(self.workers)
            if worker not in self.ended:
                break
        else:
            return
        try:
            index = next(self._sampler_iter)
        except StopIteration:
            return
        self.owners[self.asked] = worker
        self.tasks[worker].put((self.epoch, self.asked, index))
        self.asked += 1

    def _next_data(self) -> Any:
        while self.owners:
            number = self._ready()
            if number is None:
                self._receive()
                continue
            data = self.arrived.pop(number)
            del self.owners[number]
            if isinstance(data, End):
                continue
            self._ask()
            if isinstance(data, ExceptionWrapper):
                data.reraise()
            return data
        if not self.loader.persistent_workers:
            self.shut_down()
        raise StopIteration

    def _ready(self) -> int | None:
        """The number of the batch to return now; None if it has not arrived."""
        if not self.loader.in_order:
            return next(iter(self.arrived), None)
        first = next(iter(self.owners))
        return first if first in self.arrived else None

    def _receive(self) -> None:
        """Waits for a result. RuntimeError after the loader's timeout, and if a worker has died."""
        timeout = self.loader.timeout
        end = time.monotonic() + timeout
        while True:
            try:
                wait = min(PATIENCE, max(end - time.monotonic(), 0)) if timeout else PATIENCE
                epoch, number, worker, data = self.results.get(timeout=wait)
                break
            except queue.Empty:
                self._check_workers()
                if timeout and time.monotonic() >= end:
                    raise RuntimeError(f"DataLoader timed out after {timeout} seconds") from None
        if epoch != self.epoch:
            return
        self.arrived[number] = data
        if isinstance(data, End) and worker not in self.ended:
            self.ended.add(worker)
            self._ask()

    def _check_workers(self) -> None:
        """Raises PyTorch's error if a worker has died."""
        dead = [str(worker.pid) for worker in self.workers if not worker.is_alive()]
        if dead:
            raise RuntimeError(f"DataLoader worker (pid(s) {', '.join(dead)}) exited unexpectedly")

    def shut_down(self) -> None:
        """Stops the workers."""
        for tasks in self.tasks:
            tasks.put(None)
        for worker in self.workers:
            worker.join(timeout=PATIENCE)
            if worker.is_alive():
                worker.terminate()
        for pipe in (self.results, *self.tasks):
            pipe.cancel_join_thread()
            pipe.close()
        self.workers, self.tasks = [], []

    def __del__(self) -> None:
        if self.__dict__.get("workers") and self.process == os.getpid():  # workers have copies of the iterator
            self.shut_down()
