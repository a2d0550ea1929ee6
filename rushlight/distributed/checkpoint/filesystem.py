"""Checkpoints in a directory, under PyTorch's module name."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.distributed.checkpoint.files import FileSystemReader, FileSystemWriter

__all__ = ["FileSystemReader", "FileSystemWriter"]

_explain_misses(globals())
