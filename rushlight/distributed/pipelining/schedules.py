"""Schedules: the order in which a stage runs the forward and backward of microbatches."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rushlight.autograd.grad_mode import is_grad_enabled, no_grad
from rushlight.distributed.pipelining.microbatch import TensorChunkSpec, arguments_of_parts, merged, parts_of
from rushlight.distributed.pipelining.stage import PipelineStage

__all__ = ["Schedule1F1B", "ScheduleGPipe"]


class Schedule:
    """The base of schedules: splits batches, runs the passes of an order, and merges results.

    With a `loss_fn` gradients are computed too; only the last stage uses it, but all stages must be given one.
    Gradients are those of the mean of the microbatches' losses; with `scale_grads=False` those of the sum.
    """

    def __init__(
        self,
        stage: PipelineStage,
        n_microbatches: int,
        loss_fn: Callable[..., Any] | None = None,
        args_chunk_spec: Sequence[TensorChunkSpec] | None = None,
        kwargs_chunk_spec: dict[str, TensorChunkSpec] | None = None,
        output_merge_spec: Any = None,
        scale_grads: bool = True,
    ) -> None:
        self._stage, self._n_microbatches, self._loss_fn = stage, n_microbatches, loss_fn
        self._specs = args_chunk_spec, kwargs_chunk_spec
        self._output_merge_spec, self.scale_grads = output_merge_spec, scale_grads

    def order(self) -> Iterator[tuple[str, int]]:
        """The passes of this stage in order: ("forward" or "backward", number of the microbatch)."""
        raise NotImplementedError

    def step(
        self,
        *args: Any,
        target: Any = None,
        losses: list[Any] | None = None,
        return_outputs: bool = True,
        loss_kwargs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Runs a batch through the pipeline; all stages must call it. The last stage returns the result, others None.

        The first stage gets the model's arguments, the last one the `target` of the loss, and a list to which the
        losses of the microbatches are appended; keyword arguments belong to the stage that gets them. RuntimeError if
        gradients are needed and grad mode is off: use `eval` for results only.
        """
        learns = self._loss_fn is not None
        if learns and not is_grad_enabled():
            raise RuntimeError(
                "step() requires gradients to be enabled for backward computation; it should not be used under "
                "torch.no_grad() context. Please call eval() instead."
            )
        order = list(self.order()) if learns else [("forward", number) for number in range(self._n_microbatches)]
        return self._run(order, learns, args, kwargs, target, losses, return_outputs, loss_kwargs)

    def eval(self, *args: Any, target: Any = None, losses: list[Any] | None = None, **kwargs: Any) -> Any:
        """Runs a batch as `step` does, without gradients."""
        order = [("forward", number) for number in range(self._n_microbatches)]
        with no_grad():
            return self._run(order, False, args, kwargs, target, losses, True, None)

    def _run(
        self,
        order: list[tuple[str, int]],
        learns: bool,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        target: Any,
        losses: list[Any] | None,
        return_outputs: bool,
        loss_kwargs: dict[str, Any] | None,
    ) -> Any:
        """Runs the passes of an order."""
        stage, number = self._stage, self._n_microbatches
        if losses is not None and not isinstance(losses, list):
            raise TypeError(f"losses must be a list but got a {type(losses)}")
        stage.clear_runtime_states()
        places, names = arguments_of_parts(args, kwargs, number, *self._specs)
        targets = parts_of(target, number)
        outputs: dict[int, Any] = {}
        found: dict[int, Any] = {}
        for direction, part in order:
            if direction == "backward":
                stage.backward_one_chunk(part, found.get(part))
                continue
            output = stage.forward_one_chunk(part, places[part], names[part], learns)
            if stage.is_last:
                outputs[part] = output
                if self._loss_fn is not None:
                    found[part] = self._loss_fn(output, targets[part], **(loss_kwargs or {}))
        stage.wait()
        if learns and self.scale_grads:
            stage.scale_grads(number)
        if losses is not None and stage.is_last:
            losses[:] = [found[part] for part in sorted(found)]
        return (
            merged([outputs[part] for part in range(number)], self._output_merge_spec)
            if (stage.is_last and return_outputs)
            else None
        )


class ScheduleGPipe(Schedule):
    """All microbatches forward, then all backward."""

    def order(self) -> Iterator[tuple[str, int]]:
        """All microbatches forward, then all backward."""
        yield from (("forward", part) for part in range(self._n_microbatches))
        yield from (("backward", part) for part in range(self._n_microbatches))


class Schedule1F1B(Schedule):
    """One forward, one backward: once the last stage can start backward, the two alternate, which saves memory.

    ValueError for fewer microbatches than stages.
    """

    def __init__(self, stage: PipelineStage, n_microbatches: int, *args: Any, **kwargs: Any) -> None:
        super().__init__(stage, n_microbatches, *args, **kwargs)
        if n_microbatches < stage.num_stages:
            raise ValueError(
                f"Number of microbatches ({n_microbatches}) must be greater than or equal to the number of stages "
                f"({stage.num_stages})."
            )

    def order(self) -> Iterator[tuple[str, int]]:
        """Forward until the last stage has its first result, then alternating."""
        ahead = self._stage.num_stages - self._stage.stage_index
        yield from (("forward", part) for part in range(ahead))
        for part in range(self._n_microbatches):
            yield "backward", part
            if part + ahead < self._n_microbatches:
                yield "forward", part + ahead
