"""`FullyShardedDataParallel` against one process with the whole batch, its state dicts, and what it takes."""

import functools
import sys
from copy import deepcopy

import side_by_side
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_state_dict, set_state_dict
from torch.distributed.fsdp import (
    CPUOffload,
    FullOptimStateDictConfig,
    FullStateDictConfig,
    MixedPrecision,
    ShardingStrategy,
    StateDictType,
)
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import (
    CustomPolicy,
    ModuleWrapPolicy,
    always_wrap_policy,
    enable_wrap,
    lambda_auto_wrap_policy,
    size_based_auto_wrap_policy,
    transformer_auto_wrap_policy,
    wrap,
)
from torch.distributed.tensor import DTensor

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
CPU = torch.device("cpu")


class Block(nn.Module):
    def __init__(self, width=7):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 2 * width + 1), nn.Linear(2 * width + 1, width)
        self.scale = nn.Parameter(torch.tensor(1.0))
        self.register_buffer("shift", torch.ones(width) / 8)

    def forward(self, x):
        return x + self.scale * self.down(torch.tanh(self.up(self.norm(x)))) + self.shift


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(5, 7), nn.Linear(7, 1)
        self.blocks = nn.ModuleList([Block() for _ in range(3)])

    def forward(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = block(x)
        return self.last(x)


def wrapped(seed=0, **options):
    torch.manual_seed(seed)
    given = {"device_id": CPU, "auto_wrap_policy": ModuleWrapPolicy({Block}), "use_orig_params": True}
    return FSDP(Network(), **{**given, **options})


def train(one, other, micro=False, steps=50):
    """Trains both, and compares their weights."""
    side_by_side.train(one, other, other.clip_grad_norm_, other.no_sync if micro else None, steps)
    state = other.state_dict()
    assert list(state) == list(one.state_dict())
    for name, value in one.state_dict().items():
        assert value.shape == state[name].shape and (value - state[name]).abs().max() < 3e-6, name


def alone_in_its_line(network):
    return next(network.parameters()).device_mesh.shape[-1] == 1


def same_as_one_process():
    half = size // 2
    mesh = dist.init_device_mesh("cpu", (2, half), mesh_dim_names=("replicate", "shard"))
    groups = (mesh.get_group("shard"), mesh.get_group("replicate"))
    for options in (
        {},
        {"sharding_strategy": ShardingStrategy.SHARD_GRAD_OP, "cpu_offload": CPUOffload(offload_params=True)},
        {"sharding_strategy": ShardingStrategy.NO_SHARD},
        {"sharding_strategy": ShardingStrategy.HYBRID_SHARD, "device_mesh": mesh},
        {"sharding_strategy": ShardingStrategy._HYBRID_SHARD_ZERO2, "process_group": groups},
        {"auto_wrap_policy": None, "process_group": dist.group.WORLD},
    ):
        torch.manual_seed(0)
        one, other = Network(), wrapped(**options)
        held = sum(p.to_local().numel() for p in other.parameters())
        whole = alone_in_its_line(other)
        assert (held == sum(p.numel() for p in one.parameters())) is whole, options
        train(one, other, micro=not options, steps=50 if not options else 10)


def policies():
    def parts(policy, **options):
        found = FSDP.fsdp_modules(wrapped(auto_wrap_policy=policy, **options))
        return [type(part.module).__name__ for part in found]

    blocks = ["Network", "Block", "Block", "Block"]
    assert parts(None) == ["Network"]
    assert parts(ModuleWrapPolicy([Block])) == blocks
    assert parts(functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Block})) == blocks
    assert parts(functools.partial(lambda_auto_wrap_policy, lambda_fn=lambda m: isinstance(m, Block))) == blocks
    assert parts(functools.partial(size_based_auto_wrap_policy, min_num_params=200)) == blocks
    assert parts(always_wrap_policy)[:2] == ["Network", "Linear"] and len(parts(always_wrap_policy)) == 16
    changed = CustomPolicy(
        lambda m: {"sharding_strategy": ShardingStrategy.NO_SHARD} if isinstance(m, Block) else False
    )
    found = FSDP.fsdp_modules(wrapped(auto_wrap_policy=changed))
    assert [part.sharding_strategy.name for part in found] == ["FULL_SHARD", *["NO_SHARD"] * 3]
    assert len(FSDP.fsdp_modules(nn.ModuleList([wrapped(), wrapped()]), root_only=True)) == 2
    with enable_wrap(wrapper_cls=FSDP, device_id=CPU):
        assert isinstance(wrap(nn.Linear(2, 2)), FSDP)
    assert type(wrap(nn.Linear(2, 2))) is nn.Linear
    network = Network()
    kept = FSDP(
        network, device_id="cpu", ignored_modules=[network.blocks[0]], auto_wrap_policy=ModuleWrapPolicy({Block})
    )
    assert len(FSDP.fsdp_modules(kept)) == 3 and type(network.blocks[0].scale) is nn.Parameter


