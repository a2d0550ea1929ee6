"""Checkpoints around sharded modules, around parts of them and around both: the weights of one process."""

import sys
from functools import partial

import torch
import torch.distributed as dist
from side_by_side import Block, Network, train, train_sharded
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import (
    CheckpointImpl,
    apply_activation_checkpointing,
    checkpoint_wrapper,
)
from torch.distributed.checkpoint.state_dict import get_state_dict
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from torch.utils.checkpoint import checkpoint

dist.init_process_group("gloo")


class Again(Network):
    """Computes its blocks again in the backward pass, and its last layer, which no sharded part has."""

    def __init__(self, reentrant):
        super().__init__()
        self.reentrant = reentrant

    def forward(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=self.reentrant)
        return checkpoint(self.last, x, use_reentrant=self.reentrant)


def twins(kind, *args):
    """A network, and one of a kind with the same parameters."""
    torch.manual_seed(0)
    one, other = Network(), kind(*args)
    other.load_state_dict(one.state_dict())
    return one, other


def by_function(reentrant, sharded_blocks):
    one, other = twins(Again, reentrant)
    if sharded_blocks:
        for block in other.blocks:
            fully_shard(block)
    fully_shard(other)
    far = train_sharded(one, other, micro=sharded_blocks)
    assert far < 3e-6, (reentrant, sharded_blocks, far)


def by_wrapper(reentrant):
    one, other = twins(Network)
    way = CheckpointImpl.REENTRANT if reentrant else CheckpointImpl.NO_REENTRANT
    wrapper = partial(checkpoint_wrapper, checkpoint_impl=way)
    apply_activation_checkpointing(other.blocks, wrapper, check_fn=lambda part: isinstance(part, nn.Linear))
    for block in other.blocks:
        fully_shard(block)
    fully_shard(other)
    far = train_sharded(one, other, micro=False)
    assert far < 3e-6, (reentrant, far)


def in_full_wrappers(outside):
    """`FullyShardedDataParallel` around the checkpointed blocks, or inside of what is checkpointed."""
    one, other = twins(Network)
    blocks = partial(apply_activation_checkpointing, check_fn=lambda part: isinstance(part, Block))
    if outside:
        blocks(other)
    other = FullyShardedDataParallel(other, device_id="cpu", auto_wrap_policy=ModuleWrapPolicy({Block}))
    if not outside:
        blocks(other)
    names = [name for name, _ in one.named_parameters()]
    optimizer = torch.optim.AdamW(other.parameters())
    assert list(other.state_dict()) == names
    assert get_state_dict(other, optimizer)[1]["param_groups"][0]["params"] == names
    train(one, other, other.clip_grad_norm_, other.no_sync)
    found = other.state_dict()
    assert all((p - found[name]).abs().max() < 3e-6 for name, p in one.named_parameters())
    other.load_state_dict(one.state_dict())


for reentrant in (False, True):
    by_function(reentrant, sharded_blocks=True)
    by_function(reentrant, sharded_blocks=False)
    by_wrapper(reentrant)
in_full_wrappers(outside=True)
in_full_wrappers(outside=False)
sys.stdout.write("passed\n")
dist.destroy_process_group()
