"""Gradients through remote calls (`torch.distributed.rpc`)."""

from typing import Any

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.distributed.rpc.agent import current as _current
from rushlight.distributed.rpc.agent import is_current as _is_current
from rushlight.distributed.rpc.contexts import CONTEXT as _CONTEXT
from rushlight.distributed.rpc.passes import backward as backward
from rushlight.distributed.rpc.passes import get_gradients as get_gradients

__all__ = ["backward", "context", "get_gradients", "is_available"]


def is_available() -> bool:
    """Whether distributed autograd is available: True.

    >>> from rushlight.distributed import autograd
    >>> autograd.is_available()
    True
    """
    return True


class context:
    """A context in which remote calls keep the history of tensors, for a backward pass through all workers.

    Entering it returns its id. RuntimeError before `init_rpc`, and inside another context of this thread.

    >>> from rushlight.distributed import autograd, rpc
    >>> rpc.init_rpc("worker", rank=0, world_size=1)
    >>> with autograd.context() as context_id:
    ...     context_id
    0
    >>> rpc.shutdown()
    """

    def __enter__(self) -> int:
        if not _is_current():
            raise RuntimeError(
                "Need to initialize distributed autograd using torch.distributed.autograd.init(): call "
                "torch.distributed.rpc.init_rpc first."
            )
        if _CONTEXT.now is not None:
            raise RuntimeError("Already have an autograd context id for this thread")
        self._number = _CONTEXT.now = _current().contexts.make().number
        return self._number

    def __exit__(self, *exception: Any) -> None:
        _CONTEXT.now = None
        _release(self._number)


def _release(number: int) -> None:
    """Releases a context, here and in the workers that were called in it."""
    if not _is_current():
        return
    agent = _current()
    known = agent.contexts.known.pop(number, None)
    if known is not None:
        for begun in list(known.passes.values()):
            begun.end()
        for worker in known.workers:
            agent.call(worker, _release, (number,))


_explain_misses(globals())
