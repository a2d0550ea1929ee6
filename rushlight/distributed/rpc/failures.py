"""Remote exceptions: raised where a function runs, and again in the caller."""

import pickle
import traceback
from typing import Any, NamedTuple

from rushlight.distributed.rpc.options import WorkerInfo

__all__ = ["Failure", "PassFailed", "failed_pass", "failure_of", "timed_out"]


class Failure(NamedTuple):
    """An exception as it is sent: its type, and its text with the traceback."""

    kind: type[BaseException]
    text: str

    def error(self) -> BaseException:
        """The exception, of its own type if that accepts a text."""
        try:
            return self.kind(self.text)
        except Exception as error:
            return RuntimeError(
                f"Failed to create original exception type. Error msg was {error} Original exception on remote side "
                f"was {self.text}"
            )

    def told(self) -> BaseException:
        """The exception as PyTorch's futures raise it: the name of its type, then its text.

        Only ValueError and TypeError keep their types; all others become RuntimeError.
        """
        error = self.error()
        if isinstance(error, PassFailed):
            return error
        kind = next((kind for kind in (ValueError, TypeError) if isinstance(error, kind)), RuntimeError)
        return kind(f"{type(error).__name__}: {error}")


class PassFailed(RuntimeError):
    """A failure of a backward pass, as all workers that take part report it."""


def failed_pass(error: Exception, worker: WorkerInfo) -> PassFailed:
    """The failure of this worker's part of a pass."""
    return PassFailed(f"Error on Node {worker.id}: {error}\n{''.join(traceback.format_exception(error))}")


def failure_of(error: BaseException, worker: WorkerInfo) -> Failure:
    """An exception of this worker, prepared for sending."""
    if isinstance(error, PassFailed):
        return Failure(PassFailed, str(error))
    lines = "".join(traceback.format_exception(error))
    said = repr(error).replace("\\n", "\n")  # keeps the line breaks of errors from further workers
    return Failure(sendable(type(error)), f"On {worker}:\n{said}\n{lines}")


def sendable(kind: type[BaseException]) -> Any:
    """The type of an exception, or its first base class that other processes can import.

    RuntimeError for types that would end a process.
    """
    for base in kind.__mro__ if issubclass(kind, Exception) else ():
        try:
            pickle.dumps(base)
        except (pickle.PicklingError, AttributeError):
            continue
        return base
    return RuntimeError


def timed_out(seconds: float) -> RuntimeError:
    """The error of a call that has timed out."""
    return RuntimeError(
        f"RPCErr:1:RPC ran for more than set timeout ({round(seconds * 1000)} ms) and will now be marked with an error"
    )
