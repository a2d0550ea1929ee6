"""A network in one process with the whole batch, and another that is shared out, trained beside each other."""

from contextlib import contextmanager
from functools import partial

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.functional import mse_loss


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 2 * width + 1), nn.Linear(2 * width + 1, width)
        self.scale = nn.Parameter(torch.tensor(1.0))
        self.never = nn.Parameter(torch.ones(3))

    def forward(self, x):
        return x + self.scale * self.down(torch.tanh(self.up(self.norm(x))))


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(5, 7), nn.Linear(7, 1)
        self.blocks = nn.ModuleList([Block(7) for _ in range(3)])

    def forward(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = block(x)
        return self.last(x)


def train(one, other, clip, apart=None, steps=50):
    """Trains one network on whole batches, the other on this process's parts of them; norms of gradients are alike.

    `clip` clips the other's gradients by their norm; in a context of `apart` they are not averaged.
    """
    rank, size = dist.get_rank(), dist.get_world_size()
    first, second = (torch.optim.AdamW(network.parameters(), lr=1e-2) for network in (one, other))
    generator = torch.Generator().manual_seed(3)
    for _ in range(steps):
        x = torch.randn(8 * size, 5, generator=generator)
        y = x.sum(1, keepdim=True)
        first.zero_grad()
        mse_loss(one(x), y).backward()
        norm = nn.utils.clip_grad_norm_(one.parameters(), 0.5)
        first.step()
        x, y = x[rank::size], y[rank::size]
        second.zero_grad()
        if apart is None:
            mse_loss(other(x), y).backward()
        else:
            with apart():
                (mse_loss(other(x[:4]), y[:4]) / 2).backward()
            (mse_loss(other(x[4:]), y[4:]) / 2).backward()
        assert abs(clip(0.5) - norm) < 1e-4
        second.step()


def train_sharded(one, other, micro):
    """The same for a network of `fully_shard`; gives how far apart the parameters are at most."""

    @contextmanager
    def apart():
        other.set_requires_gradient_sync(False)
        yield
        other.set_requires_gradient_sync(True)

    clip = partial(nn.utils.clip_grad_norm_, list(other.parameters()))
    train(one, other, clip, apart if micro else None)
    return max(
        (a - b.full_tensor()).abs().max().item() for a, b in zip(one.parameters(), other.parameters(), strict=True)
    )
