"""`fully_shard` against one process with the whole batch, and checkpoints for any number of processes."""

import pickle
import sys
from copy import deepcopy

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from side_by_side import Network, train_sharded
from torch import nn
from torch.distributed.checkpoint.format_utils import (
    BroadcastingTorchSaveReader,
    DynamicMetaLoadPlanner,
    dcp_to_torch_save,
    torch_save_to_dcp,
)
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    _init_optim_state,
    get_model_state_dict,
    get_optimizer_state_dict,
    get_state_dict,
    set_model_state_dict,
    set_optimizer_state_dict,
    set_state_dict,
)
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard, register_fsdp_forward_method
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()


def sharded(**options):
    torch.manual_seed(0)
    network = Network()
    for block in network.blocks:
        fully_shard(block, **options)
    return fully_shard(network, **options)


def same_as_one_process():
    for options in ({}, {"reshard_after_forward": False}):
        for micro in (False, True):
            torch.manual_seed(0)
            one, other = Network(), sharded(**options)
            assert all(isinstance(p, DTensor) for p in other.parameters())
            held = sum(p.to_local().numel() for p in other.parameters())
            assert held < sum(p.numel() for p in one.parameters())
            assert all(a.numel() == b.numel() for a, b in zip(one.parameters(), other.parameters(), strict=True))
            far = train_sharded(one, other, micro)
            assert far < 3e-6, (options, micro, far)
            full = get_model_state_dict(other, options=StateDictOptions(full_state_dict=True))
            for name, value in one.state_dict().items():
                assert torch.allclose(value, full[name].reshape(value.shape), atol=3e-6), name


def replicas_of_shards():
    """On a mesh of two dimensions: `size` processes as replicas of shards on half of them, and the other extremes."""
    for shape in {(1, size), (size, 1), (2, size // 2)}:
        mesh = dist.init_device_mesh("cpu", shape, mesh_dim_names=("replicate", "shard"))
        torch.manual_seed(0)
        one, other = Network(), sharded(mesh=mesh["replicate", "shard"])
        assert mesh["shard"].size() == shape[1] and mesh["replicate"].mesh.dtype is torch.int32
        far = train_sharded(one, other, False)
        assert far < 3e-6, (shape, far)


class Scores(nn.Linear):
    def scores(self, x):
        return 2 * nn.functional.linear(x, self.weight, self.bias)


def other_ways_to_call():
    torch.manual_seed(1)
    layer = Scores(3, 2)
    expected = layer.scores(torch.ones(1, 3)).tolist()
    register_fsdp_forward_method(layer, "scores")
    network = fully_shard(layer)
    register_fsdp_forward_method(network, "scores")
    assert network.scores(torch.ones(1, 3)).tolist() == expected
    network.unshard(async_op=True).wait()
    assert network.weight.shape == (2, 3) and not isinstance(network.weight, DTensor)
    network.reshard()
    assert isinstance(network.weight, DTensor)
    network.set_gradient_divide_factor(2.0)
    network(torch.ones(1, 3)).sum().backward()
    assert network.bias.grad.full_tensor().tolist() == [size / 2] * 2


def half():
    network = sharded(mp_policy=MixedPrecisionPolicy(param_dtype=torch.float16, reduce_dtype=torch.float32))
    y = network(torch.randn(4, 5))
    assert y.dtype is torch.float16
    y.sum().backward()
    grads = [p.grad for p in network.parameters() if p.grad is not None]
    last = fully_shard(nn.Linear(5, 1), mp_policy=MixedPrecisionPolicy(torch.float16, output_dtype=torch.float32))
    assert last(torch.ones(1, 5)).dtype is torch.float32
    assert all(grad.dtype is torch.float32 for grad in grads) and len(grads) == len(list(network.parameters())) - 3


def checkpoint(way, folder):
    torch.manual_seed(0)
    network = fully_shard(nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 3)))
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    x = torch.randn(12, 5, generator=torch.Generator().manual_seed(9))

    def step():
        optimizer.zero_grad()
        network(x).square().mean().backward()
        optimizer.step()

    for _ in range(3 if way == "save" else 0):  # an optimizer that has not stepped yet takes the state all the same
        step()
    model, state = get_state_dict(network, optimizer)
    kept = {"model": model, "optimizer": state, "epoch": 7 if way == "save" else 0}
    if way == "save":
        dcp.save(kept, checkpoint_id=folder)
    else:
        dcp.load(kept, checkpoint_id=folder)
        set_state_dict(network, optimizer, model_state_dict=kept["model"], optim_state_dict=kept["optimizer"])
        assert kept["epoch"] == 7
    step()
    step()
    total = sum(p.full_tensor().abs().sum().item() for p in network.parameters())
    if rank == 0:
        print(f"weights sum up to {total:.5f};")
    try:
        dcp.load({"other": torch.zeros(1)}, checkpoint_id=folder)
    except dcp.CheckpointException as error:
        assert "Missing key" in str(error)
    else:
        raise AssertionError("a missing key was not noticed")


