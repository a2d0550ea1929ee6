"""A network that obeys y' = -y."""

import torch
from neurodiffeq import diff
from neurodiffeq.networks import FCNN

torch.manual_seed(0)
net, t = FCNN(1, 1, hidden_units=(8,)), torch.linspace(0, 1, 16, requires_grad=True).unsqueeze(1)
net, t = net.double(), t.double()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(5):
    optimizer.zero_grad()
    y = 1 + t * net(t)
    loss = (diff(y, t) + y).pow(2).mean()
    loss.backward()
    optimizer.step()
    print(loss.item())
