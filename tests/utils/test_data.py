"""Datasets, samplers and loaders, orders after a seed included. Every test holds for PyTorch too."""

from collections import namedtuple

import numpy as np
import pytest

Point = namedtuple("Point", ["x", "y"])


def numbers(torch, size=23):
    return torch.utils.data.TensorDataset(torch.arange(size), torch.arange(2 * size).reshape(size, 2))


def lists(value):
    """Tensors, in whatever they are, as lists."""
    if isinstance(value, dict):
        return {key: lists(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [lists(part) for part in value]
    return value.tolist() if hasattr(value, "tolist") else value


def test_tensor_dataset(torch):
    dataset = numbers(torch, 3)
    assert len(dataset) == 3
    assert lists(dataset[1]) == [1, [2, 3]]
    assert lists(dataset[1:]) == [[1, 2], [[2, 3], [4, 5]]]
    with pytest.raises(AssertionError, match="Size mismatch between tensors"):
        torch.utils.data.TensorDataset(torch.ones(1), torch.ones(2))


def test_concatenation(torch):
    data = torch.utils.data
    both = numbers(torch, 2) + numbers(torch, 3)
    assert isinstance(both, data.ConcatDataset)
    assert len(both) == 5
    assert lists([both[i][0] for i in (0, 1, 2, 4, -1, -5)]) == [0, 1, 0, 2, 2, 0]
    with pytest.raises(ValueError, match="absolute value of index should not exceed dataset length"):
        both[-6]
    with pytest.raises(AssertionError, match="datasets should not be an empty iterable"):
        data.ConcatDataset([])


def test_stacking(torch):
    data = torch.utils.data
    assert data.StackDataset([1, 2], "ab")[1] == (2, "b")
    named = data.StackDataset(number=[1, 2], letter="ab")
    assert named[0] == {"number": 1, "letter": "a"}
    assert named.__getitems__([1, 0]) == [{"number": 2, "letter": "b"}, {"number": 1, "letter": "a"}]
    assert data.StackDataset(named, [5, 6]).__getitems__([0]) == [({"number": 1, "letter": "a"}, 5)]
    with pytest.raises(ValueError, match="Size mismatch between datasets"):
        data.StackDataset([1], [1, 2])
    with pytest.raises(ValueError, match="At least one dataset should be passed"):
        data.StackDataset()


def test_subsets_and_splits(torch):
    data = torch.utils.data
    subset = data.Subset("abcdef", [5, 1])
    assert list(subset) == ["f", "b"]
    assert subset.__getitems__([1, 0]) == ["b", "f"]
    generator = torch.Generator().manual_seed(42)
    assert [list(part) for part in data.random_split(range(10), [3, 7], generator)] == [
        [2, 6, 1],
        [8, 4, 5, 0, 9, 3, 7],
    ]
    torch.manual_seed(0)
    assert [len(part) for part in data.random_split(range(11), [0.5, 0.3, 0.2])] == [6, 3, 2]
    with pytest.raises(ValueError, match="Sum of input lengths does not equal the length of the input dataset!"):
        data.random_split(range(10), [3, 8])
    with pytest.warns(UserWarning, match="Length of split at index 1 is 0. This might result in an empty dataset."):
        data.random_split(range(1), [0.5, 0.5])


def test_samplers(torch):
    data = torch.utils.data
    assert list(data.SequentialSampler("abc")) == [0, 1, 2]
    assert list(data.BatchSampler(range(5), 2, False)) == [[0, 1], [2, 3], [4]]
    assert list(data.BatchSampler(range(5), 2, True)) == [[0, 1], [2, 3]]
    assert len(data.BatchSampler(range(5), 2, True)) == 2
    assert len(data.BatchSampler(range(5), 2, False)) == 3


def batches(loader):
    return [batch[0].tolist() for batch in loader]


def three_passes(torch):
    """Three passes of a loader with its own generator, and what the default generator gives after that."""
    generator = torch.Generator().manual_seed(3)
    dataset = torch.utils.data.TensorDataset(torch.arange(7))
    loader = torch.utils.data.DataLoader(dataset, batch_size=3, shuffle=True, generator=generator)
    return [batch for _ in range(3) for batch in batches(loader)] + [torch.randint(0, 1000, (3,)).tolist()]


def two_passes(torch):
    dataset = torch.utils.data.TensorDataset(torch.arange(7))
    loader = torch.utils.data.DataLoader(dataset, batch_size=3, shuffle=True)
    return [batch for _ in range(2) for batch in batches(loader)]


ORDERS = {  # recorded from PyTorch 2.13, after torch.manual_seed(5)
    "two passes": (two_passes, [[0, 3, 6], [2, 1, 4], [5], [1, 2, 5], [3, 6, 4], [0]]),
    "three passes": (
        three_passes,
        [[3, 4, 2], [0, 1, 6], [5], [6, 1, 2], [3, 4, 0], [5], [4, 2, 6], [0, 3, 5], [1], [411, 814, 767]],
    ),
    "random": (lambda torch: torch.utils.data.RandomSampler(range(10)), [7, 6, 5, 4, 8, 3, 2, 9, 0, 1]),
    "more than there are": (
        lambda torch: torch.utils.data.RandomSampler(range(4), num_samples=10),
        [1, 3, 0, 2, 2, 0, 1, 3, 2, 3],
    ),
    "replacement": (
        lambda torch: torch.utils.data.RandomSampler(range(10), replacement=True, num_samples=35),
        [7, 4, 9, 4, 6, 8, 2, 2, 1, 8, 2, 5, 3, 3, 2, 8, 1, 8, 1, 1, 8, 6, 3, 6, 3, 4, 1, 9, 5, 0, 6, 9, 4, 5, 4],
    ),
    "subset": (lambda torch: torch.utils.data.SubsetRandomSampler([3, 5, 8, 1]), [1, 5, 3, 8]),
    "weighted": (lambda torch: torch.utils.data.WeightedRandomSampler([0.1, 0.4, 3.0], 10), [2] * 10),
    "weighted, each once": (
        lambda torch: torch.utils.data.WeightedRandomSampler([0.1, 0.4, 3.0], 2, False),
        [2, 1],
    ),
    "split": (
        lambda torch: [list(part) for part in torch.utils.data.random_split(range(11), [0.5, 0.3, 0.2])],
        [[9, 5, 0, 8, 10, 2], [3, 6, 7], [1, 4]],
    ),
}


@pytest.mark.parametrize("name", list(ORDERS))
def test_order_after_a_seed(torch, name):
    make, expected = ORDERS[name]
    torch.manual_seed(5)
    assert list(make(torch)) == expected


def test_samplers_that_cannot_be(torch):
    data = torch.utils.data
    with pytest.raises(ValueError, match="num_samples should be a positive integer value, but got num_samples=0"):
        data.RandomSampler([])
    with pytest.raises(TypeError, match="replacement should be a boolean value, but got replacement=1"):
        data.RandomSampler([1], replacement=1)
    with pytest.raises(ValueError, match="weights should be a 1d sequence but given weights have shape"):
        data.WeightedRandomSampler([[1.0]], 1)


def test_collation(torch):
    collate = torch.utils.data.default_collate
    assert lists(collate([torch.ones(2), torch.zeros(2)])) == [[1, 1], [0, 0]]
    assert collate([np.zeros(2, np.float32)] * 3).shape == (3, 2)
    assert collate([1, 2]).dtype == torch.int64
    assert collate([0.5, 2]).dtype == torch.float64
    assert collate([True, False]).dtype == torch.bool
    assert collate([np.float32(1), np.float32(2)]).dtype == torch.float32
    assert collate(["a", "b"]) == ["a", "b"]
    assert lists(collate([(1, "a"), (2, "b")])) == [[1, 2], ["a", "b"]]
    assert lists(collate([{"x": 1}, {"x": 2}])) == {"x": [1, 2]}
    assert lists(collate([[1, [2, 3]], [4, [5, 6]]])) == [[1, 4], [[2, 5], [3, 6]]]
    point = collate([Point(1, 2.0), Point(3, 4.0)])
    assert isinstance(point, Point)
    assert lists(point) == [[1, 3], [2.0, 4.0]]
    with pytest.raises(RuntimeError, match="each element in list of batch should be of equal size"):
        collate([[1], [1, 2]])
    with pytest.raises(
        TypeError, match="default_collate: batch must contain tensors, numpy arrays, numbers, dicts or list"
    ):
        collate([object()])
    with pytest.raises(TypeError, match="default_collate: batch must contain tensors"):
        collate([np.array(["a"])])


def test_conversion(torch):
    convert = torch.utils.data.default_convert
    assert isinstance(convert(np.ones(2)), torch.Tensor)
    assert lists(convert({"x": (np.ones(1), "text", 5)})) == {"x": [[1.0], "text", 5]}
    assert isinstance(convert(Point(np.ones(1), 1)), Point)


def test_loading_in_order(torch):
    loader = torch.utils.data.DataLoader(numbers(torch, 5), batch_size=2)
    assert len(loader) == 3
    assert [batch[0].tolist() for batch in loader] == [[0, 1], [2, 3], [4]]
    assert [type(batch) for batch in loader] == [list] * 3
    assert len(torch.utils.data.DataLoader(numbers(torch, 5), batch_size=2, drop_last=True)) == 2
    alone = torch.utils.data.DataLoader(numbers(torch, 2), batch_size=None)
    assert [lists(sample) for sample in alone] == [[0, [0, 1]], [1, [2, 3]]]
    chosen = torch.utils.data.DataLoader(numbers(torch), batch_sampler=[[5, 1], [7]])
    assert [batch[0].tolist() for batch in chosen] == [[5, 1], [7]]
    mine = torch.utils.data.DataLoader(range(4), batch_size=2, collate_fn=sum)
    assert list(mine) == [1, 5]


def test_whole_rows_are_the_samples_stacked(torch):
    torch.manual_seed(0)
    dataset = torch.utils.data.TensorDataset(torch.randn(10, 3).requires_grad_(), torch.arange(10))
    quick = torch.utils.data.DataLoader(dataset, batch_size=4)
    slow = torch.utils.data.DataLoader(torch.utils.data.Subset(dataset, range(10)), batch_size=4)
    assert lists(list(quick)) == lists(list(slow))
    assert all(batch[0].requires_grad for batch in quick)


def test_iterable_datasets(torch):
    class Count(torch.utils.data.IterableDataset):
        def __init__(self, size):
            self.size = size

        def __iter__(self):
            return iter(range(self.size))

        def __len__(self):
            return self.size

    load = torch.utils.data.DataLoader
    assert lists(list(load(Count(5), batch_size=2))) == [[0, 1], [2, 3], [4]]
    assert lists(list(load(Count(5), batch_size=2, drop_last=True))) == [[0, 1], [2, 3]]
    assert list(load(Count(2), batch_size=None)) == [0, 1]
    assert lists(list(load(Count(2) + Count(3), batch_size=4))) == [[0, 1, 0, 1], [2]]
    assert len(load(Count(5), batch_size=2)) == 3
    for option in ({"shuffle": True}, {"sampler": [0]}, {"batch_sampler": [[0]]}):
        with pytest.raises(ValueError, match="DataLoader with IterableDataset: expected unspecified"):
            load(Count(5), **option)


def test_iterable_dataset_longer_than_announced(torch):
    class Long(torch.utils.data.IterableDataset):
        def __iter__(self):
            return iter(range(3))

        def __len__(self):
            return 1

    loader = torch.utils.data.DataLoader(Long(), batch_size=None)
    len(loader)
    with pytest.warns(UserWarning, match="Length of IterableDataset .* was reported to be 1"):
        list(loader)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_workers": -1}, "num_workers option should be non-negative"),
        ({"timeout": -1}, "timeout option should be non-negative"),
        ({"prefetch_factor": 2}, "prefetch_factor option could only be specified in multiprocessing"),
        ({"persistent_workers": True}, "persistent_workers option needs num_workers > 0"),
        ({"sampler": [0], "shuffle": True}, "sampler option is mutually exclusive with shuffle"),
        (
            {"batch_sampler": [[0]], "batch_size": 2},
            "batch_sampler option is mutually exclusive with batch_size, shuffle",
        ),
        (
            {"batch_size": None, "drop_last": True},
            "batch_size=None option disables auto-batching and is mutually exclusive",
        ),
        ({"batch_size": 0}, "batch_size should be a positive integer value, but got batch_size=0"),
        ({"multiprocessing_context": "fork"}, "multiprocessing_context can only be used with multi-process loading"),
        (
            {"multiprocessing_context": "x", "num_workers": 1},
            "multiprocessing_context option should specify a valid start",
        ),
    ],
)
def test_options_that_exclude_each_other(torch, options, message):
    with pytest.raises(ValueError, match=message):
        torch.utils.data.DataLoader(range(3), **options)


def test_what_cannot_be_changed_later(torch):
    loader = torch.utils.data.DataLoader(range(3))
    with pytest.raises(ValueError, match="batch_size attribute should not be set after DataLoader is initialized"):
        loader.batch_size = 2
    loader.num_workers = 0


def test_pinned_memory_is_for_accelerators(torch):
    with pytest.warns(UserWarning, match="'pin_memory' argument is set as true but no accelerator is found"):
        list(torch.utils.data.DataLoader(range(2), pin_memory=True))
