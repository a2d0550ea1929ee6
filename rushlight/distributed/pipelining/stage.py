"""A stage of a pipeline: receives, computes and sends, forward and backward."""

from typing import Any

from rushlight import dtypes
from rushlight.autograd.differentiate import backward
from rushlight.distributed.groups import ProcessGroup, get_rank, get_world_size
from rushlight.distributed.point_to_point import isend, recv
from rushlight.distributed.work import Work
from rushlight.nn.modules.module import Module
from rushlight.nn.parallel.distributed import DistributedDataParallel
from rushlight.ops.making.creation import empty, zeros_like
from rushlight.ops.making.from_data import tensor as make_tensor
from rushlight.tensors import Tensor

__all__ = ["PipelineStage"]

SHAPES = 256  # the most numbers that describe the shapes of a message


class PipelineStage:
    """The part of a model on this process: a stage, given by its number and the number of stages in the group.

    The outputs of a stage, a tensor or tuple of tensors, are the arguments of the next. Shapes are sent with them, so
    `input_args` and the other examples that PyTorch takes are not needed and have no effect.

    ValueError for an invalid number; RuntimeError if the number of processes is not that of stages.
    """

    def __init__(
        self,
        submodule: Module,
        stage_index: int,
        num_stages: int,
        device: Any,
        input_args: Any = None,
        output_args: Any = None,
        output_grads: Any = None,
        input_grads: Any = None,
        group: ProcessGroup | None = None,
    ) -> None:
        if not 0 <= stage_index < num_stages:
            raise ValueError(f"Stage index {stage_index} is out of range of {num_stages}")
        if get_world_size(group) > num_stages:
            raise RuntimeError(
                f"Pipeline group size {get_world_size(group)} cannot be larger than number of stages {num_stages}"
            )
        if get_world_size(group) < num_stages or get_rank(group) != stage_index:
            raise NotImplementedError(
                f"Each process has one stage, in order: this is process {get_rank(group)} of {get_world_size(group)} "
                f"and cannot be stage {stage_index} of {num_stages}."
            )
        if isinstance(submodule, DistributedDataParallel):
            raise NotImplementedError(
                "A stage cannot be a DistributedDataParallel, which would sum gradients after each part: give the "
                "module itself, and all_reduce the gradients of its parameters after step()."
            )
        self.submod, self.device, self.group = submodule, device, group
        self.stage_index, self.num_stages = stage_index, num_stages
        self.is_first, self.is_last = stage_index == 0, stage_index == num_stages - 1
        self.clear_runtime_states()

    def clear_runtime_states(self) -> None:
        """Drops what is left of the last batch."""
        self.under_way: list[Work | None] = []
        self.parts: dict[int, tuple[tuple[Tensor, ...], tuple[Tensor, ...]]] = {}
        self.output_chunks: list[Any] = []

    def forward_one_chunk(self, number: int, args: tuple[Any, ...], kwargs: dict[str, Any], learns: bool) -> Any:
        """Computes the result of a microbatch and sends it on.

        The first stage gets arguments, the others receive theirs.
        """
        received: tuple[Tensor, ...] = () if self.is_first else self._receive(number, learns)
        output = self.submod(*(args if self.is_first else received), **kwargs)
        results = tuple(output) if isinstance(output, (tuple, list)) else (output,)
        if not self.is_last:
            self._send(number, results)
        if learns:
            self.parts[number] = received, results
        return output

    def backward_one_chunk(self, number: int, loss: Tensor | None) -> None:
        """Computes the gradients of a microbatch, from its loss or those of the next stage; sends them back."""
        received, results = self.parts.pop(number)
        if loss is not None:
            loss.backward()
        else:
            wanted = [result for result in results if result.requires_grad]
            backward(wanted, [self._receive_one(result, number, self.stage_index + 1) for result in wanted])
        for value in received:
            if value.requires_grad:
                self._send_one(zeros_like(value) if value.grad is None else value.grad, number, self.stage_index - 1)

    def scale_grads(self, grad_scale_factor: int) -> None:
        """Divides the parameters' gradients by the number of microbatches, as each loss is a mean."""
        for parameter in self.submod.parameters():
            if parameter.grad is not None:
                parameter.grad.div_(grad_scale_factor)

    def wait(self) -> None:
        """Waits until everything is sent."""
        for work in self.under_way:
            if work is not None:
                work.wait()

    def _send(self, number: int, results: tuple[Any, ...]) -> None:
        """Sends outputs to the next stage, preceded by their shapes. TypeError for anything but tensors."""
        shapes = [len(results)]
        for result in results:
            if not isinstance(result, Tensor):
                raise TypeError(
                    f"A stage passes tensors on, but stage {self.stage_index} gave {type(result).__name__}: return a "
                    "tensor or a tuple of tensors."
                )
            shapes += [dtypes.DTYPES.index(result.dtype), int(result.requires_grad), result.dim(), *result.shape]
        told = make_tensor(shapes + [0] * (SHAPES - len(shapes)), dtype=dtypes.int64)
        for value in (told, *results):
            self._send_one(value, number, self.stage_index + 1)

    def _receive(self, number: int, learns: bool) -> tuple[Tensor, ...]:
        """Receives the outputs of the previous stage, as leaves that require grad if the sender's do."""
        before = self.stage_index - 1
        shapes = iter(self._receive_one(empty(SHAPES, dtype=dtypes.int64), number, before).tolist())
        made = []
        for _ in range(next(shapes)):
            dtype, needs, dims = dtypes.DTYPES[next(shapes)], next(shapes), next(shapes)
            value = self._receive_one(empty([next(shapes) for _ in range(dims)], dtype=dtype), number, before)
            made.append(value.requires_grad_() if needs and learns else value)
        return tuple(made)

    def _send_one(self, value: Tensor, number: int, to: int) -> None:
        """Starts to send a tensor of a microbatch to another stage."""
        self.under_way.append(isend(value.detach(), group=self.group, tag=number, group_dst=to))

    def _receive_one(self, like: Tensor, number: int, source: int) -> Tensor:
        """Receives a tensor of a microbatch from another stage, with the shape and dtype of `like`."""
        value = empty(like.shape, dtype=like.dtype)
        recv(value, group=self.group, tag=number, group_src=source)
        return value
