"""Averaging gradients over several processes while their backward passes still run."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.core.graph import new_tensor
from rushlight.distributed.buckets import Bucket, GradBucket, assign
from rushlight.distributed.collectives import all_reduce
from rushlight.distributed.groups import ProcessGroup
from rushlight.nn.parallel.leaves import leaves_of
from rushlight.tensors import Tensor

__all__ = ["Reducer"]

UNFINISHED = (
    "Expected to have finished reduction in the prior iteration before starting a new one. This error indicates that "
    "your module has parameters that were not used in producing loss. You can enable unused parameter detection by "
    "passing the keyword argument `find_unused_parameters=True` to `torch.nn.parallel.DistributedDataParallel`, and by "
    "making sure all `forward` function outputs participate in calculating loss. "
    "Parameters which did not receive grad for rank {rank}: {names}"
)


class Reducer:
    """Averages gradients over the processes of a group, in buckets, in the order in which they are computed.

    A hook on each parameter receives its gradient. A full bucket is sent once those before it were sent. The hook of
    the last parameter waits for all buckets and stores the averages, so that they are there when `backward` returns.
    """

    hooked: bool
    begun: bool
    sent: int
    active: bool

    names: dict[int, str]
    group: ProcessGroup
    as_views: bool
    find_unused: bool
    static: bool

    def __init__(
        self,
        names: dict[int, str],
        parameters: list[Tensor],
        group: ProcessGroup,
        limit: float,
        as_views: bool,
        find_unused: bool,
        static: bool,
        sparse: set[int],
    ):
        self.names, self.group = names, group
        self.as_views, self.find_unused, self.static = as_views, find_unused, static
        self.buckets: list[Bucket] = assign(parameters, limit, sparse)
        self.bucket_of: dict[int, Bucket] = {id(p): bucket for bucket in self.buckets for p in bucket.parameters}
        self.parameters = parameters
        self.hook: Callable[[Any, GradBucket], Any] | None = None
        self.state: Any = None
        self.scale: float = 1.0  # the factor of the averages
        self.unused: set[int] | None = None
        self.sent = 0
        self.active = self.begun = self.hooked = False
        if group.size() > 1 or as_views:
            self.watch()

    def watch(self) -> None:
        """Adds a hook to each parameter; in a single process only if it can make a difference."""
        if not self.hooked:
            self.hooked = True
            for parameter in self.parameters:
                parameter.register_post_accumulate_grad_hook(self._take)

    def check_finished(self) -> None:
        """RuntimeError if a backward pass began and some parameters never got a gradient."""
        if self.active and self.begun:
            missing = [self.names[i] for bucket in self.buckets for i in bucket.missing]
            self.active = False
            raise RuntimeError(UNFINISHED.format(rank=self.group.rank(), names=", ".join(sorted(missing))))

    def prepare(self, outputs: Any) -> None:
        """Prepares for the backward pass from `outputs`."""
        unused: set[int] = set()
        if self.find_unused or self.static:
            if self.unused is None or not self.static:
                self.unused = self._unused_in(outputs)
            unused = self.unused
        self.active, self.begun, self.sent = True, False, 0
        for bucket in self.buckets:
            bucket.start(unused)

    def _unused_in(self, outputs: Any) -> set[int]:
        """The parameters that are not in the graph of `outputs`."""
        return {id(parameter) for parameter in self.parameters} - {id(leaf) for leaf in leaves_of(outputs)}

    def _take(self, parameter: Tensor) -> None:
        if not self.active:
            return
        self.begun = True
        bucket = self.bucket_of[id(parameter)]
        if id(parameter) not in bucket.missing:
            self.active = False
            raise RuntimeError(
                "Expected to mark a variable ready only once. This error is caused by using the parameter "
                f"{self.names[id(parameter)]} in several backward passes of one forward pass, or outside of `forward`: "
                "make them one pass, or use `no_sync()` for all but the last."
            )
        bucket.take(parameter, self.scale if self.hook else self.scale / self.group.size())
        self._send()
        if self.sent == len(self.buckets):
            self._finish()

    def _send(self) -> None:
        """Sends full buckets in order, and makes progress with those that were sent.

        Communication hooks process received sums at the end: they may communicate, in the same order in all processes.
        """
        while self.sent < len(self.buckets) and not self.buckets[self.sent].missing:
            self.launch(self.buckets[self.sent])
            self.sent += 1
        if self.sent:
            self.group.progress()

    def launch(self, bucket: Bucket) -> None:
        """Starts to average a bucket over the processes."""
        if self.hook is not None:
            bucket.future = self.hook(self.state, GradBucket(bucket, bucket.index == len(self.buckets) - 1))
            return
        bucket.future = bucket.send(self.group, self.as_views)

    def _finish(self) -> None:
        """Waits for all buckets, and stores their averages as gradients."""
        self.active = False
        used = self.used_anywhere() if self.find_unused else None
        for bucket in self.buckets:
            bucket.give(used, self.as_views)

    def used_anywhere(self, shadow: bool = False) -> set[int]:
        """The parameters that at least one process has used; the gradients of the others stay unchanged."""
        unused = {id(p) for p in self.parameters} if shadow else self.unused or set()
        flags = new_tensor(np.array([id(p) not in unused for p in self.parameters], np.int32))
        all_reduce(flags, group=self.group)
        return {id(p) for p, flag in zip(self.parameters, flags._array, strict=True) if flag}
