"""Checkpoints that several processes write together, and any number of processes reads."""

from rushlight.distributed.checkpoint.files import FileSystemReader, FileSystemWriter
from rushlight.distributed.checkpoint.saving import CheckpointException, load, save
from rushlight.distributed.checkpoint.stateful import Stateful

__all__ = ["CheckpointException", "FileSystemReader", "FileSystemWriter", "Stateful", "load", "save"]
