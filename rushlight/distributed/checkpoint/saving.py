"""`save` and `load`: each process writes the parts that it holds, and reads the parts that it needs."""

import os
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from rushlight.distributed.checkpoint.default_planner import DefaultLoadPlanner, DefaultSavePlanner
from rushlight.distributed.checkpoint.files import FileSystemReader, FileSystemWriter
from rushlight.distributed.checkpoint.planner import (
    CheckpointException,
    LoadItemType,
    LoadPlanner,
    SavePlanner,
    WriteItemType,
)
from rushlight.distributed.checkpoint.stateful import Stateful
from rushlight.distributed.checkpoint.storage import StorageReader, StorageWriter
from rushlight.distributed.checkpoint.trees import tree_of
from rushlight.distributed.collectives import barrier
from rushlight.distributed.groups import ProcessGroup, here, is_initialized
from rushlight.distributed.objects import all_gather_object
from rushlight.distributed.tensor import DTensor
from rushlight.tensors import Tensor

__all__ = ["async_save", "load", "save"]

VERSION = 2
Path = str | os.PathLike[str] | None
Parts = list[tuple[int, int]]  # the first and last element of each dimension


def states_of(state_dict: dict[str, Any]) -> dict[str, Any]:
    """A state dict with objects replaced by their states."""
    return {name: value.state_dict() if isinstance(value, Stateful) else value for name, value in state_dict.items()}


def members_of(process_group: ProcessGroup | None, no_dist: bool) -> ProcessGroup | None:
    """The group of processes that share a checkpoint; None for this process alone."""
    return None if no_dist or not is_initialized() else here(process_group)


def storage_at(checkpoint_id: Path, given: Any, default: type) -> Any:
    """The reader or writer of a checkpoint."""
    if given is not None:
        if checkpoint_id is not None:
            given.reset(checkpoint_id)
        return given
    if checkpoint_id is None:
        raise ValueError("checkpoint_id has to be the path of a folder.")
    return default(checkpoint_id)


class Saving:
    """A checkpoint being written; all communication between the processes takes place when it is made."""

    pieces: list[Any]
    members: ProcessGroup | None
    tensors: dict[str, Any]

    def __init__(
        self, state_dict: Any, checkpoint_id: Any, storage_writer: Any, planner: Any, process_group: Any, no_dist: Any
    ):
        self.writer: Any = storage_at(checkpoint_id, storage_writer, FileSystemWriter)
        members = members_of(process_group, no_dist)
        self.rank: int = members.rank() if members else 0
        planner = planner or DefaultSavePlanner()
        planner.set_up_planner(states_of(state_dict), None, self.rank == 0)
        items = planner.create_local_plan().items
        found = {item.index.fqn: planner.resolve_data(item) for item in items}
        others = {item.index.fqn for item in items if item.type is WriteItemType.BYTE_IO}
        self.paths: dict[Any, Any] = {key: planner.paths.get(key, (key,)) for key in found}
        self.values: dict[str, Any] = {key: value for key, value in found.items() if key in others}
        self.tensors = {key: value for key, value in found.items() if key not in others}
        name = self.writer.name(self.rank)
        given = planner.state_dict
        pieces: list[Any] = [
            {key: (self.paths[key], shape_of(given[key]), name, parts_of(given[key])) for key in self.tensors}
        ]
        if self.rank == 0:
            self.writer.prepare()
        if members:
            own, pieces = pieces[0], [None] * members.size()
            all_gather_object(pieces, own, members)
        self.pieces, self.members = pieces, members

    def copy(self) -> None:
        """Copies the tensors, so that they may change afterwards."""
        self.tensors = {key: tensor.clone() for key, tensor in self.tensors.items()}

    def write(self) -> None:
        """Writes this process's file."""
        self.writer.write(self.rank, self.tensors)

    def finish(self) -> None:
        """Writes the metadata once all files exist; this completes the checkpoint."""
        tensors: dict[str, dict[Any, Any]] = {}
        for own in self.pieces:
            for key, (path, shape, name, parts) in own.items():
                self.paths[key] = path
                tensors.setdefault(key, {"shape": shape, "pieces": []})["pieces"].append([name, parts])
        self.writer.finish({"version": VERSION, "tensors": tensors, "values": self.values, "paths": self.paths})

    def write_apart(self) -> None:
        """Writes this process's file, and waits for the other files to appear in the directory."""
        try:
            self.write()
        except BaseException as error:
            self.writer.give_up(self.rank, error)
            raise
        names = [self.writer.name(rank) for rank in range(len(self.pieces))]
        if self.rank == 0:
            self.writer.wait_for(names)
            self.finish()
        else:
            self.writer.wait_for([])


