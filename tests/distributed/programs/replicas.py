"""DistributedDataParallel and ZeroRedundancyOptimizer against one process with the whole batch."""

from copy import deepcopy

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms import Join
from torch.distributed.algorithms.ddp_comm_hooks.debugging_hooks import noop_hook
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import bf16_compress_hook, fp16_compress_hook
from torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import PowerSGDState, powerSGD_hook
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.functional import mse_loss
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

dist.init_process_group("mpi")
rank, size = dist.get_rank(), dist.get_world_size()


def network(normalized=False):
    norm = [nn.BatchNorm1d(32)] if normalized else []
    return nn.Sequential(
        nn.Linear(6, 32, bias=not normalized), *norm, nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1)
    )


def twins(normalized=False):
    """The network of one process, and another that begins alike but is to be trained by all."""
    torch.manual_seed(0)
    one = network(normalized)
    torch.manual_seed(rank)  # the broadcast at the start has to make these equal
    other = network(normalized)
    if rank == 0:
        other.load_state_dict(one.state_dict())
    return one, other


def batches(count=50):
    generator = torch.Generator().manual_seed(1)
    for _ in range(count):
        x = torch.randn(8 * size, 6, generator=generator)
        yield x, x.sum(1, keepdim=True)


def farthest(one, other):
    return max((a - b).abs().max().item() for a, b in zip(one.parameters(), other.parameters(), strict=True))


def train(one, other, optimizer, micro=False, set_to_none=True, count=50):
    """Trains one network on the whole batch, the other on this process's part, in two halves with `micro`."""
    first = torch.optim.Adam(one.parameters(), lr=1e-2)
    for x, y in batches(count):
        first.zero_grad()
        mse_loss(one(x), y).backward()
        first.step()
        x, y = x[rank::size], y[rank::size]
        optimizer.zero_grad(set_to_none=set_to_none)
        if micro:
            with other.no_sync():
                (mse_loss(other(x[:4]), y[:4]) / 2).backward()
            (mse_loss(other(x[4:]), y[4:]) / 2).backward()
        else:
            mse_loss(other(x), y).backward()
        optimizer.step()


def same_as_one_process():
    for options in ({}, {"gradient_as_bucket_view": True}, {"static_graph": True}, {"find_unused_parameters": True}):
        for micro, set_to_none in ((False, True), (True, False)):
            one, other = twins()
            other = DDP(other, bucket_cap_mb=0.002, **options)
            train(one, other, torch.optim.Adam(other.parameters(), lr=1e-2), micro, set_to_none)
            assert farthest(one, other) < 2e-6, (options, farthest(one, other))


def with_statistics_of_all():
    one, other = twins(normalized=True)
    other = DDP(nn.SyncBatchNorm.convert_sync_batchnorm(other))
    train(one, other, torch.optim.Adam(other.parameters(), lr=1e-2))
    assert farthest(one, other) < 2e-5, farthest(one, other)
    for name in ("running_mean", "running_var", "num_batches_tracked"):
        assert torch.allclose(getattr(one[1], name), getattr(other.module[1], name), atol=1e-5), name


def with_statistics_of_half_precision():
    x = torch.randn(301, 2, generator=torch.Generator().manual_seed(rank)) + 5
    expected, found = (nn.SyncBatchNorm(2)(x.bfloat16().to(dtype)) for dtype in (torch.float32, torch.bfloat16))
    assert found.dtype is torch.bfloat16 and torch.equal(found, expected.bfloat16())


def state_shared_out():
    one, other = twins()
    other = DDP(other)
    optimizer = ZeroRedundancyOptimizer(other.parameters(), torch.optim.Adam, lr=1e-2)
    train(one, other, optimizer)
    assert farthest(one, other) < 2e-6
    held = torch.tensor(float(len(optimizer.optim.state)))
    dist.all_reduce(held)
    assert held.item() == len(list(other.parameters()))
    optimizer.consolidate_state_dict(to=1)
    if rank == 1:
        fresh = torch.optim.Adam(network().parameters())
        fresh.load_state_dict(optimizer.state_dict())
        assert len(fresh.state) == 6 and fresh.param_groups[0]["lr"] == 1e-2
    again = ZeroRedundancyOptimizer(other.parameters(), torch.optim.Adam, lr=1.0)
    saved = [optimizer.state_dict() if rank == 1 else None]
    dist.broadcast_object_list(saved, src=1)
    again.load_state_dict(saved[0])
    train(one, other, again, count=0)
    assert again.param_groups[0]["lr"] == 1e-2 and len(again.optim.state) == len(optimizer.optim.state)


