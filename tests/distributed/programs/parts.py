"""DTensors against ordinary tensors: functions and their gradients, however operands are cut; layers shared out."""

from itertools import product

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_module, distribute_tensor, randn
from torch.distributed.tensor.debug import CommDebugMode
from torch.distributed.tensor.experimental import implicit_replication
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    PrepareModuleInputOutput,
    PrepareModuleOutput,
    RowwiseParallel,
    SequenceParallel,
    loss_parallel,
    parallelize_module,
)
from torch.nn import functional as F

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
line = dist.init_device_mesh("cpu", (size,))

FUNCTIONS = {
    "linear": F.linear,
    "product": lambda x, w, b: x @ w.T + b,
    "elementwise": lambda x, w, b: (x * 2 + x.exp()).sum(0)[None] @ w.mT * b,
    "softmax": lambda x, w, b: torch.softmax(F.linear(x, w, b), -1),
    "mean": lambda x, w, b: F.linear(x, w, b).relu().mean(1),
    "norm": lambda x, w, b: F.layer_norm(F.linear(x, w), (5,), b, b),
    "shapes": lambda x, w, b: F.linear(x, w, b).unsqueeze(0).reshape(35).view(7, 5).transpose(0, 1).flatten(),
    "most": lambda x, w, b: F.linear(x, w, b).max(1).values,
    "join": lambda x, w, b: torch.cat([F.linear(x, w, b), x], 1),
    "where": lambda x, w, b: torch.where(x > 0, x, 0.0).sum() * w.sum(0) * b.mean(),
    "split": lambda x, w, b: torch.stack([part * b.sum() for part in (x @ w.T).chunk(5, 1)]).amax(0),
    "loss": lambda x, w, b: (
        F.cross_entropy(x @ w.T + b, torch.tensor([3]).expand(7).clone())
        if not isinstance(x, DTensor)
        else F.cross_entropy(x @ w.T + b, whole(torch.tensor([3]).expand(7).clone(), x.device_mesh))
    ),
}


def whole(tensor, mesh=line):
    return distribute_tensor(tensor, mesh, [Replicate()] * mesh.ndim)


def same(found, expected, what):
    assert found.shape == expected.shape, (what, found.shape)
    assert torch.allclose(found.full_tensor(), expected, atol=1e-5), what


def check(name, mesh, cuts):
    function = FUNCTIONS[name]
    torch.manual_seed(0)
    given = [torch.randn(7, 6), torch.randn(5, 6), torch.randn(5)]
    ordinary = [tensor.clone().requires_grad_() for tensor in given]
    expected = function(*ordinary)
    cotangent = torch.randn(expected.shape)
    (expected * cotangent).sum().backward()
    parts = [distribute_tensor(tensor, mesh, cut).requires_grad_() for tensor, cut in zip(given, cuts, strict=True)]
    result = function(*parts)
    same(result, expected, (name, cuts))
    (result * whole(cotangent, mesh)).sum().backward()
    for part, tensor in zip(parts, ordinary, strict=True):
        assert (part.grad is None) == (tensor.grad is None)
        if tensor.grad is not None:
            same(part.grad, tensor.grad, (name, cuts, "gradient"))
            assert part.grad.placements == part.placements


