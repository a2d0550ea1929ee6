"""Rearranging named dimensions, by einops."""

import torch
from einops import einsum, pack, rearrange, reduce, repeat
from einops.layers.torch import Rearrange

x = torch.arange(24.0, requires_grad=True)
y = rearrange(x, "(b h w) -> b h w", b=2, h=3)
z = reduce(y, "b (h 1) w -> b h", "mean") + repeat(torch.ones(2), "b -> b h", h=3)
loss = (einsum(y, y, "b h w, b v w -> h v") ** 2).sum() + z.sum() + Rearrange("b h w -> b (h w)")(y).std()
loss.backward()
print(loss.item(), *x.grad.tolist(), *pack([y, z.unsqueeze(2)], "b h *")[0].sum((0, 1)).tolist())
