"""Loading with worker processes: order, random numbers, errors, lifetimes.

Every test holds for PyTorch too.
"""

import random
from importlib import import_module

import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore:This DataLoader will create")


class Draws:
    """Samples with a random number of each of three generators."""

    def __init__(self, library):
        self.library = library

    def __len__(self):
        return 8

    def __getitem__(self, index):
        torch = import_module(self.library)
        return index, torch.randint(0, 1000, (1,)).item(), random.randint(0, 999), int(np.random.randint(0, 1000))


class Failing:
    def __len__(self):
        return 2

    def __getitem__(self, index):
        raise KeyError(f"no {index}")


GOLDEN = [  # PyTorch 2.13, after torch.manual_seed(5)
    [[4, 6, 1], [557, 364, 179], [996, 680, 101], [612, 106, 632]],
    [[7, 5, 3], [238, 935, 244], [752, 768, 431], [834, 96, 400]],
    [[2, 0], [234, 276], [638, 166], [484, 79]],
]


def load(torch, dataset, **options):
    return torch.utils.data.DataLoader(dataset, **options)


def lists(batches):
    return [[part.tolist() for part in batch] for batch in batches]


def test_order_and_random_numbers(torch):
    torch.manual_seed(5)
    batches = lists(load(torch, Draws(torch.__name__), batch_size=3, shuffle=True, num_workers=2))
    assert batches == GOLDEN


def test_persistent_workers_go_on(torch):
    torch.manual_seed(5)
    loader = load(torch, Draws(torch.__name__), batch_size=3, shuffle=True, num_workers=2, persistent_workers=True)
    assert lists(loader) == GOLDEN
    assert sorted(index for batch in loader for index in batch[0].tolist()) == list(range(8))


def test_workers_know_themselves(torch):
    class Shares(torch.utils.data.IterableDataset):
        def __iter__(self):
            info = torch.utils.data.get_worker_info()
            return iter(range(info.id, 7, info.num_workers))

    loader = load(torch, Shares(), batch_size=2, num_workers=2)
    assert [batch.tolist() for batch in loader] == [[0, 2], [1, 3], [4, 6], [5]]
    assert torch.utils.data.get_worker_info() is None


def test_errors_come_back(torch):
    with pytest.raises(KeyError, match=r"Caught KeyError in DataLoader worker process 0"):
        list(load(torch, Failing(), num_workers=1))


def test_worker_init_fn(torch):
    def begin(worker):
        raise ValueError(f"worker {worker} does not want to")

    with pytest.raises(ValueError, match=r"Caught ValueError in DataLoader worker process 0"):
        list(load(torch, Failing(), num_workers=1, worker_init_fn=begin))


def test_passes_that_are_given_up(torch):
    loader = load(torch, torch.utils.data.TensorDataset(torch.arange(100)), num_workers=2)
    for _ in range(2):
        assert next(iter(loader))[0].tolist() == [0]


def test_timeout(torch):
    class Slow(Failing):
        def __getitem__(self, index):
            import time

            time.sleep(60)

    with pytest.raises(RuntimeError, match=r"DataLoader timed out after 0.5 seconds"):
        list(load(torch, Slow(), num_workers=1, timeout=0.5))


def test_out_of_order(torch):
    loader = load(torch, torch.utils.data.TensorDataset(torch.arange(10)), num_workers=2, in_order=False)
    assert sorted(batch[0].item() for batch in loader) == list(range(10))