def without_memory_first():
    """Made on meta, sharded, then given memory; parameters come together ahead of their use."""
    with torch.device("meta"):
        network = nn.Sequential(nn.Linear(5, 7), nn.ReLU(), nn.Linear(7, 2))
    for layer in (network[0], network[2]):
        fully_shard(layer)
    fully_shard(network)
    network[0].set_modules_to_forward_prefetch([network[2]])
    network[2].set_modules_to_backward_prefetch([network[0]])
    try:
        network[0].set_modules_to_forward_prefetch([network[1]])
    except ValueError as error:
        assert "Expects FSDPModule but got ReLU" in str(error)
    else:
        raise AssertionError("a module that is not sharded was taken")
    network.to_empty(device="cpu")
    for parameter in network.parameters():
        assert isinstance(parameter, DTensor)
        nn.init.ones_(parameter)
    optimizer = torch.optim.SGD(network.parameters(), 0.01)
    loss = network(torch.ones(3, 5)).sum()
    loss.backward()
    optimizer.step()
    assert loss.item() == 3 * 2 * (7 * 6 + 1)
    assert torch.allclose(network[0].weight.full_tensor(), torch.full((7, 5), 0.94))
    assert dist.get_default_backend_for_device("cpu") == "gloo"


def small(device="cpu"):
    torch.manual_seed(2)
    with torch.device(device):
        network = nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 3, bias=False))
    fully_shard(network[0])
    return fully_shard(network)


def step(network, optimizer, seed):
    optimizer.zero_grad()
    network(torch.randn(6, 5, generator=torch.Generator().manual_seed(seed))).square().sum().backward()
    optimizer.step()


def whole(value):
    return value.full_tensor() if isinstance(value, DTensor) else value


def taken_up_tensor_by_tensor(network, optimizer):
    """Whole states, made of DTensors and cut into them again by hand; the new network has no memory before."""
    weights = {name: whole(value).clone() for name, value in network.state_dict().items()}
    states = {
        i: {k: whole(v).clone() for k, v in state.items()} for i, state in optimizer.state_dict()["state"].items()
    }
    other = small("meta")
    rows = {
        name: nn.Parameter(distribute_tensor(weights[name], value.device_mesh, value.placements))
        for name, value in other.state_dict().items()
    }
    for value in rows.values():
        assert isinstance(value, DTensor) and isinstance(value, nn.Parameter) and value.placements == (Shard(0),)
    other.load_state_dict(rows, assign=True)
    again = torch.optim.Adam(other.parameters(), lr=0.01)
    _init_optim_state(again)
    kept = again.state_dict()
    for number, state in kept["state"].items():
        for key, value in state.items():
            full = states[number][key]
            cut = isinstance(value, DTensor)
            state[key] = distribute_tensor(full, value.device_mesh, value.placements) if cut else full
    again.load_state_dict(kept)
    return other, again


def taken_up_from_rank_0(network, optimizer):
    """Whole states that only rank 0 gets, and gives to the others."""
    only_first = StateDictOptions(full_state_dict=True, cpu_offload=True)
    weights = get_model_state_dict(network, options=only_first)
    states = deepcopy(get_optimizer_state_dict(network, optimizer, options=only_first))
    assert bool(weights) == bool(states) == (rank == 0)
    other = small("meta")
    from_first = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    set_model_state_dict(other, weights, options=from_first)
    again = torch.optim.Adam(other.parameters(), lr=0.01)
    set_optimizer_state_dict(other, again, states, options=from_first)
    return other, again


def taken_up():
    for way in (taken_up_tensor_by_tensor, taken_up_from_rank_0):
        network = small()
        optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
        step(network, optimizer, 1)
        other, again = way(network, optimizer)
        for part in ((network, optimizer), (other, again)):
            step(*part, 2)
            step(*part, 3)
        for a, b in zip(network.parameters(), other.parameters(), strict=True):
            assert a is not b and torch.equal(a.full_tensor(), b.full_tensor()), way


def refusals():
    network = small()
    for wrong, words in (
        (lambda: torch.optim.LBFGS(network.parameters()), "LBFGS looks at whole parameters"),
        (lambda: distribute_tensor(torch.ones(2), network[0].weight.device_mesh, [Shard(1)]), "names no dimension"),
        (lambda: StateDictOptions(flatten_optimizer_state_dict=True), "not supported"),
        (lambda: StateDictOptions(broadcast_from_rank0=True), "full_state_dict must be True"),
        (lambda: pickle.dumps(network[0].weight), "cannot pickle a ProcessGroup"),
    ):
        try:
            wrong()
        except (NotImplementedError, ValueError, TypeError, IndexError) as error:
            assert words in str(error), error
        else:
            raise AssertionError(words)


class Renamed(dcp.DefaultLoadPlanner):
    """Fills a state dict whose names in the checkpoint are others."""

    def set_up_planner(self, state_dict, metadata=None, is_coordinator=False):
        super().set_up_planner({f"old.{name}": value for name, value in state_dict.items()}, metadata, is_coordinator)


