"""Pipelines of stages against one process with the whole model."""

import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe, pipe_split, pipeline
from torch.distributed.pipelining.microbatch import TensorChunkSpec
from torch.nn.functional import mse_loss
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()


class Layer(nn.Module):
    """A layer that passes two tensors on, one of which takes no part in the gradient."""

    def __init__(self, number):
        super().__init__()
        self.number, self.linear = number, nn.Linear(4, 4)

    def forward(self, x, count=None):
        count = torch.zeros(len(x), dtype=torch.int64) if count is None else count
        x = torch.tanh(self.linear(x))
        return x if self.number == size - 1 else (x, count + 1)


def layers():
    torch.manual_seed(0)
    return nn.ModuleList([Layer(number) for number in range(size)])


def whole(model, x):
    values = (x,)
    for layer in model:
        values = values if isinstance(values, tuple) else (values,)
        values = layer(*values)
    return values


def stage(model):
    return PipelineStage(model[rank], rank, size, torch.device("cpu"))


def same_as_one_process(schedule, parts):
    one, model = layers(), layers()
    first, second = torch.optim.Adam(one.parameters()), torch.optim.Adam(model[rank].parameters())
    steps = schedule(stage(model), parts, loss_fn=mse_loss)
    generator = torch.Generator().manual_seed(1)
    for _ in range(10):
        x, target = torch.randn(2, 16, 4, generator=generator)
        first.zero_grad()
        expected = whole(one, x)
        loss = mse_loss(expected, target)
        loss.backward()
        first.step()
        second.zero_grad()
        losses = []
        output = steps.step(*([x] if rank == 0 else []), target=target if rank == size - 1 else None, losses=losses)
        second.step()
        if rank == size - 1:
            assert torch.allclose(output, expected, atol=1e-6) and len(losses) == parts
            assert torch.allclose(torch.stack(losses).mean(), loss, atol=1e-6)
        else:
            assert output is None and not losses
        for ours, theirs in zip(model[rank].parameters(), one[rank].parameters(), strict=True):
            assert torch.allclose(ours, theirs, atol=1e-6)
    before = [p.grad.clone() for p in model[rank].parameters()]
    output = steps.eval(*([x] if rank == 0 else []), target=target if rank == size - 1 else None, losses=losses)
    assert all(torch.equal(p.grad, old) for p, old in zip(model[rank].parameters(), before, strict=True))
    if rank == size - 1:
        assert torch.allclose(output, whole(one, x), atol=1e-6) and not output.requires_grad


def without_a_loss():
    model = layers()
    steps = ScheduleGPipe(stage(model), 4, args_chunk_spec=TensorChunkSpec.from_tuple((0,)) if rank == 0 else None)
    x = torch.randn(7, 4, generator=torch.Generator().manual_seed(2))
    output = steps.step(*([x] if rank == 0 else []))
    if rank == size - 1:
        assert torch.allclose(output, whole(model, x), atol=1e-6) and output.shape == (7, 4)


def refused():
    model = layers()
    for error, words, call in (
        (ValueError, "Stage index", lambda: PipelineStage(model[0], size, size, "cpu")),
        (RuntimeError, "Pipeline group size", lambda: PipelineStage(model[0], 0, 1, "cpu")),
        (NotImplementedError, "in order", lambda: PipelineStage(model[0], rank, size + 1, "cpu")),
        (
            NotImplementedError,
            "all_reduce",
            lambda: PipelineStage(DistributedDataParallel(model[0]), rank, size, "cpu"),
        ),
        (ValueError, "Number of microbatches", lambda: Schedule1F1B(stage(model), size - 1)),
        (NotImplementedError, "PipelineStage", lambda: pipeline(model, ())),
        (NotImplementedError, "PipelineStage", pipe_split),
    ):
        try:
            call()
        except error as found:
            assert words in str(found), found
        else:
            raise AssertionError(words)
    with torch.no_grad():
        try:
            ScheduleGPipe(stage(model), 2, loss_fn=mse_loss).step(torch.ones(2, 4))
        except RuntimeError as found:
            assert "call eval()" in str(found)


for kind in (ScheduleGPipe, Schedule1F1B):
    for number in (size, 2 * size):
        same_as_one_process(kind, number)
without_a_loss()
refused()
sys.stdout.write("passed\n")
dist.destroy_process_group()