def from_the_first():
    network = wrapped(seed=rank, sync_module_states=True)
    torch.manual_seed(0)
    one = Network()
    assert all(torch.equal(value, one.state_dict()[name]) for name, value in network.state_dict().items())
    with torch.device("meta"):
        empty = Network()

    def two(part):
        part.to_empty(device="cpu", recurse=False)
        for p in part.parameters(recurse=False):
            nn.init.constant_(p, 2.0)

    made = FSDP(empty, device_id=CPU, param_init_fn=two)
    assert all((p == 2).all() for name, p in made.state_dict().items() if "shift" not in name)


def whole_parameters():
    torch.manual_seed(0)
    one, network = Network(), wrapped()
    names = [name for name, _ in one.named_parameters()]
    x = torch.ones(2, 5)
    one(x).sum().backward()
    network(x).sum().backward()
    with FSDP.summon_full_params(network, with_grads=True):
        for name, whole, expected in zip(names, network.parameters(), one.parameters(), strict=True):
            assert torch.equal(whole, expected) and torch.allclose(whole.grad, expected.grad, atol=1e-6), name
            with torch.no_grad():
                whole.add_(1.0)
    with FSDP.summon_full_params(network, writeback=False), torch.no_grad():
        for whole in network.parameters():
            whole.zero_()
    state = network.state_dict()
    assert all(torch.equal(state[name], p + 1) for name, p in one.named_parameters())
    with FSDP.summon_full_params(network, writeback=False, rank0_only=True):
        assert isinstance(network.first.weight, DTensor) is (rank != 0)
    network.apply(lambda part: nn.init.ones_(part.weight) if isinstance(part, nn.Linear) else None)
    assert (network.state_dict()["blocks.1.up.weight"] == 1).all()


def states():
    torch.manual_seed(0)
    network = wrapped()
    optimizer = torch.optim.AdamW(network.parameters())
    network(torch.ones(2, 5) + rank).sum().backward()
    optimizer.step()
    with FSDP.state_dict_type(
        network,
        StateDictType.FULL_STATE_DICT,
        FullStateDictConfig(rank0_only=True),
        FullOptimStateDictConfig(rank0_only=True),
    ):
        state, moments = network.state_dict(), deepcopy(FSDP.optim_state_dict(network, optimizer))
        assert bool(state) is bool(moments) is (rank == 0)
        other = wrapped(seed=5)
        later = torch.optim.AdamW(other.parameters())
        FSDP.set_state_dict_type(
            other, StateDictType.FULL_STATE_DICT, FullStateDictConfig(), FullOptimStateDictConfig(rank0_only=True)
        )
        later.load_state_dict(FSDP.optim_state_dict_to_load(other, later, moments))
    full = network.state_dict()
    other.load_state_dict(full)
    assert all(torch.equal(value, full[name]) for name, value in other.state_dict().items())
    with FSDP.state_dict_type(network, StateDictType.SHARDED_STATE_DICT):
        assert all(("shift" in name) is (type(value) is torch.Tensor) for name, value in network.state_dict().items())
        third = wrapped(seed=6)
        third.load_state_dict(network.state_dict())
        assert FSDP.get_state_dict_type(network).state_dict_type is StateDictType.SHARDED_STATE_DICT
    fourth = torch.optim.AdamW(third.parameters())
    options = StateDictOptions(full_state_dict=True)
    parameters, moments = get_state_dict(network, optimizer, options=options)
    set_state_dict(third, fourth, model_state_dict=parameters, optim_state_dict=deepcopy(moments), options=options)
    for made in (network, other, third):
        made.zero_grad()
        made(torch.ones(2, 5) - rank).sum().backward()
    for stepped in (optimizer, later, fourth):
        stepped.step()
    wanted = network.state_dict()
    for made in (other, third):
        assert all(torch.equal(value, wanted[name]) for name, value in made.state_dict().items())


def half():
    types = MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=torch.float32, buffer_dtype=torch.bfloat16)
    network = wrapped(mixed_precision=types)
    y = network(torch.ones(2, 5))
    assert y.dtype is torch.bfloat16 and network.blocks[0].shift.dtype is torch.bfloat16
    y.sum().backward()
    assert all(p.dtype is p.grad.dtype is torch.float32 for p in network.parameters())
    assert all(value.dtype is torch.float32 for value in network.state_dict().values())


def refused():
    low = MixedPrecision(param_dtype=torch.bfloat16)
    mesh = dist.init_device_mesh("cpu", (2, size // 2))
    for error, options in (
        (RuntimeError, {"device_id": None}),
        (ValueError, {"sharding_strategy": ShardingStrategy.HYBRID_SHARD}),
        (ValueError, {"device_mesh": mesh}),
        (ValueError, {"device_mesh": mesh, "process_group": dist.group.WORLD}),
        (NotImplementedError, {"mixed_precision": MixedPrecision(keep_low_precision_grads=True)}),
        (AssertionError, {"module": nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2).double())}),
        (NotImplementedError, {"module": nn.Sequential(nn.BatchNorm1d(2)), "mixed_precision": low}),
    ):
        try:
            FSDP(**{"module": Network(), "device_id": CPU, "auto_wrap_policy": ModuleWrapPolicy({Block}), **options})
        except error:
            continue
        raise AssertionError(options)


same_as_one_process()
policies()
from_the_first()
whole_parameters()
states()
half()
refused()
sys.stdout.write("passed\n")
dist.destroy_process_group()