def functions():
    ways = (Shard(0), Shard(1), Replicate())
    for name in FUNCTIONS:
        for x, w, b in product(ways, ways, (Shard(0), Replicate())):
            check(name, line, ([x], [w], [b]))
    square = dist.init_device_mesh("cpu", (2, size // 2), mesh_dim_names=("a", "b"))
    for name in FUNCTIONS:
        for x, w in ((ways[:2], ways[1::-1]), (ways[::2], ways[2::-2]), ((Shard(0),) * 2, (Shard(1),) * 2)):
            check(name, square, (x, w, (Replicate(), Shard(0))))


def moves():
    torch.manual_seed(1)
    square = dist.init_device_mesh("cpu", (2, size // 2))
    tensor = torch.randn(5, 3)
    kinds = (Shard(0), Shard(-1), Replicate())
    for before, after in product(product(kinds, kinds), product(kinds, kinds)):
        part = distribute_tensor(tensor, square, before).requires_grad_()
        moved = part.redistribute(placements=after)
        assert [p.is_shard() for p in moved.placements] == [p.is_shard() for p in after]
        same(moved, tensor, (before, after))
        (moved * 3).sum().backward()
        same(part.grad, torch.full((5, 3), 3.0), (before, after))
    term = torch.full((size + 1, 2), float(rank + 1), requires_grad=True)
    for placement, value in ((Partial(), size * (size + 1) / 2), (Partial("avg"), (size + 1) / 2)):
        for goal in (Replicate(), Shard(0)):
            term.grad = None
            total = DTensor.from_local(term, line, [placement]).redistribute(placements=[goal])
            same(total, torch.full((size + 1, 2), value), placement)
            total.sum().backward()
            assert torch.allclose(term.grad, torch.full_like(term, 1.0 if placement == Partial() else 1 / size))
    most = DTensor.from_local(term.detach(), line, [Partial("max")]).full_tensor()
    assert most.max().item() == size
    assert randn(4, 3, device_mesh=line, placements=[Shard(0)]).shape == (4, 3)
    torch.manual_seed(7)
    drawn = randn(4 * size, 3, device_mesh=line, placements=[Shard(0)]).full_tensor()
    torch.manual_seed(7)
    assert torch.equal(drawn, torch.randn(4 * size, 3))


RANDOM = {
    "uniform_": lambda x: x.uniform_(2, 3),
    "normal_": nn.init.normal_,
    "rand_like": torch.rand_like,
    "randn_like": lambda x: torch.randn_like(x, generator=torch.Generator().manual_seed(3)),
    "randint_like": lambda x: torch.randint_like(x, 2, 9),
    "bernoulli": lambda x: torch.bernoulli(x / 2),
    "dropout": lambda x: F.dropout(x, 0.3),
    "dropout in place": lambda x: F.dropout(x, 0.3, inplace=True),
    "alpha_dropout": lambda x: F.alpha_dropout(x, 0.3, training=True),
    "attention": lambda x: F.scaled_dot_product_attention(x, x, x, dropout_p=0.3),
}


def random_numbers():
    """Parts are those of what one process alone draws, and all have drawn as many."""
    for name, function in RANDOM.items():
        torch.manual_seed(7)
        expected, after = function(torch.ones(2 * size + 1, 3)), torch.rand(1)
        for placement in (Shard(0), Shard(1), Replicate()):
            torch.manual_seed(7)
            found = function(distribute_tensor(torch.ones(2 * size + 1, 3), line, [placement]))
            assert torch.equal(torch.rand(1), after), (name, placement)
            same(found, expected, (name, placement))
    terms = DTensor.from_local(torch.ones(3), line, [Partial()])
    torch.manual_seed(7)
    kept = F.dropout(terms).full_tensor()
    torch.manual_seed(7)
    assert torch.equal(kept, F.dropout(torch.full((3,), float(size))))


def in_place_and_told():
    part = distribute_tensor(torch.arange(12.0).reshape(6, 2), line, [Shard(0)])
    part.add_(whole(torch.ones(6, 2))).mul_(2).clamp_(max=20)
    same(part, (torch.arange(12.0).reshape(6, 2) * 2 + 2).clamp(max=20), "in place")
    assert part.size() == part.shape == (6, 2) and part.numel() == 12 and len(part) == 6 and part.stride() == (2, 1)
    assert part.dim() == 2 and part.T.shape == (2, 6) and part.to_local().shape[1] == 2
    assert nn.init.constant_(part, 3.0) is part and part.sum().item() == 36
    for wrong, words in (
        (lambda: part + torch.ones(6, 2), "got mixed torch.Tensor and DTensor"),
        (lambda: part.__setitem__(0, 1.0), "is not supported"),
        (lambda: part.cumsum_(0), "in-place operations that require placement changes"),
        (lambda: DTensor.from_local(part.to_local(), line, [Partial()]).add_(1), "in-place operations"),
        (lambda: distribute_tensor(torch.ones(2), line, [Shard(0), Shard(0)]), "must have the same length"),
    ):
        try:
            wrong()
        except (RuntimeError, ValueError, NotImplementedError) as error:
            assert words in str(error), error
        else:
            raise AssertionError(words)
    with implicit_replication():
        same(part + torch.ones(6, 2), torch.full((6, 2), 4.0), "implicit")


class Block(nn.Module):
    """A block of a transformer; its attention is told how many heads this process has."""

    def __init__(self, heads=4, width=8):
        super().__init__()
        self.heads, self.width = heads, width
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.RMSNorm(width)
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, 12), nn.Linear(12, width)

    def attend(self, x):
        q, k, v = (layer(x).view(*x.shape[:1], -1, self.heads, 2).transpose(1, 2) for layer in (self.q, self.k, self.v))
        return self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(11, 8, padding_idx=2)
        self.blocks = nn.ModuleList([Block(), Block()])
        self.scores = nn.Linear(8, 11)

    def forward(self, x):
        x = self.words(x)
        for block in self.blocks:
            x = block(x)
        return self.scores(x)


def plan_of(network, mesh, sequences):
    along = {"input_layouts": Shard(1)} if sequences else {}
    back = {"output_layouts": Shard(1)} if sequences else {}
    plan = {
        "words": RowwiseParallel(input_layouts=Replicate(), **back),
        "blocks.*.[qkv]": ColwiseParallel(**along),
        "blocks.*.out": RowwiseParallel(**back),
        "blocks.*.up": ColwiseParallel(**along),
        "blocks.*.down": RowwiseParallel(**back),
        "scores": ColwiseParallel(**along, use_local_output=False),
    }
    if sequences:
        plan |= {"blocks.*.norm*": SequenceParallel(use_local_output=True)}
    for block in network.blocks:
        block.heads = 4 // mesh.size()
    return parallelize_module(network, mesh, plan)


def trained(network, mesh, steps=5):
    """The losses of some steps, and the whole parameters after them."""
    optimizer = torch.optim.SGD(network.parameters(), lr=0.3, momentum=0.9)
    generator = torch.Generator().manual_seed(3)
    losses = []
    for _ in range(steps):
        words = torch.randint(11, (2, 8), generator=generator)
        optimizer.zero_grad()
        scores = network(words).flatten(0, 1)
        goal = words.flatten()
        with loss_parallel():
            loss = F.cross_entropy(scores, goal)
        loss.backward()
        losses.append(nn.utils.clip_grad_norm_(network.parameters(), 1.0).item())
        optimizer.step()
        losses.append(loss.item())
    return losses, {n: p.full_tensor() if isinstance(p, DTensor) else p for n, p in network.named_parameters()}


def agree(found, expected):
    assert all(abs(a - b) < 1e-4 for a, b in zip(found[0], expected[0], strict=True)), (found[0], expected[0])
    for name, value in expected[1].items():
        assert torch.allclose(found[1][name], value, atol=1e-4), name


def layers_shared_out():
    torch.manual_seed(5)
    one = Network()
    start = {name: value.clone() for name, value in one.state_dict().items()}
    expected = trained(one, line)
    ways = [(line, False, False)] + ([(line, True, False)] if size in (2, 4) else [])
    square = dist.init_device_mesh("cpu", (size // 2, 2), mesh_dim_names=("dp", "tp"))
    ways.append((square["tp"], True, True))
    for mesh, sequences, sharded in ways:
        network = Network()
        network.load_state_dict(start)
        plan_of(network, mesh, sequences)
        assert network.blocks[0].up.weight.shape == (12, 8)
        assert network.blocks[0].up.weight.to_local().shape == (12 // mesh.size(), 8)
        if sharded:
            for block in network.blocks:
                fully_shard(block, mesh=square["dp"])
            fully_shard(network, mesh=square["dp"])
            cut_twice = next(p for p in network.parameters() if p.placements[0].is_shard())
            assert cut_twice.device_mesh.mesh_dim_names == ("tp", "dp")
        agree(trained(network, mesh), expected)


def prepared_and_distributed():
    x = torch.randn(4, size * 2, generator=torch.Generator().manual_seed(1))
    seen = []

    class Look(nn.Module):
        def forward(self, x, y=None, *, named=None):
            seen.append((x.placements if isinstance(x, DTensor) else None, y, named))
            return x * 2

    mine = x.chunk(size, 1)[rank]
    inward = {"input_layouts": (Shard(1), None), "desired_input_layouts": (Replicate(), None)}
    assert parallelize_module(Look(), line, PrepareModuleInput(**inward))(mine, 3).shape == x.shape
    assert seen[-1] == ((Replicate(),), 3, None)
    outward = {"output_layouts": Shard(1), "desired_output_layouts": Replicate()}
    assert torch.allclose(parallelize_module(Look(), line, PrepareModuleOutput(**outward))(mine), x * 2)
    both = PrepareModuleInputOutput(
        input_layouts=Shard(1),
        desired_input_layouts=Shard(0),
        input_kwarg_layouts={"named": Shard(1)},
        desired_input_kwarg_layouts={"named": Replicate()},
        output_layouts=Shard(0),
        desired_output_layouts=Replicate(),
    )
    assert torch.allclose(parallelize_module(Look(), line, both)(mine, named=mine), x * 2)
    assert seen[-1][0] == (Shard(0),) and seen[-1][2].placements == (Replicate(),)
    layer = distribute_module(nn.BatchNorm1d(3), line)
    assert isinstance(layer.running_mean, DTensor) and layer.weight.placements == (Replicate(),)
    try:
        parallelize_module(nn.Conv2d(1, 1, 1), line, ColwiseParallel())
    except NotImplementedError as error:
        assert "only support nn.Linear and nn.Embedding" in str(error)


def refused(error, words, make):
    try:
        make()
    except error as told:
        assert words in str(told), told
    else:
        raise AssertionError(f"no {error.__name__}: {words}")


def counted():
    """Collectives are counted by PyTorch's operators; the numbers are those of PyTorch 2.13."""
    mode = CommDebugMode()
    functional, c10d = torch.ops.c10d_functional, torch.ops.c10d

    def counts(*calls):
        with mode:
            for call in calls:
                call()
        return mode.get_comm_counts()

    layers = nn.Linear(4, 2 * size), nn.ReLU(), nn.Linear(2 * size, 4)
    plan = {"0": ColwiseParallel(), "2": RowwiseParallel()}
    model = parallelize_module(nn.Sequential(*layers), line, plan)
    part = distribute_tensor(torch.ones(4, 4), line, [Shard(0)])
    sharded = fully_shard(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4)))
    for expected, call in (
        ({functional.all_reduce: 1}, lambda: model(torch.ones(2, 4)).sum().backward()),
        ({functional.all_gather_into_tensor: 1}, part.full_tensor),
        ({functional.all_reduce: 1}, lambda: part.sum().full_tensor()),
        ({c10d.allreduce_: 1}, lambda: dist.all_reduce(torch.ones(1))),
        ({c10d._allgather_base_: 1, c10d._reduce_scatter_base_: 1}, lambda: sharded(torch.ones(2, 4)).sum().backward()),
    ):
        assert counts(call) == expected, (counts(call), expected)
    assert mode.get_total_counts() == 2 and mode.get_comm_counts()[c10d.allreduce_] == 0


def meshes_that_do_not_fit():
    larger = "Mesh should not be bigger than default world size"
    refused(AttributeError, "_cuda_setDevice", lambda: dist.init_device_mesh("cuda", (size,)))
    assert repr(DeviceMesh("cpu", list(range(size)))) == f"DeviceMesh(({size},), 'cpu', stride=(1,))"
    assert repr(dist.init_device_mesh("cpu", (1, size), mesh_dim_names=("dp", "tp"))) == (
        f"DeviceMesh((dp=1, tp={size}), 'cpu', stride=((), 1))"
    )
    refused(AttributeError, "_cuda_setDevice", lambda: DeviceMesh("cuda", list(range(size))))
    refused(
        RuntimeError, f"{larger} {size}, but found {2 * size} ranks!", lambda: dist.init_device_mesh("cuda", (2, size))
    )
    refused(RuntimeError, larger, lambda: DeviceMesh("cpu", list(range(size + 1))))
    refused(RuntimeError, "same length", lambda: dist.init_device_mesh("cpu", (1, size), mesh_dim_names=("a",)))
    refused(RuntimeError, "unique", lambda: dist.init_device_mesh("cpu", (1, size), mesh_dim_names=("a", "a")))


def a_mesh_of_the_first():
    mesh = dist.init_device_mesh("cpu", (size // 2,), mesh_dim_names=("a",))
    if rank >= size // 2:
        assert mesh.get_coordinate() is None
        refused(IndexError, "list index out of range", mesh.get_group)
    else:
        assert mesh.get_coordinate() == (rank,) == (mesh.get_local_rank("a"),)
        x = torch.ones(1)
        dist.all_reduce(x, group=mesh.get_group())
        assert x.item() == size // 2


functions()
moves()
random_numbers()
in_place_and_told()
layers_shared_out()
prepared_and_distributed()
counted()
meshes_that_do_not_fit()
a_mesh_of_the_first()
print("passed")
