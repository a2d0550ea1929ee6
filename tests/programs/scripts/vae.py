"""A variational autoencoder, written with torch.distributions, and a Wasserstein critic with a gradient penalty."""

import torch
from torch import nn
from torch.distributions import Bernoulli, Normal, kl_divergence
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(3)
data = torch.bernoulli(torch.sigmoid(torch.randn(200, 3) @ torch.randn(3, 12) * 2))
training, test = random_split(TensorDataset(data), [0.8, 0.2], generator=torch.Generator().manual_seed(42))
batches = DataLoader(training, batch_size=32, shuffle=True)


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(12, 32), nn.ReLU(inplace=True), nn.Linear(32, 4))
        self.decoder = nn.Sequential(nn.Linear(2, 32), nn.ReLU(inplace=True), nn.Linear(32, 12))

    def forward(self, x):
        mean, log_variance = self.encoder(x).chunk(2, dim=-1)
        posterior = Normal(mean, torch.exp(0.5 * log_variance))
        return Bernoulli(logits=self.decoder(posterior.rsample())), posterior


model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
prior = Normal(torch.zeros(2), torch.ones(2))
for epoch in range(5):
    total = 0.0
    for (x,) in batches:
        likelihood, posterior = model(x)
        loss = -likelihood.log_prob(x).sum() + kl_divergence(posterior, prior).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"====> Epoch: {epoch} Average loss: {total / len(training):.4f}")
with torch.no_grad():
    likelihood, posterior = model(torch.stack([x for (x,) in test]))
print(likelihood, posterior)
print(likelihood.entropy().mean(), posterior.mean[:2])

critic = nn.Sequential(nn.Linear(12, 16), nn.Tanh(), nn.Linear(16, 1))
real, fake = data[:16], torch.rand(16, 12)
alpha = torch.rand(16, 1)
between = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
score = critic(between)
(slope,) = torch.autograd.grad(score, between, grad_outputs=torch.ones_like(score), create_graph=True)
penalty = ((slope.norm(2, dim=1) - 1) ** 2).mean()
penalty.backward()
print(penalty, critic[2].weight.grad)
