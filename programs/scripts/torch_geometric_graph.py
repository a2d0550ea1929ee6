"""A convolution on a graph."""

import torch
from torch_geometric.nn import GCNConv

torch.manual_seed(0)
layer, edges = GCNConv(3, 2), torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
x = torch.arange(9.0).reshape(3, 3)
out = layer(x, edges)
out.pow(2).sum().backward()
print(*out.flatten().tolist(), layer.lin.weight.grad.norm().item())
