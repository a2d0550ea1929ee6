"""Classes of PyTorch's that rushlight has no instances of: programs use them in annotations and in `isinstance`.

Each class raises when it is instantiated, with the reason from `left_out`.
"""

import sys
from typing import Any

from rushlight.core.above import ABOVE

__all__ = ["AbsentType", "absent_type"]

TYPES = {
    "rushlight": """DispatchKey DispatchKeySet Event FunctionSchema PyTorchFileReader PyTorchFileWriter ScriptDict
        ScriptFunction ScriptList ScriptMethod ScriptModule ScriptObject Stream SymBool SymFloat SymInt Tag""",
    "rushlight._C": "FunctionSchema Graph Node PyTorchFileReader ScriptFunction ScriptMethod ScriptModule Value",
    "rushlight._dynamo": "OptimizedModule",
    "rushlight._subclasses.fake_tensor": "FakeTensor FakeTensorMode",
    "rushlight.distributed._shard.sharded_optim": "ShardedOptimizer",
    "rushlight.distributed._shard.sharded_tensor": "Shard ShardedTensor ShardedTensorMetadata",
    "rushlight.distributed._shard.sharding_plan": "ShardingPlan ShardingPlanner",
    "rushlight.distributed._shard.sharding_spec": "ChunkShardingSpec EnumerableShardingSpec ShardMetadata ShardingSpec",
    "rushlight.distributed.checkpoint.hf_storage": "HuggingFaceStorageReader HuggingFaceStorageWriter",
    "rushlight.distributed.tensor.placement_types": "_StridedShard",
}


class AbsentType:
    """A class of PyTorch's without instances. NotImplementedError when it is instantiated."""

    def __init__(self, *args: Any, **kwargs: Any):
        name = f"{type(self).__module__}.{type(self).__qualname__}"
        because = ABOVE.reason(name) or "PyTorch's own code makes them."
        raise NotImplementedError(f"{name} has no objects in rushlight: {because}")


def absent_type(module: str, name: str) -> type | None:
    """The class for a name that a module lacks, if it is one of these; else None.

    >>> import rushlight as torch
    >>> isinstance(3, torch.SymInt), issubclass(torch.Stream, object)
    (False, True)
    >>> torch.Stream()
    Traceback (most recent call last):
    ...
    NotImplementedError: torch.Stream has no objects in rushlight: it needs a GPU, ...
    """
    if name not in TYPES.get(module, "").split():
        return None
    made = type(name, (AbsentType,), {"__module__": module.replace("rushlight", "torch", 1)})
    setattr(sys.modules[module], name, made)
    return made
