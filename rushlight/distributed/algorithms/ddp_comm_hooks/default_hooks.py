"""PyTorch's default hooks: the plain average, and ones that send half the bytes."""

from collections.abc import Callable
from typing import Any

from rushlight import dtypes
from rushlight.distributed.buckets import GradBucket
from rushlight.distributed.collectives import all_reduce
from rushlight.distributed.groups import ProcessGroup, here
from rushlight.futures import Future
from rushlight.tensors import Tensor

__all__ = [
    "allreduce_hook",
    "bf16_compress_hook",
    "bf16_compress_wrapper",
    "fp16_compress_hook",
    "fp16_compress_wrapper",
]


def average(tensor: Tensor, group: ProcessGroup | None) -> Future[Any]:
    """Starts to average a tensor over a group; returns a future."""
    tensor._array /= here(group).size()
    work = all_reduce(tensor, group=group, async_op=True)
    assert work is not None
    return work.get_future().then(lambda done: done.value()[0])


def allreduce_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> Future[Tensor]:
    """Averages gradients over the processes: the same as without a hook."""
    return average(bucket.buffer(), process_group)


def fp16_compress_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> Future[Tensor]:
    """Sends gradients in float16: half the bytes, three significant digits."""
    return fp16_compress_wrapper(allreduce_hook)(process_group, bucket)


def bf16_compress_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> Future[Tensor]:
    """Sends gradients in bfloat16: half the bytes, two significant digits, the range of float32."""
    return bf16_compress_wrapper(allreduce_hook)(process_group, bucket)


def fp16_compress_wrapper(hook: Callable[[Any, Any], Future[Tensor]]) -> Callable[[Any, Any], Future[Tensor]]:
    """Wraps a hook so that gradients are sent in float16."""
    return in_type(dtypes.float16, hook)


def bf16_compress_wrapper(hook: Callable[[Any, Any], Future[Tensor]]) -> Callable[[Any, Any], Future[Tensor]]:
    """Wraps a hook so that gradients are sent in bfloat16."""
    return in_type(dtypes.bfloat16, hook)


def in_type(narrow: dtypes.dtype, hook: Callable[[Any, Any], Future[Tensor]]) -> Callable[[Any, Any], Future[Tensor]]:
    """Wraps a hook so that it gets the gradients in another dtype; its result is cast back."""

    def compressed(state: Any, bucket: GradBucket) -> Future[Tensor]:
        dtype = bucket.buffer().dtype
        bucket.set_buffer(bucket.buffer().to(narrow))
        return hook(state, bucket).then(lambda done: done.value().to(dtype))

    return compressed
