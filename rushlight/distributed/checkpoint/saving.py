"""`save` and `load`: each process writes the rows that it holds, and reads those that it needs."""

import os
from typing import Any

from rushlight.distributed.checkpoint.files import FileSystemReader, FileSystemWriter
from rushlight.distributed.checkpoint.stateful import Stateful
from rushlight.distributed.checkpoint.trees import flat, replace
from rushlight.distributed.collectives import barrier
from rushlight.distributed.groups import ProcessGroup, here, is_initialized
from rushlight.distributed.objects import all_gather_object
from rushlight.distributed.tensor.sharded import DTensor
from rushlight.tensors import Tensor

__all__ = ["CheckpointException", "load", "save"]

VERSION = 1


class CheckpointException(RuntimeError):
    """A checkpoint lacks what was asked for, or has it in another shape."""


def states_of(state_dict: dict[str, Any]) -> dict[str, Any]:
    """A state dict with the states of objects in their places."""
    return {name: value.state_dict() if isinstance(value, Stateful) else value for name, value in state_dict.items()}


def members_of(process_group: ProcessGroup | None, no_dist: bool) -> ProcessGroup | None:
    """The processes that share a checkpoint; None for this one alone."""
    return None if no_dist or not is_initialized() else here(process_group)


def place(checkpoint_id: str | os.PathLike | None, given: Any, default: type) -> Any:
    """The reader or writer of a checkpoint."""
    if given is not None:
        return given
    if checkpoint_id is None:
        raise ValueError("checkpoint_id has to be the path of a folder.")
    return default(checkpoint_id)


def save(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: str | os.PathLike | None = None,
    storage_writer: FileSystemWriter | None = None,
    process_group: ProcessGroup | None = None,
    no_dist: bool = False,
) -> None:
    """Writes a state dict to the folder `checkpoint_id`, all processes together.

    Each writes the rows of sharded tensors that it holds; what all have alike, rank 0 writes. Values may be nested, and
    objects with a `state_dict()`. The checkpoint counts once all of it is written: a process that dies before leaves
    none. The folder has rushlight's own format, not that of PyTorch's `torch.distributed.checkpoint`.
    """
    writer = place(checkpoint_id, storage_writer, FileSystemWriter)
    members = members_of(process_group, no_dist)
    rank = members.rank() if members else 0
    if rank == 0:
        writer.prepare()
    if members:
        barrier(members)
    values = dict(flat(states_of(state_dict)))
    tensors = {
        key: value.to_local() if isinstance(value, DTensor) else value.detach()
        for key, value in values.items()
        if isinstance(value, DTensor) or (rank == 0 and isinstance(value, Tensor))
    }
    name = writer.write(rank, tensors)
    pieces: list[Any] = [{key: (name, first_row(values[key]), len_of(tensors[key])) for key in tensors}]
    if members:
        own = pieces[0]
        pieces = [None] * members.size()
        all_gather_object(pieces, own, members)
    if rank == 0:
        shapes = {key: list(shape_of(value)) for key, value in values.items() if isinstance(value, Tensor)}
        writer.finish(
            {
                "version": VERSION,
                "tensors": {
                    key: {"shape": shape, "pieces": [list(part[key]) for part in pieces if key in part]}
                    for key, shape in shapes.items()
                },
                "values": {key: value for key, value in values.items() if not isinstance(value, Tensor)},
            }
        )
    if members:
        barrier(members)


def load(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: str | os.PathLike | None = None,
    storage_reader: FileSystemReader | None = None,
    process_group: ProcessGroup | None = None,
    no_dist: bool = False,
) -> None:
    """Reads a checkpoint into a state dict of the same keys: tensors are changed in place, other values replaced.

    The number of processes may differ from that at saving: each reads the rows that it holds. Objects with a
    `load_state_dict()` get their state. CheckpointException for keys that the checkpoint lacks, and other shapes.
    """
    reader = place(checkpoint_id, storage_reader, FileSystemReader)
    metadata = reader.metadata()
    states = states_of(state_dict)
    values = dict(flat(states))
    missing = [key for key in values if key not in metadata["tensors"] and key not in metadata["values"]]
    if missing:
        raise CheckpointException(f"Missing key in checkpoint state_dict: {', '.join(missing)}.")
    for key, value in values.items():
        if isinstance(value, Tensor):
            fill(key, value, metadata["tensors"][key], reader)
    replace(states, {key: metadata["values"][key] for key, value in values.items() if not isinstance(value, Tensor)})
    for name, value in state_dict.items():
        if isinstance(value, Stateful):
            value.load_state_dict(states[name])
        else:
            state_dict[name] = states[name]
    members = members_of(process_group, no_dist)
    if members:
        barrier(members)


def fill(key: str, tensor: Tensor, saved: dict[str, Any], reader: FileSystemReader) -> None:
    """Fills a tensor, or the rows of it that this process holds, from the pieces that were saved."""
    if list(shape_of(tensor)) != saved["shape"]:
        raise CheckpointException(
            f"Size mismatch between saved {saved['shape']} and current: {list(shape_of(tensor))} for {key}."
        )
    target = tensor._array.reshape(1) if tensor._array.ndim == 0 else tensor._array
    start = first_row(tensor)
    for name, first, length in saved["pieces"]:
        low, high = max(first, start), min(first + length, start + len(target))
        if low < high:
            piece = reader.read(name, key)._array
            rows = piece.reshape(1) if piece.ndim == 0 else piece
            target[low - start : high - start] = rows[low - first : high - first]
    tensor._bump()


def shape_of(tensor: Tensor) -> tuple[int, ...]:
    """The shape of a whole tensor."""
    return tensor.full_shape if isinstance(tensor, DTensor) else tuple(tensor.shape)


def first_row(tensor: Tensor) -> int:
    """The number of the first row that this process holds."""
    return tensor.first_row if isinstance(tensor, DTensor) else 0


def len_of(tensor: Tensor) -> int:
    """The number of rows; 1 for a number."""
    return tensor.shape[0] if tensor.dim() else 1
