"""`DistributedDataParallel`: the same module in several processes, each with its part of the batch."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import numpy as np

from rushlight.autograd import is_grad_enabled
from rushlight.core.graph import new_tensor
from rushlight.distributed.algorithms.join import Join, Joinable, JoinHook
from rushlight.distributed.coalesced import broadcast_all
from rushlight.distributed.collectives import all_reduce
from rushlight.distributed.groups import ProcessGroup, here
from rushlight.distributed.objects import all_gather_object
from rushlight.distributed.reduce_ops import ReduceOp
from rushlight.nn.modules.module import Module
from rushlight.nn.parallel.reducer import Reducer
from rushlight.tensors import Tensor

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module, Joinable):
    """Trains a module in several processes: each calls it with its own inputs, and gradients are averaged over all.

    The parameters and buffers of rank 0 are broadcast at the start, and buffers before each forward pass
    (`broadcast_buffers`). Gradients are communicated in buckets of `bucket_cap_mb` MiB during `backward`, and are the
    averages when it returns: with equal parts of a batch and a mean loss, they are those of the whole batch.
    `find_unused_parameters` allows parameters that a pass does not use; with `static_graph` these are determined only
    once. `gradient_as_bucket_view` makes gradients views of the buckets, which saves a second copy.

    ValueError before `init_process_group`, RuntimeError for modules that differ between processes or have no parameters
    to train.

    Source: S. Li et al., "PyTorch Distributed: Experiences on Accelerating Data Parallel Training", 2020.
    """

    require_forward_param_sync: bool
    require_backward_grad_sync: bool

    static_graph: bool

    def __init__(
        self,
        module: Module,
        device_ids: list[Any] | None = None,
        output_device: Any = None,
        dim: int = 0,
        broadcast_buffers: bool = True,
        init_sync: bool = True,
        process_group: ProcessGroup | None = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
        delay_all_reduce_named_params: Any = None,
        param_to_hook_all_reduce: Any = None,
        mixed_precision: Any = None,
        device_mesh: Any = None,
        skip_all_reduce_unused_params: bool = False,
        bucket_cap_mb_list: list[int] | None = None,
        batched_grad_copy: bool = False,
        forward_sync_buffers: bool | None = None,
    ):
        super().__init__()
        refuse(
            {
                "delay_all_reduce_named_params": delay_all_reduce_named_params,
                "param_to_hook_all_reduce": param_to_hook_all_reduce,
                "mixed_precision": mixed_precision,
                "skip_all_reduce_unused_params": skip_all_reduce_unused_params,
                "bucket_cap_mb_list": bucket_cap_mb_list,
                "batched_grad_copy": batched_grad_copy,
            }
        )
        group = group_of(process_group, device_mesh)
        self.parameters_to_ignore: set[Any] = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        parameters = self._averaged_in(module)
        if not parameters:
            raise RuntimeError(
                "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a "
                "gradient."
            )
        refuse_devices(device_ids, output_device)
        self.module = module
        self.process_group: ProcessGroup = group
        self.broadcast_buffers: bool = broadcast_buffers if forward_sync_buffers is None else forward_sync_buffers
        self.find_unused_parameters = find_unused_parameters
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.static_graph = static_graph
        self.require_backward_grad_sync = True
        self.require_forward_param_sync = True
        self._bucket_cap = 25 if bucket_cap_mb is None else bucket_cap_mb
        self.reducer: Reducer = self._make_reducer(parameters)
        if init_sync:
            check_alike(module, self.process_group)
            self._broadcast_all_from(0)

    def _broadcast_all_from(self, rank: int) -> None:
        """Broadcasts the parameters and buffers of one process to all."""
        named = self.module.named_parameters()
        parameters = [p for name, p in named if name not in self.parameters_to_ignore]
        tensors = [*parameters, *self._buffers_of_module()]
        broadcast_all([tensor.detach() for tensor in tensors], self.process_group, rank)

    def _buffers_of_module(self) -> list[Tensor]:
        return [buffer for name, buffer in self.module.named_buffers() if name not in self.parameters_to_ignore]

    def _averaged_in(self, module: Module) -> dict[str, Tensor]:
        """The parameters, by name, whose gradients are averaged."""
        named = module.named_parameters()
        return {name: p for name, p in named if p.requires_grad and name not in self.parameters_to_ignore}

    def _make_reducer(self, parameters: dict[str, Tensor]) -> Reducer:
        return Reducer(
            {id(p): name for name, p in parameters.items()},
            list(parameters.values()),
            self.process_group,
            self._bucket_cap,
            self.gradient_as_bucket_view,
            self.find_unused_parameters,
            self.static_graph,
            {id(module.weight) for module in self.module.modules() if getattr(module, "sparse", False) is True},
        )

    @staticmethod
    def _set_params_and_buffers_to_ignore_for_model(module: Module, params_and_buffers_to_ignore: list[str]) -> None:
        """Excludes parameters and buffers of a module, by name, from all communication."""
        module._ddp_params_and_buffers_to_ignore = params_and_buffers_to_ignore

    def _set_static_graph(self) -> None:
        """The same as `static_graph=True`; to be called before the first pass."""
        self.static_graph = self.reducer.static = True

    def __deepcopy__(self, memo: Any) -> Any:
        """A copy for the same group, without communication hooks."""
        copied = type(self).__new__(type(self))
        memo[id(self)] = copied
        memo[id(self.process_group)] = self.process_group
        for name, value in self.__dict__.items():
            if name != "reducer":
                copied.__dict__[name] = deepcopy(value, memo)
        copied.reducer = copied._make_reducer(self._averaged_in(copied.module))
        return copied

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The result of the module; prepares for averaging the gradients of the following backward pass."""
        if self.process_group.size() == 1 and not self.reducer.hooked:
            return self.module(*inputs, **kwargs)  # with one process there is nothing to average
        syncs = is_grad_enabled() and self.require_backward_grad_sync
        if syncs:
            self._tell_those_that_are_done()
            self.reducer.check_finished()
        if self.broadcast_buffers and self.require_forward_param_sync:
            self._broadcast_buffers(is_done=False)
        output = self.module(*inputs, **kwargs)
        if syncs:
            self.reducer.prepare(output)
        self.require_forward_param_sync = self.require_backward_grad_sync
        return output

    def _tell_those_that_are_done(self) -> None:
        """In a `join` context, makes finished processes take part in this pass, and determines the divisor."""
        work = Join.notify_join_context(self)
        if work is not None:
            work.wait()
            going_on = int(work.result()[0])
            assert self._join_config is not None
            by_all = self._join_config["options"].get("divide_by_initial_world_size", True)
            self.reducer.scale = 1 if by_all else self.process_group.size() / going_on

    def _broadcast_buffers(self, is_done: bool) -> None:
        """Broadcasts the buffers of rank 0, or in a `join` context those of a process that has not finished."""
        buffers = self._buffers_of_module()
        if not buffers:
            return
        root = 0
        if self._join_config is not None:
            rank = new_tensor(np.array([-1 if is_done else self.process_group.rank()], np.int64))
            all_reduce(rank, ReduceOp.MAX, self.process_group)
            root = rank.item()
        broadcast_all(buffers, self.process_group, root)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """In this context gradients accumulate in each process separately; the first pass after it averages them.

        The forward pass has to be in the context too.
        """
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def register_comm_hook(self, state: object, hook: Callable[[object, Any], Any]) -> None:
        """Makes `hook(state, bucket)` average the gradients; it returns a future of the tensor of averages.

        TypeError if the hook is not callable; RuntimeError for a second hook.
        """
        if not callable(hook):
            raise TypeError("Communication hook must be callable.")
        if self.reducer.hook is not None:
            raise RuntimeError("register_comm_hook or register_builtin_comm_hook can only be called once.")
        self.reducer.hook, self.reducer.state = hook, state
        self.reducer.watch()

    def join(
        self, divide_by_initial_world_size: bool = True, enable: bool = True, throw_on_early_termination: bool = False
    ) -> Join:
        """`with model.join():` around a training loop whose number of iterations differs between processes.

        Averages are over all processes, or, with `divide_by_initial_world_size=False`, over those that have not
        finished.
        """
        return Join(
            [self], enable, throw_on_early_termination, divide_by_initial_world_size=divide_by_initial_world_size
        )

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """The object that communicates for this module in processes that have finished."""
        return ReplicaHook(self)

    @property
    def join_device(self) -> Any:
        """The device of the module: the CPU."""
        return next(self.module.parameters()).device

    @property
    def join_process_group(self) -> ProcessGroup:
        """The process group that the gradients are averaged over."""
        return self.process_group


