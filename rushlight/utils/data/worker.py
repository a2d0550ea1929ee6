"""Worker processes that load batches ahead."""

import os
import queue
import random
import traceback
from dataclasses import dataclass
from typing import Any

import numpy as np

from rushlight import random as rushlight_random

__all__ = ["get_worker_info"]

PATIENCE = 5.0  # seconds after which a waiting process checks whether the other one is alive


@dataclass(frozen=True)
class WorkerInfo:
    """Information on a worker: its number, the number of workers, its seed, and its copy of the dataset."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


_worker_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """In a worker process of a DataLoader, the information on itself; elsewhere None.

    >>> import rushlight as torch
    >>> torch.utils.data.get_worker_info() is None
    True
    """
    return _worker_info


@dataclass(frozen=True)
class Failure:
    """An error in a worker."""

    kind: type[Exception]
    message: str

    @staticmethod
    def of(error: Exception, worker: int) -> "Failure":
        """The failure for an exception, with its traceback as text."""
        trace = "".join(traceback.format_exception(error))
        return Failure(
            type(error),
            f"Caught {type(error).__name__} in DataLoader worker process {worker}.\nOriginal {trace}",
        )

    def reraise(self) -> None:
        """Raises an exception of the same type; RuntimeError if that type does not take a message."""
        try:
            error = self.kind(Message(self.message))
        except Exception:
            error = RuntimeError(self.message)
        raise error


class Message(str):
    """A string that KeyError, which shows the `repr` of its key, shows unquoted."""

    __slots__ = ()
    __repr__ = str.__str__


class End:
    """Tells that the dataset of a worker has no more samples."""


class Restart:
    """Tells a worker to start again with its dataset."""


def seed_everything(base_seed: int, worker: int) -> None:
    """Seeds the generators of a worker as PyTorch does: those of Python, rushlight and NumPy."""
    random.seed(base_seed + worker)
    rushlight_random.manual_seed(base_seed + worker)
    words = [worker, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]
    np.random.seed(np.random.SeedSequence(words).generate_state(4))


def work(
    make_fetcher: Any,
    dataset: Any,
    tasks: Any,
    results: Any,
    base_seed: Any,
    worker_init_fn: Any,
    worker: Any,
    num_workers: Any,
) -> None:
    """The main function of a worker: fetches what is requested, until it is told to stop or its parent is gone."""
    global _worker_info
    seed_everything(base_seed, worker)
    _worker_info = WorkerInfo(worker, num_workers, base_seed + worker, dataset)
    fetcher, failure, parent = None, None, os.getppid()
    try:
        if worker_init_fn is not None:
            worker_init_fn(worker)
        fetcher = make_fetcher(dataset)
    except Exception as error:
        failure = Failure.of(error, worker)
    while os.getppid() == parent:
        try:
            task = tasks.get(timeout=PATIENCE)
        except queue.Empty:
            continue
        except KeyboardInterrupt:
            return
        if task is None:
            return
        if isinstance(task, Restart):
            fetcher = make_fetcher(dataset)
            continue
        epoch, number, index = task
        results.put((epoch, number, worker, failure or result_of(fetcher, index, worker)))


def result_of(fetcher: Any, index: Any, worker: int) -> Any:
    """A batch, or the failure to fetch it."""
    try:
        return fetcher.fetch(index)
    except StopIteration:
        return End()
    except Exception as error:
        return Failure.of(error, worker)
