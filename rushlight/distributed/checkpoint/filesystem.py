"""The folder of a checkpoint, where PyTorch has it."""

from rushlight.distributed.checkpoint.files import FileSystemReader, FileSystemWriter
from rushlight.missing import explain_misses as _explain_misses

__all__ = ["FileSystemReader", "FileSystemWriter"]

_explain_misses(globals())