class ReplicaHook(JoinHook):
    """Takes part, with zeros, in the communication of `DistributedDataParallel` in a process that has finished."""

    def __init__(self, replica: DistributedDataParallel):
        self.replica = replica

    def main_hook(self) -> None:
        """Takes part in the broadcast of buffers, if there is one, and sends buckets of zeros."""
        replica, reducer = self.replica, self.replica.reducer
        if replica.broadcast_buffers:
            replica._broadcast_buffers(is_done=True)
        for bucket in reducer.buckets:
            bucket.start({id(parameter) for parameter in bucket.parameters})
            reducer.launch(bucket)
        if reducer.find_unused:
            reducer.used_anywhere(shadow=True)
        for bucket in reducer.buckets:
            bucket.wait()

    def post_hook(self, is_last_joiner: bool) -> None:
        """Broadcasts the parameters of a process that finished last to all."""
        group = self.replica.process_group
        last: list[int | None] = [None] * group.size()
        all_gather_object(last, group.rank() if is_last_joiner else None, group)
        self.replica._broadcast_all_from(max(rank for rank in last if rank is not None))


def refuse(options: dict[str, Any]) -> None:
    """Raises NotImplementedError for the first unsupported option that was given."""
    for name, value in options.items():
        if value is not None and value is not False:
            instead = "use torch.autocast instead" if name == "mixed_precision" else "leave it out"
            raise NotImplementedError(f"DistributedDataParallel: {name} is not supported: {instead}.")