class Choice(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.never = nn.Linear(2, 1), nn.Linear(2, 1), nn.Linear(2, 1)

    def forward(self, x, left):
        return {"y": self.a(x) if left else self.b(x)}


def unused():
    model = DDP(Choice(), find_unused_parameters=True)
    model(torch.ones(1, 2), left=rank == 0)["y"].sum().backward()
    assert model.module.a.weight.grad.tolist() == [[1 / size] * 2]
    assert torch.allclose(model.module.b.weight.grad, torch.full((1, 2), (size - 1) / size))
    assert model.module.never.weight.grad is None
    strict = DDP(Choice())
    strict(torch.ones(1, 2), left=True)["y"].sum().backward()
    try:
        strict(torch.ones(1, 2), left=True)
    except RuntimeError as error:
        assert "Expected to have finished reduction" in str(error) and "b.bias, b.weight" in str(error)
    else:
        raise AssertionError("unused parameters were not noticed")


def uneven():
    for by_all in (True, False):
        model = DDP(nn.Linear(1, 1, bias=False))
        nn.init.ones_(model.module.weight)
        grads = []
        with model.join(divide_by_initial_world_size=by_all):
            for _ in range(2 + rank):
                model.zero_grad()
                model(torch.ones(1, 1)).sum().backward()
                grads.append(model.module.weight.grad.item())
        assert grads[:2] == [1.0, 1.0], grads
        if rank == size - 1:
            assert abs(grads[-1] - (1 / size if by_all else 1.0)) < 1e-6, grads
    model = DDP(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)))
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, lr=0.1)
    with Join([model, optimizer]):
        for _ in range(2 + rank):
            optimizer.zero_grad()
            model(torch.randn(4, 2)).sum().backward()
            optimizer.step()
    everywhere = [None] * size
    dist.all_gather_object(everywhere, [p.tolist() for p in model.parameters()])
    assert everywhere.count(everywhere[0]) == size
    try:
        with Join([model], throw_on_early_termination=True):
            for _ in range(1 + rank):
                model(torch.randn(4, 2)).sum().backward()
    except RuntimeError as error:
        assert "exhausted inputs" in str(error)
    else:
        raise AssertionError("throw_on_early_termination did not throw")


def data_from_workers():
    """Worker processes are forks of one that MPI runs in: their end is not its end."""
    data = TensorDataset(torch.arange(8.0).reshape(8, 1))
    loader = DataLoader(data, batch_size=2, sampler=DistributedSampler(data, shuffle=False), num_workers=1)
    for _ in range(2):
        seen = torch.cat([batch for (batch,) in loader]).sum()
        dist.all_reduce(seen)
        assert seen.item() == 28


def hooks():
    for compressed in (fp16_compress_hook, bf16_compress_hook):
        model = DDP(nn.Linear(2, 1))
        model.register_comm_hook(None, compressed)
        model(torch.full((1, 2), float(rank))).sum().backward()
        assert torch.allclose(model.module.weight.grad, torch.full((1, 2), (size - 1) / 2))
    seen = []
    model = DDP(nn.Linear(2, 1))

    def zero(state, bucket):
        state.append((bucket.index(), bucket.is_last(), [g.shape for g in bucket.gradients()]))
        done = torch.futures.Future()
        done.set_result(bucket.buffer() * 0)
        return done

    model.register_comm_hook(seen, zero)
    model(torch.ones(1, 2)).sum().backward()
    assert model.module.weight.grad.tolist() == [[0, 0]] and [s for *_, s in seen] == [[(1,), (1, 2)]], seen


def in_low_rank():
    """The average of one row from each process has as many ranks as processes: then it arrives as it is."""
    for options in ({"use_error_feedback": False, "warm_start": False}, {}):
        torch.manual_seed(4)
        plain, compressed = (DDP(deepcopy(layer)) for layer in [nn.Sequential(nn.Linear(20, 30), nn.Linear(30, 4))] * 2)
        state = PowerSGDState(None, size, start_powerSGD_iter=2, min_compression_rate=1, random_seed=5, **options)
        compressed.register_comm_hook(state, powerSGD_hook)
        for turn in range(5):
            x = torch.randn(1, 20, generator=torch.Generator().manual_seed(10 * turn + rank))
            for model in (plain, compressed):
                model.zero_grad()
                model(x).square().sum().backward()
            for a, b in zip(plain.parameters(), compressed.parameters(), strict=True):
                assert torch.allclose(a.grad, b.grad, rtol=1e-3, atol=1e-4), (turn, a.grad, b.grad)
        rate, before, after = state.compression_stats()
        assert before == 3 * 754 and rate == before / after > 1
        lossy = PowerSGDState(None, start_powerSGD_iter=2, min_compression_rate=1)
        model = DDP(deepcopy(plain.module))
        model.register_comm_hook(lossy, powerSGD_hook)
        for _ in range(3):
            model.zero_grad()
            model(torch.randn(40, 20)).square().sum().backward()
        lost = [error.abs().max().item() for error in lossy.error_dict.values()]
        assert lost and min(lost) > 0  # is added to the next gradient
        grads = [None] * size
        dist.all_gather_object(grads, [p.grad for p in model.parameters()])
        assert all(torch.equal(a, b) for other in grads for a, b in zip(other, grads[0], strict=True))


