"""What would split a module by itself, which is not there: a module is split by hand, into a stage for each process."""

from enum import Enum
from typing import Any, NoReturn

from rushlight.nn.modules.module import Module

__all__ = ["SplitPoint", "pipe_split", "pipeline"]


class SplitPoint(Enum):
    """On which side of a part `pipeline` would split."""

    BEGINNING = 1
    END = 2


def pipeline(module: Module, mb_args: tuple, mb_kwargs: Any = None, split_spec: Any = None, split_policy: Any = None):
    """Raises NotImplementedError: modules are not traced. Split it by hand, as PyTorch's tutorial shows too."""
    by_hand()


def pipe_split() -> None:
    """Raises NotImplementedError, as `pipeline`."""
    by_hand()


def by_hand() -> NoReturn:
    """That a module has to be split by hand."""
    raise NotImplementedError(
        "rushlight does not split modules by tracing them: delete in each process the layers of the other stages, and "
        "give what is left to torch.distributed.pipelining.PipelineStage."
    )
