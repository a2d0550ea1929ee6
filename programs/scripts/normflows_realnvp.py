"""A flow of coupling layers."""

import normflows as nf
import torch

torch.manual_seed(0)
layers = []
for _ in range(2):
    layers += [nf.flows.AffineCouplingBlock(nf.nets.MLP([1, 8, 2], init_zeros=False)), nf.flows.Permute(2, mode="swap")]
model = nf.NormalizingFlow(nf.distributions.DiagGaussian(2, trainable=False), layers)
data = torch.randn(16, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(4):
    optimizer.zero_grad()
    loss = model.forward_kld(data)
    loss.backward()
    optimizer.step()
    print(loss.item())