def without_communication():
    model = DDP(nn.Linear(1, 1, bias=False))
    model.register_comm_hook(None, noop_hook)
    model(torch.full((1, 1), float(rank))).sum().backward()
    assert model.module.weight.grad.item() == rank


def communicating_callbacks():
    """What a hook does with a sum may communicate: that happens in the same order in all processes."""
    model = DDP(nn.Sequential(*(nn.Linear(8, 8, bias=False) for _ in range(12))), bucket_cap_mb=0.0001)
    model.register_comm_hook(None, twice_summed)
    for _ in range(20):
        model.zero_grad()
        model(torch.ones(1, 8)).sum().backward()
        expected = torch.autograd.grad(model.module(torch.ones(1, 8)).sum(), list(model.parameters()))
        for p, grad in zip(model.parameters(), expected, strict=True):
            assert torch.allclose(p.grad, grad * size * (p.grad.numel() == 64), rtol=1e-4)


def twice_summed(_, bucket):
    def again(done):
        total = done.value()[0] / size
        dist.all_reduce(total)
        return total

    return dist.all_reduce(bucket.buffer(), async_op=True).get_future().then(again)


def copied_and_left_alone():
    torch.manual_seed(rank)
    module = nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1))
    module[0].bias.data.fill_(rank)
    DDP._set_params_and_buffers_to_ignore_for_model(module, ["0.bias", "1.running_mean"])
    module[1].running_mean.fill_(rank)
    mesh = dist.init_device_mesh("cpu", (size,))
    model = DDP(module, device_mesh=mesh, forward_sync_buffers=False)
    model._set_static_graph()
    other = deepcopy(model)
    for ddp in (model, other):
        assert ddp.module[0].bias.item() == rank and ddp.module[1].running_mean.item() == rank
        ddp(torch.tensor([[1.0 + rank], [0.0]])).square().sum().backward()
    same = [None] * size
    dist.all_gather_object(same, [p.grad for p in (model.module[0].weight, other.module[0].weight)])
    assert all(torch.equal(a, same[0][0]) for both in same for a in both)
    assert torch.equal(model.module[0].bias.grad, other.module[0].bias.grad)
    assert other.module[0].weight is not model.module[0].weight


def sparse_gradients():
    torch.manual_seed(0)
    one = nn.Sequential(nn.Embedding(9, 3, sparse=True), nn.Linear(3, 1))
    other = DDP(deepcopy(one))
    optimizers = [torch.optim.SGD(model.parameters(), lr=0.1) for model in (one, other)]
    for step in range(10):
        words = (torch.arange(4 * size) * (step + 2)) % 7
        for model, optimizer, seen in zip((one, other), optimizers, (words, words[rank::size]), strict=True):
            optimizer.zero_grad()
            model(seen).square().mean().backward()
            optimizer.step()
    assert other.module[0].weight.grad.is_sparse
    assert farthest(one, other) < 1e-6
    table = nn.Embedding(9, 3)
    late = DDP(table)
    table.sparse = True
    try:
        late(torch.tensor([rank])).sum().backward()
    except RuntimeError as error:
        assert "sparse=True" in str(error)
    else:
        raise AssertionError("a sparse gradient in a flat bucket")


def refusals():
    layer, mesh = nn.Linear(1, 1), dist.init_device_mesh("cpu", (1, size))
    for wrong, words in (
        (lambda: DDP(nn.ReLU()), "not needed"),
        (lambda: DDP(layer, device_ids=[0]), "CPU"),
        (lambda: DDP(layer, device_mesh=mesh), "Only 1D device mesh"),
        (lambda: DDP(layer, device_mesh=mesh, process_group=dist.group.WORLD), "Cannot specify both"),
        (lambda: DDP(layer, bucket_cap_mb_list=[1]), "bucket_cap_mb_list is not supported"),
        (lambda: PowerSGDState(None, start_powerSGD_iter=1), "`start_powerSGD_iter` > 1"),
    ):
        try:
            wrong()
        except (RuntimeError, ValueError) as error:
            assert words in str(error)
        else:
            raise AssertionError(words)


for part in (
    same_as_one_process,
    with_statistics_of_all,
    with_statistics_of_half_precision,
    state_shared_out,
    unused,
    uneven,
    data_from_workers,
    hooks,
    in_low_rank,
    without_communication,
    communicating_callbacks,
    copied_and_left_alone,
    sparse_gradients,
):
    part()
refusals()
print("passed")
