"""The settings of `FullyShardedDataParallel`, which programs name before they make one."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from rushlight.dtypes import dtype as Dtype
from rushlight.nn.modules.batchnorm import _BatchNorm
from rushlight.nn.modules.module import Module

__all__ = """
    BackwardPrefetch CPUOffload FullOptimStateDictConfig FullStateDictConfig LocalOptimStateDictConfig
    LocalStateDictConfig MixedPrecision OptimStateDictConfig OptimStateKeyType ShardedOptimStateDictConfig
    ShardedStateDictConfig ShardingStrategy StateDictConfig StateDictSettings StateDictType
""".split()


class ShardingStrategy(Enum):
    """What is shared out: all, gradients and the optimizer's state, nothing, or all within each line of a mesh."""

    FULL_SHARD = auto()
    SHARD_GRAD_OP = auto()
    NO_SHARD = auto()
    HYBRID_SHARD = auto()
    _HYBRID_SHARD_ZERO2 = auto()


class BackwardPrefetch(Enum):
    """When the backward pass fetches the next parameters: before or after the gradients of the current ones."""

    BACKWARD_PRE = auto()
    BACKWARD_POST = auto()


class StateDictType(Enum):
    """What a state dict holds: whole tensors, this process's memory, or shards."""

    FULL_STATE_DICT = auto()
    LOCAL_STATE_DICT = auto()
    SHARDED_STATE_DICT = auto()


class OptimStateKeyType(Enum):
    """What the keys of an optimizer's state are: names of parameters or their numbers."""

    PARAM_NAME = auto()
    PARAM_ID = auto()


@dataclass
class MixedPrecision:
    """The types of parameters in use, of sums of gradients, and of buffers; None leaves one as it is."""

    param_dtype: Dtype | None = None
    reduce_dtype: Dtype | None = None
    buffer_dtype: Dtype | None = None
    keep_low_precision_grads: bool = False
    cast_forward_inputs: bool = False
    cast_root_forward_inputs: bool = True
    _module_classes_to_ignore: Sequence[type[Module]] = (_BatchNorm,)


@dataclass
class CPUOffload:
    """Whether parameters rest in the memory of the CPU."""

    offload_params: bool = False


@dataclass
class StateDictConfig:
    """How a state dict is made: whether it goes to the CPU."""

    offload_to_cpu: bool = False


@dataclass
class FullStateDictConfig(StateDictConfig):
    """How one of whole tensors is made: also, whether on the first process alone."""

    rank0_only: bool = False


@dataclass
class LocalStateDictConfig(StateDictConfig):
    """How one of this process's memory is made."""


@dataclass
class ShardedStateDictConfig(StateDictConfig):
    """How one of shards is made."""

    _use_dtensor: bool = False


@dataclass
class OptimStateDictConfig:
    """How the state dict of an optimizer is made: whether it goes to the CPU."""

    offload_to_cpu: bool = True


@dataclass
class FullOptimStateDictConfig(OptimStateDictConfig):
    """How one of whole tensors is made: also, whether on the first process alone."""

    rank0_only: bool = False


@dataclass
class LocalOptimStateDictConfig(OptimStateDictConfig):
    """How one of this process's memory is made."""

    offload_to_cpu: bool = False


@dataclass
class ShardedOptimStateDictConfig(OptimStateDictConfig):
    """How one of shards is made."""

    _use_dtensor: bool = False


@dataclass
class StateDictSettings:
    """The kind of state dicts, and how those of a module and of its optimizer are made."""

    state_dict_type: StateDictType
    state_dict_config: StateDictConfig
    optim_state_dict_config: OptimStateDictConfig
