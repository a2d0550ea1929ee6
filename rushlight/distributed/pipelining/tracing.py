"""PyTorch's automatic splitting of modules, which is not supported: split by hand, into a stage for each process."""

from enum import Enum
from typing import Any, NoReturn

from rushlight.nn.modules.module import Module

__all__ = ["SplitPoint", "pipe_split", "pipeline"]


class SplitPoint(Enum):
    """Whether `pipeline` would split before or after a submodule."""

    BEGINNING = 1
    END = 2


def pipeline(
    module: Module, mb_args: tuple[Any, ...], mb_kwargs: Any = None, split_spec: Any = None, split_policy: Any = None
) -> NoReturn:
    """Raises NotImplementedError: modules are not traced. Split by hand, as in PyTorch's tutorial."""
    by_hand()


def pipe_split() -> None:
    """Raises NotImplementedError, as `pipeline`."""
    by_hand()


def by_hand() -> NoReturn:
    """Raises NotImplementedError: modules must be split by hand."""
    raise NotImplementedError(
        "rushlight does not split modules by tracing them: delete in each process the layers of the other stages, and "
        "give what is left to torch.distributed.pipelining.PipelineStage."
    )