def save(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: Path = None,
    storage_writer: StorageWriter | None = None,
    planner: SavePlanner | None = None,
    process_group: ProcessGroup | None = None,
    no_dist: bool = False,
) -> None:
    """Writes a state dict to the directory `checkpoint_id`, by all processes together.

    Each process writes the parts of DTensors that it holds; rank 0 writes what is the same in all. Values may be
    nested, and may be objects with a `state_dict()`. The checkpoint is valid only when completely written: if a process
    dies before, there is none. The format is rushlight's own, not that of PyTorch's `torch.distributed.checkpoint`.
    """
    saving = Saving(state_dict, checkpoint_id, storage_writer, planner, process_group, no_dist)
    saving.write()
    if saving.members:
        barrier(saving.members)
    if saving.rank == 0:
        saving.finish()
    if saving.members:
        barrier(saving.members)


def async_save(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: Path = None,
    storage_writer: StorageWriter | None = None,
    planner: SavePlanner | None = None,
    process_group: ProcessGroup | None = None,
    no_dist: bool = False,
) -> Future[Any]:
    """Saves in the background: copies all tensors, then writes them in a thread.

    The returned future has a `result()` once the whole checkpoint is written. All processes must see the same
    directory, since they look for each other's files there.
    """
    saving = Saving(state_dict, checkpoint_id, storage_writer, planner, process_group, no_dist)
    saving.copy()
    with_thread = ThreadPoolExecutor(1, thread_name_prefix="checkpoint")
    future = with_thread.submit(saving.write_apart)
    with_thread.shutdown(wait=False)
    return future


def load(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: Path = None,
    storage_reader: StorageReader | None = None,
    planner: LoadPlanner | None = None,
    process_group: ProcessGroup | None = None,
    no_dist: bool = False,
) -> None:
    """Loads a checkpoint into a state dict with the same keys: tensors are changed in place, other values replaced.

    The number of processes may differ from that at saving: each reads the parts that it holds. Objects with a
    `load_state_dict()` get their state. CheckpointException for keys that the checkpoint lacks, and for other shapes.
    """
    reader = storage_at(checkpoint_id, storage_reader, FileSystemReader)
    metadata = metadata_of(reader)
    members = members_of(process_group, no_dist)
    states = states_of(state_dict)
    planner = planner or DefaultLoadPlanner()
    planner.set_up_planner(states, metadata, not members or members.rank() == 0)
    for item in planner.create_local_plan().items:
        key = item.storage_index.fqn
        if item.type is LoadItemType.TENSOR:
            tensor = planner.resolve_tensor(item)
            fill(key, tensor, metadata["tensors"].get(key), reader)
            planner.commit_tensor(item, tensor)
        else:
            planner.load_bytes(item, metadata["values"].get(key))
    planner.finish()
    for name, value in state_dict.items():
        if isinstance(value, Stateful):
            value.load_state_dict(states[name])
        else:
            state_dict[name] = states[name]
    if members:
        barrier(members)


def metadata_of(reader: StorageReader) -> dict[str, Any]:
    """What a checkpoint says of itself. CheckpointException where it has another format."""
    metadata = reader.metadata()
    if metadata["version"] != VERSION:
        raise CheckpointException(f"The checkpoint has format {metadata['version']}; this version reads {VERSION}.")
    return metadata


def load_whole(reader: StorageReader) -> dict[str, Any]:
    """A whole checkpoint, as the state dict that it was saved from; keys of dictionaries are text."""
    metadata = metadata_of(reader)
    values = dict(metadata["values"])
    for key, saved in metadata["tensors"].items():
        name, _ = saved["pieces"][0]
        values[key] = reader.read(name, key).new_empty(saved["shape"])
        fill(key, values[key], saved, reader)
    paths = metadata.get("paths") or {key: (key,) for key in values}  # checkpoints of earlier versions have none
    return tree_of({path: values[key] for key, path in paths.items()})


def fill(key: str, tensor: Tensor, saved: dict[str, Any] | None, reader: StorageReader) -> None:
    """Fills a tensor, or the part that this process holds, from the saved pieces."""
    if saved is None or shape_of(tensor) != saved["shape"]:
        there = "no tensor" if saved is None else saved["shape"]
        raise CheckpointException(f"Size mismatch between saved {there} and current: {shape_of(tensor)} for {key}.")
    target, own = tensor._array, parts_of(tensor)
    for name, parts in saved["pieces"]:
        common = [(max(a, c), min(b, d)) for (a, b), (c, d) in zip(own, parts, strict=True)]
        needed = all(low < high for low, high in common)
        if needed or reader.read_together:
            piece = reader.read(name, key)._array
            if needed:
                target[within(common, own)] = piece[within(common, parts)]
    tensor._bump()


def within(common: Parts, part: Parts) -> tuple[slice, ...]:
    """The slices of a common region within a part."""
    return tuple(slice(low - first, high - first) for (low, high), (first, _) in zip(common, part, strict=True))


def shape_of(tensor: Tensor) -> list[int]:
    """The shape of a whole tensor."""
    return list(tensor.shape)


def parts_of(tensor: Tensor) -> Parts:
    """The region of a whole tensor that this process holds."""
    return tensor.spread.parts() if isinstance(tensor, DTensor) else [(0, size) for size in tensor.shape]
