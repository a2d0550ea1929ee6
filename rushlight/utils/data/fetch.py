"""Fetching a batch: samples from a dataset, collated."""

from collections.abc import Callable
from typing import Any

from rushlight.utils.data.collate import default_collate
from rushlight.utils.data.dataset import TensorDataset, samples


class MapFetcher:
    """Fetches samples by index."""

    def __init__(self, dataset: Any, batched: bool, collate_fn: Callable[..., Any], drop_last: bool):
        self.dataset = dataset
        self.batched = batched
        self.collate_fn = collate_fn
        self.whole_rows: bool = type(dataset) is TensorDataset and collate_fn is default_collate

    def fetch(self, index: Any) -> Any:
        """The batch for a list of indices, or the sample for an index."""
        if not self.batched:
            return self.collate_fn(self.dataset[index])
        if self.whole_rows:  # the same as stacking the rows
            return [tensor[index] for tensor in self.dataset.tensors]
        return self.collate_fn(samples(self.dataset, index))


class IterableFetcher:
    """Fetches samples from an iterator; StopIteration at its end."""

    def __init__(self, dataset: Any, batched: bool, collate_fn: Callable[..., Any], drop_last: bool):
        self.samples: Any = iter(dataset)
        self.batched = batched
        self.collate_fn = collate_fn
        self.drop_last = drop_last

    def fetch(self, index: Any) -> Any:
        """A batch of the next `len(index)` samples, or the next sample."""
        if not self.batched:
            return self.collate_fn(next(self.samples))
        batch = [sample for _, sample in zip(index, self.samples, strict=False)]
        if not batch or (self.drop_last and len(batch) < len(index)):
            raise StopIteration
        return self.collate_fn(batch)
