"""Worker processes that load batches ahead."""

import os
import queue
import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from rushlight import random as rushlight_random
from rushlight.reraising import ExceptionWrapper

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


def failure_of(worker: int) -> ExceptionWrapper:
    """The exception that is being handled in a worker."""
    return ExceptionWrapper(where=f"in DataLoader worker process {worker}")


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
    except Exception:
        failure = failure_of(worker)
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
    except Exception:
        return failure_of(worker)