def refuse_devices(device_ids: list[Any] | None, output_device: Any) -> None:
    """Raises ValueError for devices other than the CPU."""
    if device_ids or output_device is not None:
        raise ValueError(
            "DistributedDataParallel device_ids and output_device arguments only work with single-device/multiple-"
            f"device GPU modules or CPU modules, but got device_ids {device_ids}, output_device {output_device}: "
            "leave them out on a CPU."
        )


def group_of(process_group: ProcessGroup | None, device_mesh: Any) -> ProcessGroup:
    """The process group. RuntimeError for both a group and a mesh, and for a mesh of several dimensions."""
    if device_mesh is None:
        return here(process_group)
    if process_group is not None:
        raise RuntimeError("Cannot specify both process_group and device_mesh arguments.")
    if device_mesh.ndim != 1:
        raise RuntimeError(f"Only 1D device mesh is supported, but got {device_mesh}.")
    return device_mesh.get_group()


def check_alike(module: Module, group: ProcessGroup) -> None:
    """Raises RuntimeError, in all processes, if a process has other parameters than rank 0."""
    own = [(name, tuple(p.shape), str(p.dtype)) for name, p in module.named_parameters()]
    everywhere: list[Any] = [None] * group.size()
    all_gather_object(everywhere, own, group)
    first = everywhere[0]
    for rank, found in enumerate(everywhere):
        for mine, there in zip(found, first, strict=False):
            if mine != there:
                raise RuntimeError(
                    f"DDP expects same model across all ranks, but rank {rank} has {mine[0]} of shape {mine[1]}, "
                    f"{mine[2]}, and rank 0 {there[0]} of shape {there[1]}, {there[2]}."
                )
        if len(found) != len(first):
            raise RuntimeError(
                f"DDP expects same model across all ranks, but Rank {rank} has {len(found)} params, while rank 0 has "
                f"inconsistent {len(first)} params."
            )
