"""Converts distributed checkpoints to files of `torch.save`, and back; also as a command."""

import argparse
import os
from typing import Any

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.distributed.checkpoint.default_planner import DefaultLoadPlanner
from rushlight.distributed.checkpoint.files import FileSystemReader
from rushlight.distributed.checkpoint.saving import VERSION, load_whole, save
from rushlight.distributed.checkpoint.storage import StorageReader
from rushlight.distributed.checkpoint.trees import values_by_path
from rushlight.distributed.collectives import broadcast
from rushlight.distributed.groups import get_rank, is_initialized
from rushlight.distributed.objects import broadcast_object_list
from rushlight.ops.making.creation import empty
from rushlight.serialization import load as load_file
from rushlight.serialization import save as save_file
from rushlight.tensors import Tensor

__all__ = ["BroadcastingTorchSaveReader", "DynamicMetaLoadPlanner", "dcp_to_torch_save", "torch_save_to_dcp"]


def dcp_to_torch_save(dcp_checkpoint_dir: str | os.PathLike[str], torch_save_path: str | os.PathLike[str]) -> None:
    """Converts a checkpoint directory to a file of `torch.save`, with whole tensors, nested as they were saved.

    Keys of dictionaries become strings, as in PyTorch. To be called in one process, which loads everything.
    FileNotFoundError if the directory contains no checkpoint.

    >>> import os, tempfile
    >>> import rushlight as torch
    >>> import rushlight.distributed.checkpoint as dcp
    >>> from rushlight.distributed.checkpoint.format_utils import dcp_to_torch_save
    >>> folder = tempfile.mkdtemp()
    >>> dcp.save({"model": {"weight": torch.ones(2)}, "steps": [3]}, checkpoint_id=folder)
    >>> dcp_to_torch_save(folder, os.path.join(folder, "whole.pt"))
    >>> torch.load(os.path.join(folder, "whole.pt"))
    {'model': {'weight': tensor([1., 1.])}, 'steps': [3]}
    """
    save_file(load_whole(FileSystemReader(dcp_checkpoint_dir)), torch_save_path)


def torch_save_to_dcp(torch_save_path: str | os.PathLike[str], dcp_checkpoint_dir: str | os.PathLike[str]) -> None:
    """Converts a file of `torch.save` to a checkpoint directory, which any number of processes can load.

    The file is read with `weights_only=False`, so it must be trusted. To be called in one process.

    >>> import os, tempfile
    >>> import rushlight as torch
    >>> import rushlight.distributed.checkpoint as dcp
    >>> from rushlight.distributed.checkpoint.format_utils import torch_save_to_dcp
    >>> folder = tempfile.mkdtemp()
    >>> torch.save({"weight": torch.ones(2)}, os.path.join(folder, "whole.pt"))
    >>> torch_save_to_dcp(os.path.join(folder, "whole.pt"), folder)
    >>> state = {"weight": torch.zeros(2)}
    >>> dcp.load(state, checkpoint_id=folder)
    >>> state
    {'weight': tensor([1., 1.])}
    """
    save(load_file(torch_save_path, weights_only=False), checkpoint_id=dcp_checkpoint_dir, no_dist=True)


class BroadcastingTorchSaveReader(StorageReader):
    """Lets `load` read a file of `torch.save` instead of a directory: one process reads it, and broadcasts each tensor.

    Only tensors are read, by all processes in the same order. The file is read with `weights_only=False`.

    >>> import os, tempfile
    >>> import rushlight as torch
    >>> import rushlight.distributed.checkpoint as dcp
    >>> from rushlight.distributed.checkpoint.format_utils import BroadcastingTorchSaveReader, DynamicMetaLoadPlanner
    >>> file = os.path.join(tempfile.mkdtemp(), "whole.pt")
    >>> torch.save({"model": {"weight": torch.ones(2)}}, file)
    >>> state = {"model": {"weight": torch.zeros(2)}}
    >>> reader, planner = BroadcastingTorchSaveReader(), DynamicMetaLoadPlanner()
    >>> dcp.load(state, storage_reader=reader, planner=planner, checkpoint_id=file)
    >>> state
    {'model': {'weight': tensor([1., 1.])}}
    """

    read_together = True
    _tensors: dict[str, Any]

    def __init__(self, checkpoint_id: str | os.PathLike[str] | None = None, coordinator_rank: int = 0):
        self.checkpoint_id = checkpoint_id
        self.coordinator_rank = coordinator_rank

    def reset(self, checkpoint_id: str | os.PathLike[str] | None = None) -> None:
        """Sets another file."""
        self.checkpoint_id = checkpoint_id

    def metadata(self) -> dict[str, Any]:
        """The content of the file. AssertionError without its path."""
        if self.checkpoint_id is None:
            raise AssertionError("checkpoint_id must be set before setting up storage reader")
        told: list[Any] = [None]
        if self._reads():
            held = dict(values_by_path(load_file(self.checkpoint_id, weights_only=False, mmap=True)))
            self._tensors = {key: value for key, value in held.items() if isinstance(value, Tensor)}
            values = {key: value for key, value in held.items() if key not in self._tensors}
            told = [(values, {key: (list(tensor.shape), tensor.dtype) for key, tensor in self._tensors.items()})]
        if is_initialized():
            broadcast_object_list(told, self.coordinator_rank)
        values, self._kinds = told[0]
        tensors = {
            key: {"shape": shape, "pieces": [["", [(0, size) for size in shape]]]}
            for key, (shape, _) in self._kinds.items()
        }
        return {"version": VERSION, "tensors": tensors, "values": values}

    def read(self, name: str, key: str) -> Any:
        """A whole tensor, broadcast from the process that reads the file."""
        shape, dtype = self._kinds[key]
        tensor = self._tensors[key].contiguous() if self._reads() else empty(shape, dtype=dtype)
        if is_initialized():
            broadcast(tensor, self.coordinator_rank)
        return tensor

    def _reads(self) -> bool:
        return not is_initialized() or get_rank() == self.coordinator_rank


class DynamicMetaLoadPlanner(DefaultLoadPlanner):
    """The planner of `load` for files without metadata, with `BroadcastingTorchSaveReader`: for tensors only."""

    def set_up_planner(self, state_dict: dict[str, Any], metadata: Any = None, is_coordinator: bool = False) -> None:
        """Receives the state dict to fill. RuntimeError for a value in it that is not a tensor."""
        super().set_up_planner(state_dict, metadata, is_coordinator)
        for key, value in self.state_dict.items():
            if not isinstance(value, Tensor):
                raise RuntimeError(
                    f"Non-tensor value identified at {key}. At this time {type(self).__name__} only supports loading "
                    "Tensors. Load other values with torch.load."
                )


def main(arguments: list[str] | None = None) -> None:
    """`python -m torch.distributed.checkpoint.format_utils dcp_to_torch FOLDER FILE`, or torch_to_dcp FILE FOLDER."""
    parser = argparse.ArgumentParser("torch.distributed.checkpoint.format_utils")
    parser.add_argument("mode", choices=["torch_to_dcp", "dcp_to_torch"])
    parser.add_argument("src", help="the checkpoint to convert")
    parser.add_argument("dst", help="where to write the converted checkpoint")
    options = parser.parse_args(arguments)
    (torch_save_to_dcp if options.mode == "torch_to_dcp" else dcp_to_torch_save)(options.src, options.dst)


_explain_misses(globals())

if __name__ == "__main__":
    main()