class Halved(dcp.DefaultSavePlanner):
    def transform_object(self, write_item, object):
        return object / 2 if isinstance(object, torch.Tensor) else object


def beside_and_planned(folder):
    """Written in a thread, while what is written changes already; planned by classes of one's own."""
    square = dist.init_device_mesh("cpu", (2, size // 2))
    whole = torch.arange(35.0).reshape(7, 5)

    def placed(*cuts):
        return distribute_tensor(whole, square, cuts)

    for again in range(2):  # the second takes the first one's place
        kept = {"old": {"a": placed(Shard(0), Shard(1)), "b": placed(Replicate(), Shard(0)), "n": again}}
        future = dcp.async_save(kept, checkpoint_id=folder)
        for part in (kept["old"]["a"], kept["old"]["b"]):
            part.mul_(0)
        future.result()
        dist.barrier()
        taken = {"a": placed(Shard(1), Shard(1)).mul_(0), "b": torch.zeros(7, 5)}
        dcp.load(taken, checkpoint_id=folder, planner=Renamed())
        assert torch.equal(taken["a"].full_tensor(), whole) and torch.equal(taken["b"], whole)
        number = {"old": {"n": None}}
        dcp.load(number, checkpoint_id=folder)
        assert number == {"old": {"n": again}}
        dist.barrier()
    dcp.save({"a": placed(Shard(0), Replicate()), "n": 3}, checkpoint_id=folder, planner=Halved())
    some = {"a": placed(Shard(0), Shard(0)), "missing": torch.ones(1)}
    dcp.load(some, checkpoint_id=folder, planner=dcp.DefaultLoadPlanner(allow_partial_load=True))
    assert torch.equal(some["a"].full_tensor(), whole / 2) and some["missing"].item() == 1
    try:
        dcp.load({"a": torch.zeros(5, 7)}, checkpoint_id=folder)
    except dcp.CheckpointException as error:
        assert "Size mismatch between saved [7, 5] and current: [5, 7] for a" in str(error)
    else:
        raise AssertionError("another shape was taken")


def as_files_of_torch_save(folder):
    """A checkpoint becomes a file of `torch.save`, whole and nested as it was; and a file becomes a checkpoint."""
    file, other = f"{folder}/whole.pt", f"{folder}/other"
    whole = torch.arange(35.0).reshape(7, 5)
    mesh = dist.init_device_mesh("cpu", (size,))

    def placed():
        return {"model": {"a": distribute_tensor(whole, mesh, [Shard(0)])}, "b": [torch.ones(1), torch.ones(())]}

    dcp.save({**placed(), "epochs": [1, {"n": 2}]}, checkpoint_id=folder)
    if rank == 0:
        dcp_to_torch_save(folder, file)
        kept = torch.load(file)
        assert list(kept) == ["model", "b", "epochs"] and kept["epochs"] == [1, {"n": 2}]
        assert torch.equal(kept["model"]["a"], whole) and torch.equal(kept["b"][1], torch.ones(()))
        torch_save_to_dcp(file, other)
    dist.barrier()
    readers = [dcp.FileSystemReader(folder), BroadcastingTorchSaveReader(), BroadcastingTorchSaveReader(file)]
    planners = [None, DynamicMetaLoadPlanner(), DynamicMetaLoadPlanner()]
    for reader, planner, place in zip(readers, planners, [other, file, None], strict=True):
        taken = placed()
        for tensor in (taken["model"]["a"], *taken["b"]):
            tensor.zero_()
        dcp.load(taken, checkpoint_id=place, storage_reader=reader, planner=planner)
        assert torch.equal(taken["model"]["a"].full_tensor(), whole)
        assert torch.equal(taken["b"][0], torch.ones(1)) and taken["b"][1].item() == 1
    few = {"few": distribute_tensor(torch.zeros(1), mesh, [Shard(0)])}  # some processes hold nothing of it
    if rank == 0:
        torch.save({"few": torch.ones(1)}, file)
    dist.barrier()
    dcp.load(few, checkpoint_id=file, storage_reader=BroadcastingTorchSaveReader(), planner=DynamicMetaLoadPlanner())
    assert few["few"].full_tensor().item() == 1
    try:
        dcp.load({"few": 3}, checkpoint_id=file, storage_reader=readers[1], planner=planners[1])
    except RuntimeError as error:
        assert "Non-tensor value identified at few" in str(error)
    else:
        raise AssertionError("a value that is no tensor was taken")


if len(sys.argv) == 2:
    beside_and_planned(sys.argv[1])
    as_files_of_torch_save(sys.argv[1] + "/again")
elif len(sys.argv) > 1:
    checkpoint(*sys.argv[1:])
else:
    same_as_one_process()
    replicas_of_shards()
    other_ways_to_call()
    half()
    without_memory_first()
    taken_up()
    refusals()
print("passed")
