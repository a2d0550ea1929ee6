"""`ZeroRedundancyOptimizer`: optimizer state sharded over processes."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from rushlight.core.graph import new_tensor
from rushlight.distributed.algorithms.join import Join, Joinable, JoinHook
from rushlight.distributed.coalesced import broadcast_all
from rushlight.distributed.groups import ProcessGroup, here
from rushlight.distributed.memory import outgoing, parts_of
from rushlight.distributed.objects import gather_object
from rushlight.optim.optimizer import Optimizer
from rushlight.tensors import Tensor

__all__ = ["ZeroRedundancyOptimizer"]


class ZeroRedundancyOptimizer(Optimizer, Joinable):
    """An optimizer that shards its state: each process updates some of the parameters, and sends them to all.

    `optimizer_class` is the optimizer, `defaults` are its options. Parameters are distributed so that each process has
    about the same number of elements. With `parameters_as_bucket_view` those of a process are in one flat tensor, which
    is sent without copies. `state_dict()` needs a call of `consolidate_state_dict(to)` before it, on all processes. It
    is used with `DistributedDataParallel`, which averages the gradients.

    Source: S. Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models", 2020
    (stage 1).
    """

    rank: int
    world_size: int

    def __init__(
        self,
        params: Iterable[Any],
        optimizer_class: type[Optimizer],
        process_group: ProcessGroup | None = None,
        parameters_as_bucket_view: bool = False,
        overlap_with_ddp: bool = False,
        **defaults: Any,
    ):
        if overlap_with_ddp:
            raise NotImplementedError(
                "overlap_with_ddp=True is not supported: leave it out, steps come after backward."
            )
        self.process_group: ProcessGroup = here(process_group)
        self.rank, self.world_size = self.process_group.rank(), self.process_group.size()
        self._optimizer_class, self._options = optimizer_class, defaults
        self._collected: list[dict[str, Any]] = []
        self.optim: Optimizer | None = None
        self._as_views = parameters_as_bucket_view
        super().__init__(params, defaults)
        self._share_out()

    def _share_out(self) -> None:
        """Assigns each parameter to a process, large ones first, and makes the optimizer of this process's."""
        self.owner: dict[int, int] = {}
        load = [0] * self.world_size
        everything = [parameter for group in self.param_groups for parameter in group["params"]]
        for parameter in sorted(everything, key=lambda p: -p.numel()):
            rank = load.index(min(load))
            self.owner[id(parameter)] = rank
            load[rank] += parameter.numel()
        self.sent: list[list[Tensor]] = [self._sent_by(rank) for rank in range(self.world_size)]
        own = [{**group, "params": self._owned(group["params"], self.rank)} for group in self.param_groups]
        self.optim = self._optimizer_class(own, **self._options)
        for group, local in zip(self.param_groups, self.optim.param_groups, strict=True):
            for name, value in local.items():
                group.setdefault(name, value)

    def _owned(self, params: list[Tensor], rank: int) -> list[Tensor]:
        return [parameter for parameter in params if self.owner[id(parameter)] == rank]

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds a parameter group, and distributes all again; existing state stays where it is."""
        super().add_param_group(param_group)
        if self.optim is not None:
            state = self.optim.state
            self._share_out()
            self.optim.state.update({p: s for p, s in state.items() if self.owner[id(p)] == self.rank})

    def step(self, closure: Callable[[], Any] | None = None, **kwargs: Any) -> Any:
        """Updates this process's parameters, then receives those of the others."""
        Join.notify_join_context(self)
        assert self.optim is not None
        for group, local in zip(self.param_groups, self.optim.param_groups, strict=True):
            local.update({name: value for name, value in group.items() if name != "params"})
        loss = self.optim.step(closure) if closure is not None else self.optim.step(**kwargs)
        self._exchange()
        return loss

    def _sent_by(self, rank: int) -> list[Tensor]:
        """What a process sends after each step: its parameters, or their flat memory."""
        owned = [parameter for group in self.param_groups for parameter in self._owned(group["params"], rank)]
        return in_one_piece(owned) if self._as_views else owned

    def _exchange(self) -> None:
        """Sends each process's parameters to all."""
        for rank, tensors in enumerate(self.sent):
            broadcast_all([tensor.detach() for tensor in tensors], self.process_group, rank)

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Collects the state of all processes on process `to`, for `state_dict()` there. All must call it."""
        assert self.optim is not None
        numbers = self._numbers()
        state = {numbers[id(p)]: as_arrays(s) for p, s in self.optim.state.items()}
        everyone: list[Any] | None = [None] * self.world_size if self.rank == to else None
        gather_object(state, everyone, group=self.process_group, group_dst=to)
        self._collected = everyone or []

    def _numbers(self) -> dict[int, int]:
        """The parameters' indices in state dicts, by id."""
        everything = [parameter for group in self.param_groups for parameter in group["params"]]
        return {id(parameter): i for i, parameter in enumerate(everything)}

    def state_dict(self) -> dict[str, Any]:
        """The state of all parameters, in the form of the optimizer in a single process.

        RuntimeError unless it was collected in this process.
        """
        if not self._collected:
            raise RuntimeError(
                "Optimizer state has not been consolidated on this rank. Please call "
                f"`consolidate_state_dict(to={self.rank})` on all ranks beforehand if you meant to save the global "
                "state."
            )
        state_dict = super().state_dict()
        state_dict["state"] = {
            number: as_tensors(state) for part in self._collected for number, state in sorted(part.items())
        }
        return state_dict

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Loads options and state; each process keeps the state of its own parameters."""
        super().load_state_dict(state_dict)
        assert self.optim is not None
        self.optim.state.clear()
        self.optim.state.update({p: s for p, s in self.state.items() if self.owner[id(p)] == self.rank})
        self.state.clear()

    # uneven inputs

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """The hook that takes the steps of a process that is done."""
        return StepHook(self)

    @property
    def join_device(self) -> Any:
        """The CPU."""
        return self.param_groups[0]["params"][0].device

    @property
    def join_process_group(self) -> ProcessGroup:
        """The group over which the state is sharded."""
        return self.process_group


class StepHook(JoinHook):
    """Takes a step in each iteration of the others: this process's parameters must be updated too."""

    def __init__(self, optimizer: ZeroRedundancyOptimizer):
        self.optimizer = optimizer

    def main_hook(self) -> None:
        """Takes a step."""
        self.optimizer.step()


def in_one_piece(parameters: list[Tensor]) -> list[Tensor]:
    """Moves parameters into one flat tensor for each dtype; returns these."""
    pieces = []
    for dtype in {parameter.dtype: None for parameter in parameters}:
        alike = [parameter for parameter in parameters if parameter.dtype is dtype]
        flat = np.concatenate([outgoing(parameter).reshape(-1) for parameter in alike])
        for parameter, part in zip(alike, parts_of(flat, alike), strict=True):
            parameter.data = new_tensor(part)
        pieces.append(new_tensor(flat))
    return pieces


def as_arrays(state: Any) -> Any:
    """A state with tensors converted to arrays, for sending."""
    if isinstance(state, dict):
        return {name: as_arrays(value) for name, value in state.items()}
    return state._array if isinstance(state, Tensor) else state


def as_tensors(state: Any) -> Any:
    """A received state with arrays converted to tensors."""
    if isinstance(state, dict):
        return {name: as_tensors(value) for name, value in state.items()}
    return new_tensor(state) if hasattr(state, "__array__") else state
