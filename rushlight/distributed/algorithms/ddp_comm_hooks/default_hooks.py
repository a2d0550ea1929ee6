"""The hooks that PyTorch brings along: the plain average, and one that sends half the bytes."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rushlight import dtypes
from rushlight.distributed.collectives import all_reduce
from rushlight.distributed.groups import ProcessGroup, here
from rushlight.futures import Future
from rushlight.tensors import Tensor

if TYPE_CHECKING:
    from rushlight.nn.parallel.buckets import GradBucket

__all__ = ["allreduce_hook", "fp16_compress_hook", "fp16_compress_wrapper"]


def average(tensor: Tensor, group: ProcessGroup | None) -> Future:
    """Begins to average a tensor over a group; a future of it."""
    tensor._array /= here(group).size()
    work = all_reduce(tensor, group=group, async_op=True)
    assert work is not None
    return work.get_future().then(lambda done: done.value()[0])


def allreduce_hook(process_group: ProcessGroup | None, bucket: "GradBucket") -> Future[Tensor]:
    """Averages gradients over the processes: what happens without a hook."""
    return average(bucket.buffer(), process_group)


def fp16_compress_hook(process_group: ProcessGroup | None, bucket: "GradBucket") -> Future[Tensor]:
    """Sends gradients in float16: half the bytes, three digits."""
    buffer = bucket.buffer()
    return average(buffer.to(dtypes.float16), process_group).then(lambda done: done.value().to(buffer.dtype))


def fp16_compress_wrapper(hook: Callable[[Any, Any], Future[Tensor]]) -> Callable[[Any, Any], Future[Tensor]]:
    """A hook like another, with gradients in float16."""

    def compressed(state, bucket):
        dtype = bucket.buffer().dtype
        bucket.set_buffer(bucket.buffer().to(dtypes.float16))
        return hook(state, bucket).then(lambda done: done.value().to(dtype))

    return compressed
