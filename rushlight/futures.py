"""Results that will be set later: `torch.futures`."""

from collections.abc import Callable, Sequence
from concurrent import futures
from contextlib import suppress
from itertools import count
from typing import Any, Generic, TypeVar

__all__ = ["Future", "collect_all", "wait_all"]

T = TypeVar("T")


class Future(Generic[T]):
    """A result that is set later, with functions to call then.

    `wait`, if given, is called to obtain the result when somebody waits for it; `poll` makes progress without blocking.

    >>> from rushlight.futures import Future
    >>> future = Future()
    >>> doubled = future.then(lambda done: 2 * done.value())
    >>> future.set_result(21)
    >>> doubled.wait()
    42
    """

    def __init__(
        self, *, devices: Any = None, wait: Callable[[], object] | None = None, poll: Callable[[], object] | None = None
    ):
        self._wait, self._poll = wait, poll
        self._future: futures.Future[Any] = futures.Future()

    def done(self) -> bool:
        """Whether there is a result or an exception; makes progress without blocking."""
        if self._poll is not None and not self._future.done():
            self._poll()
        return self._future.done()

    def wait(self) -> T:
        """Waits for the result and returns it; raises the exception if one was set."""
        if self._wait is not None and not self._future.done():
            self._wait()
        return self._future.result()

    def _settle(self) -> None:
        """Waits for a result or an exception."""
        if self._wait is not None and not self._future.done():
            with suppress(Exception):  # the future has it too
                self._wait()
        self._future.exception()

    def value(self) -> T:
        """The result. RuntimeError if there is none yet."""
        if not self._future.done():
            raise RuntimeError("The future does not have a value yet: call wait() first.")
        return self._future.result()

    def then(self, callback: Callable[["Future[T]"], Any]) -> "Future[Any]":
        """A future of `callback`'s result for this future, once that is done; its exception becomes RuntimeError."""
        check_callback(callback, "then")
        following: Future[Any] = Future(wait=self._settle, poll=self.done)

        def follow(_: Any) -> None:
            try:
                following.set_result(callback(self))
            except Exception as error:
                failed = RuntimeError(
                    f"Got the following error when running the callback: {type(error).__name__}: {error}"
                )
                failed.__cause__ = error
                following.set_exception(failed)

        self._future.add_done_callback(follow)
        return following

    def add_done_callback(self, callback: Callable[["Future[T]"], None]) -> None:
        """Calls `callback` with this future, once it is done."""
        check_callback(callback, "add_done_callback")
        self._future.add_done_callback(lambda _: callback(self))

    def set_result(self, result: T) -> None:
        """Sets the result. RuntimeError if it is set already."""
        if self._future.done():
            raise RuntimeError("Future can only be marked completed once: it has a result already.")
        self._future.set_result(result)

    def __reduce__(self) -> Any:
        raise RuntimeError("Can not pickle torch.futures.Future: send what it holds, once it is done.")

    def set_exception(self, result: BaseException) -> None:
        """Sets an exception, which is raised when the result is read."""
        self._future.set_exception(result)


def check_callback(callback: Any, name: str) -> None:
    """TypeError for an object that is not callable."""
    if not callable(callback):
        raise TypeError(
            f"{name}(): incompatible function arguments. It takes a function of the future, not {callback}."
        )


def collect_all(futures: Sequence[Future[Any]]) -> Future[list[Future[Any]]]:
    """A future of the list of futures, done when all are done; it raises the first exception of any of them.

    >>> from rushlight.futures import Future, collect_all
    >>> one = Future()
    >>> both = collect_all([one, one])
    >>> one.set_result(1)
    >>> [future.value() for future in both.wait()]
    [1, 1]
    """

    def settle() -> None:
        for future in futures:
            future._settle()

    everything: Future[Any] = Future(wait=settle)
    arrivals, failures = count(1), count()  # futures may become done in several threads at once

    def arrive(future: "Future[Any]") -> None:
        error = future._future.exception()
        if error is not None and next(failures) == 0:
            everything.set_exception(error)
        if next(arrivals) == len(futures) and next(failures) == 0:
            everything.set_result(list(futures))

    for future in futures:
        future.add_done_callback(arrive)
    if not futures:
        everything.set_result([])
    return everything


def wait_all(futures: Sequence[Future[Any]]) -> list[Any]:
    """Waits for all futures, and returns their results."""
    return [future.wait() for future in futures]
