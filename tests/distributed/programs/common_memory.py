"""Gradients in memory that processes have in common: sums against NumPy, what is lent again, what happens without."""

import gc
import os
import signal
import sys
from datetime import timedelta

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from torch.nn.parallel import DistributedDataParallel as DDP

from rushlight.distributed import buckets, common_memory

dist.init_process_group("gloo", timeout=timedelta(minutes=5))
rank, size = dist.get_rank(), dist.get_world_size()
WIDE = 300


class Scale(nn.Module):
    """Its gradient is its input."""

    def __init__(self, length, dtype=torch.float32):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(length, dtype=dtype))

    def forward(self, x):
        return (self.weight * x).sum()


def numbers(number, dtype, step=0):
    """What rank `number` has as its gradient."""
    return (np.random.default_rng([number, step]).standard_normal(WIDE * WIDE) * 8).astype(dtype)


def windows():
    made = dist.group.WORLD.windows
    return made.made if made else []


def in_common(model):
    return [bucket.memory is not None for bucket in model.reducer.buckets]


def backward(model, step=0, dtype=np.float32):
    """The gradient of a pass, and what it should be."""
    output = model(torch.from_numpy(numbers(rank, dtype, step)))
    (output.real if output.is_complex() else output).backward()
    given = [numbers(number, dtype, step) / size for number in range(size)]
    return model.module.weight.grad.numpy(), sum(given[1:], start=given[0])


def same_everywhere(array):
    everywhere = [None] * size
    dist.all_gather_object(everywhere, array.tobytes())
    assert everywhere.count(everywhere[0]) == size


def sums_of_all_kinds():
    for kind in (np.float32, np.float64, np.complex64, np.complex128, np.float16):
        model = DDP(Scale(WIDE * WIDE, torch.from_numpy(np.zeros(1, kind)).dtype))
        for step in range(4):
            keeps = step % 2 == 1
            model.zero_grad(set_to_none=not keeps)
            found, expected = backward(model, step, kind)
            same_everywhere(found)
            assert np.allclose(found, expected.conj(), rtol=1e-2 if kind is np.float16 else 1e-5, atol=1e-2), kind
        assert in_common(model) == [kind is not np.float16], kind


def window_of(model):
    (bucket,) = model.reducer.buckets
    return bucket.memory.window


def passed(module):
    """Replicas of a module after a pass; what was let go before has been collected."""
    gc.collect()
    model = DDP(module)
    backward(model)
    return model


def reused():
    model = passed(Scale(WIDE * WIDE))
    first = window_of(model)
    kept = model.reducer.buckets[0].contents().numpy() if rank == 0 else None  # somebody still holds the memory
    del model
    model = passed(Scale(WIDE * WIDE))
    assert window_of(model) != first and len(windows()) == 2
    before = windows()[:]
    del model, kept
    model = passed(Scale(WIDE * WIDE))
    assert window_of(model) == first and windows() == before
    del model
    gc.collect()
    larger = DDP(nn.Linear(2 * WIDE, 2 * WIDE))
    larger(torch.ones(1, 2 * WIDE)).sum().backward()
    assert [window.size for window in windows()] == [2 * larger.reducer.buckets[-1].flat.nbytes]


def views_and_hooks():
    viewed = DDP(Scale(WIDE * WIDE), gradient_as_bucket_view=True)
    found, expected = backward(viewed)
    assert np.allclose(found, expected, atol=1e-5) and in_common(viewed) == [False]
    model = DDP(Scale(WIDE * WIDE))
    backward(model)
    model.register_comm_hook(None, allreduce_hook)
    for step in range(3):
        model.zero_grad()
        found, expected = backward(model, step)
        assert np.allclose(found, expected, atol=1e-5) and in_common(model) == [True]


def uneven():
    model = DDP(Scale(WIDE * WIDE))
    with model.join():
        for step in range(2 + rank):
            model.zero_grad()
            output = model(torch.ones(WIDE * WIDE))
            output.backward()
            going_on = sum(step < 2 + other for other in range(size))
            assert torch.allclose(model.module.weight.grad, torch.full((1,), going_on / size)), step


class Either(nn.Module):
    def __init__(self):
        super().__init__()
        self.sides = nn.ModuleList([Scale(WIDE * WIDE), Scale(WIDE * WIDE)])

    def forward(self, x, side):
        return self.sides[side](x)


def unused():
    model = DDP(Either(), find_unused_parameters=True, bucket_cap_mb=1)
    for step in range(4):
        model.zero_grad()
        model(torch.ones(WIDE * WIDE), 1 if rank == step % size else 0).backward()
        first, second = (side.weight.grad for side in model.module.sides)
        assert torch.allclose(first, torch.full((1,), (size - 1) / size))
        assert torch.allclose(second, torch.full((1,), 1 / size))


def without_space():
    own, common_memory.free_space = common_memory.free_space, lambda: 0 if rank == size - 1 else own()
    model = DDP(Scale(WIDE * WIDE + 1))
    model(torch.full((WIDE * WIDE + 1,), float(rank))).backward()
    assert in_common(model) == [False] and torch.equal(model.module.weight.grad[0], torch.tensor((size - 1) / 2))
    common_memory.free_space = own
    few, buckets.FEW = buckets.FEW, 1
    model = DDP(Scale(WIDE * WIDE))
    found, expected = backward(model)
    assert np.allclose(found, expected, atol=1e-5) and in_common(model) == [False]
    buckets.FEW = few


def ended():
    """A group gives back what nobody uses; what is used outlives it."""
    group = dist.new_group()
    model = DDP(Scale(WIDE * WIDE), process_group=group)
    found, expected = backward(model)
    dist.destroy_process_group(group)
    assert np.allclose(found, expected, atol=1e-5) and len(group.windows.made) == 1
    assert np.isfinite(model.reducer.buckets[0].flat).all()


def lost():
    model = DDP(Scale(WIDE * WIDE))
    backward(model)
    if rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    backward(model)
    print("nobody failed")


def late():
    model = DDP(Scale(WIDE * WIDE))
    backward(model)
    dist.group.WORLD.set_timeout(timedelta(seconds=1))
    if rank == 1:
        signal.pause()
    backward(model)
    print("nobody failed")


if len(sys.argv) > 1:
    {"lost": lost, "late": late}[sys.argv[1]]()
for part in (sums_of_all_kinds, reused, views_and_hooks, uneven, unused, without_space, ended):
    part()
print("passed")
