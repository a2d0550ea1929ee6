"""`FullyShardedDataParallel`: PyTorch's first API for sharding a module, as a wrapper around it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from rushlight import devices
from rushlight.distributed.checkpoint.state_dict import (
    PREFIX,
    StateDictOptions,
    get_optimizer_state_dict,
    optimizer_state_for,
)
from rushlight.distributed.coalesced import broadcast_all
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.fsdp.api import (
    BackwardPrefetch,
    CPUOffload,
    FullOptimStateDictConfig,
    MixedPrecision,
    ShardingStrategy,
    StateDictType,
)
from rushlight.distributed.fsdp.meshes import mesh_for
from rushlight.distributed.fsdp.policies import MixedPrecisionPolicy
from rushlight.distributed.fsdp.settings import (
    DEFAULT,
    get_state_dict_type,
    set_state_dict_type,
    state_dict_type,
)
from rushlight.distributed.fsdp.shard_module import DEPTH, cast, sharded_forward
from rushlight.distributed.fsdp.shards import Shards
from rushlight.distributed.fsdp.states import give_state, take_state
from rushlight.distributed.fsdp.wrap import Policy, wrap_parts
from rushlight.distributed.groups import ProcessGroup, get_rank
from rushlight.distributed.tensor.sharded import DTensor
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from rushlight.nn.utils.clip_grad import clip_grad_norm_
from rushlight.optim.optimizer import Optimizer
from rushlight.tensors import Tensor

__all__ = ["FullyShardedDataParallel"]


class FullyShardedDataParallel(Module):
    """Shards a module's parameters, gradients and optimizer state over the processes, as `fully_shard` does.

    It needs `device_id="cpu"`; without it RuntimeError, as in PyTorch's build for CPUs. `auto_wrap_policy` selects the
    submodules that are wrapped separately. `sharding_strategy`: FULL_SHARD; SHARD_GRAD_OP keeps parameters whole from
    forward to backward; NO_SHARD only averages gradients; HYBRID_SHARD replicates shards, along the first dimension of
    a two-dimensional `device_mesh`, or with two groups (that of the shards, that of the replicas).

    Parameters are those of `fully_shard` whatever `use_orig_params` is: DTensors under their own names. Optimizers must
    be made afterwards. `backward_prefetch`, `forward_prefetch` and `limit_all_gathers` control prefetching in PyTorch;
    here parameters are sent when they are used, with the same results. NotImplementedError for unsupported options.
    Source: Y. Zhao et al., "PyTorch FSDP", 2023.
    """

    def __init__(
        self,
        module: Module,
        process_group: ProcessGroup | tuple[ProcessGroup, ProcessGroup] | None = None,
        sharding_strategy: ShardingStrategy | None = None,
        cpu_offload: CPUOffload | None = None,
        auto_wrap_policy: Policy | None = None,
        backward_prefetch: BackwardPrefetch | None = BackwardPrefetch.BACKWARD_PRE,
        mixed_precision: MixedPrecision | None = None,
        ignored_modules: Sequence[Module] | None = None,
        param_init_fn: Callable[[Module], None] | None = None,
        device_id: Any = None,
        sync_module_states: bool = False,
        forward_prefetch: bool = False,
        limit_all_gathers: bool = True,
        use_orig_params: bool = False,
        ignored_states: Sequence[Parameter] | Sequence[Module] | None = None,
        device_mesh: DeviceMesh | None = None,
    ):
        super().__init__()
        if device_id is None or devices.device(device_id).type != "cpu":
            raise RuntimeError(
                "FSDP needs a non-CPU accelerator device, but no accelerator device is detected. Give "
                'device_id="cpu", or use torch.distributed.fsdp.fully_shard.'
            )
        self.mixed_precision = mixed_precision or MixedPrecision()
        refuse(self.mixed_precision, module, auto_wrap_policy is not None)
        self.sharding_strategy = sharding_strategy or ShardingStrategy.FULL_SHARD
        mesh = mesh_for(self.sharding_strategy, process_group, device_mesh)
        skipped = [*(ignored_modules or ()), *(ignored_states or ())]
        ignored = parameters_of(skipped)
        if auto_wrap_policy is not None:
            options = {
                "process_group": process_group,
                "sharding_strategy": sharding_strategy,
                "cpu_offload": cpu_offload,
                "mixed_precision": mixed_precision,
                "param_init_fn": param_init_fn,
                "device_id": device_id,
                "sync_module_states": sync_module_states,
                "ignored_states": skipped,
                "device_mesh": device_mesh,
            }
            wrap_parts(module, auto_wrap_policy, type(self), options, {id(part) for part in skipped}, ignored)
        if param_init_fn is not None:
            for part in module.modules():
                if any(own.is_meta for own in part.parameters(recurse=False)):
                    param_init_fn(part)
        self._fsdp_wrapped_module = module
        self._share_out(mesh, ignored, sync_module_states)

    def _share_out(self, mesh: DeviceMesh, ignored: set[int], sync_module_states: bool) -> None:
        """Shards the parameters that no wrapped submodule has."""
        if sync_module_states:
            everything = [*self.parameters(), *self.buffers()]
            own = [tensor for tensor in everything if id(tensor) not in ignored and not isinstance(tensor, DTensor)]
            for group in mesh.get_all_groups():
                broadcast_all([tensor.detach() for tensor in own], group)
        types = self.mixed_precision
        policy = MixedPrecisionPolicy(types.param_dtype, types.reduce_dtype, None, types.cast_forward_inputs)
        self.__dict__["_shards"] = Shards(self, mesh, policy, ignored)
        self.__dict__["_reshards"] = None if self.sharding_strategy in RESHARD else False
        self.__dict__["_state_dict_settings"] = DEFAULT
        buffers = {name: buffer for name, buffer in self.module.named_buffers() if PREFIX not in name}
        self.__dict__["_buffer_types"] = {name: buffer.dtype for name, buffer in buffers.items()}
        for buffer in buffers.values():
            if types.buffer_dtype is not None and buffer.is_floating_point():
                buffer.data = buffer.to(types.buffer_dtype)
        self._register_state_dict_hook(give_state)
        self.register_load_state_dict_pre_hook(take_state)

    @property
    def module(self) -> Module:
        """The wrapped module."""
        return self._fsdp_wrapped_module

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name == "_fsdp_wrapped_module":
                raise
            return getattr(self._fsdp_wrapped_module, name)

    def __getitem__(self, key: Any) -> Any:
        return self._fsdp_wrapped_module[key]  # type: ignore[index]  # where it is a container

    @sharded_forward
    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the module's `forward` with whole parameters."""
        types = self.mixed_precision
        if types.param_dtype is not None and types.cast_root_forward_inputs and [self] == DEPTH:
            args, kwargs = cast((args, kwargs), types.param_dtype)
        return self._fsdp_wrapped_module(*args, **kwargs)

    def apply(self, fn: Callable[[Module], None]) -> Any:
        """Calls a function for all submodules, with whole parameters; its changes are kept."""
        with self.summon_full_params(self, recurse=False):
            return super().apply(fn)

    def clip_grad_norm_(self, max_norm: float, norm_type: float = 2.0) -> Tensor:
        """Scales gradients to a norm of at most `max_norm` over all parameters and shards; returns the former norm."""
        return clip_grad_norm_(self.parameters(), max_norm, norm_type)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """A context in which each process accumulates its own gradients, until a backward pass outside averages."""
        inside = [part._shards for part in self.fsdp_modules(self)]
        before = [shards.syncs for shards in inside]
        for shards in inside:
            shards.syncs = False
        try:
            yield
        finally:
            for shards, synced in zip(inside, before, strict=True):
                shards.syncs = synced

    def register_comm_hook(self, state: object, hook: Callable[..., Any]) -> None:
        """Raises NotImplementedError: how gradients are sent is set only by `mixed_precision`."""
        raise NotImplementedError(
            "FullyShardedDataParallel takes no hooks for communication: MixedPrecision(reduce_dtype=...) sets the type "
            "that gradients are sent in."
        )

    @staticmethod
    def fsdp_modules(module: Module, root_only: bool = False) -> list["FullyShardedDataParallel"]:
        """The wrapped modules below a module, including itself; with `root_only` only the outermost."""
        found = [part for part in module.modules() if isinstance(part, FullyShardedDataParallel)]
        inner = {id(part) for outer in found for part in outer.modules() if part is not outer} if root_only else ()
        return [part for part in found if id(part) not in inner]

    @staticmethod
    @contextmanager
    def summon_full_params(
        module: Module,
        recurse: bool = True,
        writeback: bool = True,
        rank0_only: bool = False,
        offload_to_cpu: bool = False,
        with_grads: bool = False,
    ) -> Iterator[None]:
        """A context in which parameters are whole, optionally with their gradients.

        Changes of them are kept, unless `writeback` is False; with `rank0_only` only rank 0 has them. All processes
        must enter it.
        """
        if writeback and rank0_only:
            raise NotImplementedError("writeback=True and rank0_only=True is not supported: give writeback=False.")
        wrapped = FullyShardedDataParallel.fsdp_modules(module)
        with ExitStack() as stack:
            for part in wrapped if recurse else [part for part in wrapped if part is module]:
                shards = part._shards
                stack.enter_context(shards.brought_together(writeback, rank0_only and get_rank() != 0, with_grads))
            yield

    set_state_dict_type = staticmethod(set_state_dict_type)
    get_state_dict_type = staticmethod(get_state_dict_type)
    state_dict_type = staticmethod(state_dict_type)

    @staticmethod
    def optim_state_dict(
        model: Module, optim: Optimizer, optim_state_dict: dict[str, Any] | None = None, group: Any = None
    ) -> dict[str, Any]:
        """An optimizer's state by names of parameters, whole or sharded according to `set_state_dict_type`."""
        if optim_state_dict is not None:
            raise NotImplementedError("optim_state_dict is not supported: the state is that of the optimizer.")
        settings = get_state_dict_type(model)
        config = settings.optim_state_dict_config
        full = settings.state_dict_type is StateDictType.FULL_STATE_DICT
        first = isinstance(config, FullOptimStateDictConfig) and config.rank0_only
        options = StateDictOptions(full_state_dict=full, cpu_offload=first)
        return get_optimizer_state_dict(model, optim, options=options)

    @staticmethod
    def optim_state_dict_to_load(
        model: Module,
        optim: Optimizer,
        optim_state_dict: dict[str, Any],
        is_named_optimizer: bool = False,
        load_directly: bool = False,
        group: Any = None,
    ) -> dict[str, Any]:
        """Converts the result of `optim_state_dict` for the optimizer's `load_state_dict`; optionally calls that.

        With the full state only on rank 0 (`rank0_only`) all processes must call it.
        """
        if is_named_optimizer:
            raise NotImplementedError("is_named_optimizer is not supported: optimizers have numbers for parameters.")
        config = get_state_dict_type(model).optim_state_dict_config
        first = isinstance(config, FullOptimStateDictConfig) and config.rank0_only
        given = StateDictOptions(full_state_dict=first, broadcast_from_rank0=first).from_rank_0(optim_state_dict)
        state = optimizer_state_for(model, optim, given)
        if load_directly:
            optim.load_state_dict(state)
        return state


RESHARD = (ShardingStrategy.FULL_SHARD, ShardingStrategy.HYBRID_SHARD)


def refuse(types: MixedPrecision, module: Module, wraps: bool) -> None:
    """NotImplementedError for unsupported options of mixed precision."""
    if types.keep_low_precision_grads:
        raise NotImplementedError("keep_low_precision_grads=True is not supported: gradients have their rows' type.")
    kept = tuple(types._module_classes_to_ignore)
    found = {type(part).__name__ for part in module.modules() if isinstance(part, kept)}
    if wraps and types.param_dtype is not None and found:
        raise NotImplementedError(
            f"auto_wrap_policy does not keep {', '.join(sorted(found))} in float32: wrap parts by hand, each with its "
            "mixed_precision, or compute these in low precision too with "
            "MixedPrecision(..., _module_classes_to_ignore=())."
        )


def parameters_of(given: Sequence[Any]) -> set[int]:
    """The ids of parameters that are given directly or in modules."""
    found = [own for item in given for own in (item.parameters() if isinstance(item, Module) else [item])]
    return {id(own) for own in found}
