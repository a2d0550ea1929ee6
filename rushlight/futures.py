"""Results that are not there yet, as `torch.futures`."""

from collections.abc import Callable, Sequence
from concurrent import futures
from contextlib import suppress
from itertools import count
from typing import Any, Generic, TypeVar

__all__ = ["Future", "collect_all", "wait_all"]

T = TypeVar("T")


class Future(Generic[T]):
    """A result that somebody sets later, with functions to be called then.

    `wait`, if given, is called where the result is waited for, to bring it about; `poll` moves it on without waiting.

    >>> from rushlight.futures import Future
    >>> future = Future()
    >>> doubled = future.then(lambda done: 2 * done.value())
    >>> future.set_result(21)
    >>> doubled.wait()
    42
    """

    def __init__(
        self,
        *,
        devices: Any = None,
        wait: Callable[[], object] | None = None,
        poll: Callable[[], object] | None = None,
    ):
        self._wait, self._poll = wait, poll
        self._future: futures.Future = futures.Future()

    def done(self) -> bool:
        """Whether there is a result, or an exception; moves on what brings it about, without waiting."""
        if self._poll is not None and not self._future.done():
            self._poll()
        return self._future.done()

    def wait(self) -> T:
        """The result, once it is there; raises what was set as an exception."""
        if self._wait is not None and not self._future.done():
            self._wait()
        return self._future.result()

    def _settle(self) -> None:
        """Returns once there is a result, or an exception."""
        if self._wait is not None and not self._future.done():
            with suppress(Exception):  # it is in the future too
                self._wait()
        self._future.exception()

    def value(self) -> T:
        """The result, which has to be there. RuntimeError if it is not."""
        if not self._future.done():
            raise RuntimeError("The future does not have a value yet: call wait() first.")
        return self._future.result()

    def then(self, callback: Callable[["Future[T]"], Any]) -> "Future[Any]":
        """A future of what `callback` makes of this one, once it is done; RuntimeError there for what it raises."""
        check_callback(callback, "then")
        following: Future = Future(wait=self._settle, poll=self.done)

        def follow(_):
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
        """Sets the result. RuntimeError if there is one already."""
        if self._future.done():
            raise RuntimeError("Future can only be marked completed once: it has a result already.")
        self._future.set_result(result)

    def __reduce__(self) -> Any:
        raise RuntimeError("Can not pickle torch.futures.Future: send what it holds, once it is done.")

    def set_exception(self, result: BaseException) -> None:
        """Sets an exception, which is raised where the result is asked for."""
        self._future.set_exception(result)


def check_callback(callback: Any, name: str) -> None:
    """TypeError for what cannot be called."""
    if not callable(callback):
        raise TypeError(
            f"{name}(): incompatible function arguments. It takes a function of the future, not {callback}."
        )


def collect_all(futures: Sequence[Future]) -> Future[list[Future]]:
    """A future of a list of futures, done when all of them are; it raises the first exception that one of them has.

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

    everything: Future = Future(wait=settle)
    arrivals, failures = count(1), count()  # futures may be done in several threads at once

    def arrive(future):
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


def wait_all(futures: Sequence[Future]) -> list[Any]:
    """The results of all futures, once they are there."""
    return [future.wait() for future in futures]
