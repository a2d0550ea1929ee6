"""The folder of a checkpoint, where PyTorch has it."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.distributed.checkpoint.files import FileSystemReader, FileSystemWriter

__all__ = ["FileSystemReader", "FileSystemWriter"]

_explain_misses(globals())
