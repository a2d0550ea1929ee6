"""What PyTorch's tutorials and examples of distributed programs import is there, whatever device they then ask for."""

from importlib import import_module
from importlib.util import find_spec

import pytest

IMPORTS = """
distributed init_process_group destroy_process_group rpc
distributed.autograd context backward get_gradients
distributed.rpc RRef rpc_sync rpc_async remote TensorPipeRpcBackendOptions
distributed.rpc.functions async_execution
distributed.optim DistributedOptimizer ZeroRedundancyOptimizer
distributed.nn RemoteModule
distributed.algorithms.join Join Joinable JoinHook
distributed.algorithms._checkpoint.checkpoint_wrapper checkpoint_wrapper CheckpointImpl apply_activation_checkpointing
distributed.algorithms.ddp_comm_hooks default_hooks powerSGD_hook
distributed.device_mesh init_device_mesh DeviceMesh
distributed.tensor DTensor Shard Replicate distribute_tensor
distributed._tensor DTensor Shard Replicate DeviceMesh
distributed.tensor.debug CommDebugMode
distributed.tensor.parallel parallelize_module ColwiseParallel RowwiseParallel PrepareModuleInput SequenceParallel
distributed.tensor.parallel.style ColwiseParallel RowwiseParallel
distributed.fsdp FullyShardedDataParallel CPUOffload MixedPrecision BackwardPrefetch ShardingStrategy StateDictType
distributed.fsdp FullStateDictConfig fully_shard FSDPModule MixedPrecisionPolicy
distributed.fsdp.fully_sharded_data_parallel CPUOffload BackwardPrefetch StateDictType FullyShardedDataParallel
distributed.fsdp.wrap size_based_auto_wrap_policy enable_wrap wrap transformer_auto_wrap_policy
distributed._composable.fsdp fully_shard
distributed.checkpoint save load async_save StorageWriter StorageReader FileSystemReader FileSystemWriter
distributed.checkpoint.default_planner DefaultLoadPlanner DefaultSavePlanner
distributed.checkpoint.format_utils dcp_to_torch_save torch_save_to_dcp BroadcastingTorchSaveReader
distributed.checkpoint.planner SavePlanner LoadPlanner
distributed.checkpoint.storage StorageReader StorageWriter
distributed.checkpoint.state_dict get_state_dict set_state_dict get_model_state_dict StateDictOptions
distributed.checkpoint.stateful Stateful
distributed.pipelining pipeline SplitPoint PipelineStage ScheduleGPipe Schedule1F1B
distributed.elastic.multiprocessing.errors record
distributed._shard shard_module
distributed._shard.sharded_optim ShardedOptimizer named_params_with_sharded_tensor
distributed._shard.sharded_tensor ShardedTensor
distributed._shard.sharding_plan ShardingPlan
distributed._shard.sharding_spec ChunkShardingSpec
nn.parallel DistributedDataParallel DataParallel
utils.data.distributed DistributedSampler
multiprocessing spawn Process
futures Future wait_all collect_all
"""


@pytest.mark.parametrize("line", IMPORTS.strip().splitlines())
def test_what_published_programs_import(line):
    place, *names = line.split()
    exec(f"from rushlight.{place} import {', '.join(names)}", {})
    if find_spec("torch"):
        exec(f"from torch.{place} import {', '.join(names)}", {})


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("sharding_spec", "ChunkShardingSpec"),
        ("sharding_plan", "ShardingPlan"),
        ("sharded_optim", "ShardedOptimizer"),
        ("sharded_tensor", "ShardedTensor"),
    ],
)
def test_sharded_tensors_of_the_first_kind_name_what_is_there_instead(place, name):
    kind = getattr(import_module(f"rushlight.distributed._shard.{place}"), name)
    assert not isinstance(3, kind)
    with pytest.raises(NotImplementedError, match="DTensor, parallelize_module"):
        kind(dim=0)
