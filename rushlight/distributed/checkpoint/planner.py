"""Planners, which decide what a process writes of a state dict, and where loaded values go: classes to extend."""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.distributed.checkpoint.trees import Path, paths_of, replace, text_of, values_by_path
from rushlight.distributed.tensor import DTensor
from rushlight.tensors import Tensor

__all__ = [
    "CheckpointException",
    "LoadItemType",
    "LoadPlan",
    "LoadPlanner",
    "MetadataIndex",
    "ReadItem",
    "SavePlan",
    "SavePlanner",
    "WriteItem",
    "WriteItemType",
]


class CheckpointException(RuntimeError):
    """A checkpoint lacks an entry, or has it in another shape."""


class WriteItemType(Enum):
    """The kinds of items written: a tensor, a part of one, or any other value."""

    TENSOR = auto()
    SHARD = auto()
    BYTE_IO = auto()


class LoadItemType(Enum):
    """The kinds of items read: a tensor, or any other value."""

    TENSOR = auto()
    BYTE_IO = auto()


@dataclass(frozen=True)
class MetadataIndex:
    """The path of a value in a state dict, with dots between names."""

    fqn: str


@dataclass(frozen=True)
class WriteItem:
    """An item that a process writes."""

    index: MetadataIndex
    type: WriteItemType


@dataclass
class SavePlan:
    """What a process writes."""

    items: list[WriteItem]


@dataclass(frozen=True)
class ReadItem:
    """An item that a process reads: its name in the state dict, and in the checkpoint."""

    type: LoadItemType
    dest_index: MetadataIndex
    storage_index: MetadataIndex


@dataclass
class LoadPlan:
    """What a process reads."""

    items: list[ReadItem]


class SavePlanner:
    """Plans what a process writes of a state dict; `DefaultSavePlanner` is used by default."""

    state_dict: dict[str, Any]
    paths: dict[str, Path]

    def set_up_planner(
        self, state_dict: dict[str, Any], storage_meta: Any = None, is_coordinator: bool = False
    ) -> None:
        """Receives the state dict; one process is the coordinator."""
        self.state_dict = dict(values_by_path(state_dict))
        self.paths = {text_of(path): path for path, _ in paths_of(state_dict)}
        self.is_coordinator = is_coordinator

    def create_local_plan(self) -> SavePlan:
        """Plans what this process writes: its parts of DTensors; the coordinator also writes what all have alike."""
        return SavePlan(
            [item for key, value in self.state_dict.items() if (item := self._item(key, value)) is not None]
        )

    def _item(self, key: str, value: Any) -> WriteItem | None:
        if isinstance(value, DTensor):
            mine = all(p.is_shard() or value.device_mesh.get_local_rank(i) == 0 for i, p in enumerate(value.placements))
            return WriteItem(MetadataIndex(key), WriteItemType.SHARD) if mine else None
        if not self.is_coordinator:
            return None
        kind = WriteItemType.TENSOR if isinstance(value, Tensor) else WriteItemType.BYTE_IO
        return WriteItem(MetadataIndex(key), kind)

    def lookup_object(self, index: MetadataIndex) -> Any:
        """The value for an index."""
        return self.state_dict[index.fqn]

    def transform_object(self, write_item: WriteItem, object: Any) -> Any:
        """The object to write for a value: by default the value itself."""
        return object

    def resolve_data(self, write_item: WriteItem) -> Any:
        """The data to write: a tensor, or any other value."""
        value = self.transform_object(write_item, self.lookup_object(write_item.index))
        if isinstance(value, DTensor):
            value = value.to_local()
        return value.detach() if isinstance(value, Tensor) else value


class LoadPlanner:
    """Plans where loaded values go; `DefaultLoadPlanner` is used by default."""

    original_state_dict: dict[str, Any]
    is_coordinator: bool
    state_dict: dict[str, Any]

    allow_partial_load = False

    def set_up_planner(self, state_dict: dict[str, Any], metadata: Any = None, is_coordinator: bool = False) -> None:
        """Receives the state dict to fill, and the checkpoint's metadata."""
        self.original_state_dict, self.metadata, self.is_coordinator = state_dict, metadata, is_coordinator
        self.state_dict = dict(values_by_path(state_dict))
        self._read: dict[str, Any] = {}

    def create_local_plan(self) -> LoadPlan:
        """Plans what to read.

        CheckpointException for names that the checkpoint lacks, unless partial loading is allowed.
        """
        there = {**self.metadata["tensors"], **self.metadata["values"]}
        missing = [key for key in self.state_dict if key not in there]
        if missing and not self.allow_partial_load:
            raise CheckpointException(f"Missing key in checkpoint state_dict: {', '.join(missing)}.")
        return LoadPlan([self._item(key) for key in self.state_dict if key in there])

    def _item(self, key: str) -> ReadItem:
        kind = LoadItemType.TENSOR if isinstance(self.state_dict[key], Tensor) else LoadItemType.BYTE_IO
        return ReadItem(kind, MetadataIndex(key), MetadataIndex(key))

    def resolve_tensor(self, read_item: ReadItem) -> Tensor:
        """The tensor or DTensor to fill."""
        return self.state_dict[read_item.dest_index.fqn]

    def commit_tensor(self, read_item: ReadItem, tensor: Tensor) -> None:
        """Called after a tensor has been filled."""

    def load_bytes(self, read_item: ReadItem, value: Any) -> None:
        """Receives a value that is not a tensor."""
        self._read[read_item.dest_index.fqn] = value

    def finish(self) -> None:
        """Stores the values that are not tensors in the state dict."""
        replace(self.original_state_dict, self._read)


_explain_misses(globals())
