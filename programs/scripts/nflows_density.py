"""A masked autoregressive flow learns a density."""

import torch
from nflows.distributions import StandardNormal
from nflows.flows import Flow
from nflows.transforms import CompositeTransform, MaskedAffineAutoregressiveTransform, ReversePermutation

torch.manual_seed(0)
flow = Flow(
    CompositeTransform(
        [
            step
            for _ in range(2)
            for step in (
                ReversePermutation(features=2),
                MaskedAffineAutoregressiveTransform(features=2, hidden_features=8),
            )
        ]
    ),
    StandardNormal([2]),
)
optimizer, data = torch.optim.Adam(flow.parameters(), lr=1e-2), torch.randn(32, 2) * torch.tensor([1.0, 0.3]) + 1
for _ in range(5):
    optimizer.zero_grad()
    loss = -flow.log_prob(data).mean()
    loss.backward()
    optimizer.step()
    print(loss.item())
