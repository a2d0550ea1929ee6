"""Worker processes, which fetch batches ahead."""

import os
import queue
import random
import traceback
from dataclasses import dataclass
from typing import Any

import numpy as np

from rushlight import random as rushlight_random

__all__ = ["get_worker_info"]

PATIENCE = 5.0  # seconds after which a process that waits looks whether the other one is still there


@dataclass(frozen=True)
class WorkerInfo:
    """What a worker knows of itself: its number among how many, its seed, and its copy of the dataset."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


_worker_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """In a worker process of a DataLoader, what it knows of itself; elsewhere None.

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
        """The failure that an error is, with its traceback as text."""
        trace = "".join(traceback.format_exception(error))
        return Failure(
            type(error),
            f"Caught {type(error).__name__} in DataLoader worker process {worker}.\nOriginal {trace}",
        )

    def reraise(self) -> None:
        """Raises an error of the same type; RuntimeError where that type takes no message."""
        try:
            error = self.kind(Message(self.message))
        except Exception:
            error = RuntimeError(self.message)
        raise error


class Message(str):
    """A text that KeyError, which shows the `repr` of its key, shows as it is."""

    __slots__ = ()
    __repr__ = str.__str__


class End:
    """Says that the dataset of a worker has no more samples."""


class Restart:
    """Asks a worker to begin with its dataset again."""


def seed_everything(base_seed: int, worker: int) -> None:
    """Seeds the generators of a worker as PyTorch does: Python's, rushlight's, NumPy's."""
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
    """What a worker does: fetches what it is asked for, until it is told to stop or its parent is gone."""
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
    """A batch, or why there is none."""
    try:
        return fetcher.fetch(index)
    except StopIteration:
        return End()
    except Exception as error:
        return Failure.of(error, worker)
