"""Policy gradient and Q-learning on a game of guessing a sign; checkpoints, and a target network that follows."""

import copy
import io
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

torch.manual_seed(1)
random.seed(1)
policy = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
baseline = 0.0
checkpoint = io.BytesIO()
for episode in range(31):
    states = torch.randn(64, 4)
    choice = Categorical(logits=policy(states))
    actions = choice.sample()
    rewards = torch.where(actions == (states[:, 0] > 0).long(), 1.0, -1.0)
    loss = -((rewards - baseline) * choice.log_prob(actions)).mean() - 0.01 * choice.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    baseline = 0.9 * baseline + 0.1 * rewards.mean().item()
    if episode % 10 == 0:
        print(f"Episode {episode}\tLoss {loss.item():.4f}\tReward {rewards.mean():.4f}")
    if episode == 20:
        state = {"policy": policy.state_dict(), "optimizer": optimizer.state_dict(), "rng": torch.get_rng_state()}
        torch.save(state, checkpoint)

checkpoint.seek(0)
loaded = torch.load(checkpoint, map_location="cpu", weights_only=True)
print(policy.load_state_dict(loaded["policy"]))
optimizer.load_state_dict(loaded["optimizer"])
torch.set_rng_state(loaded["rng"])
print(torch.rand(3), optimizer.state_dict()["state"][0]["step"])

target = copy.deepcopy(policy).requires_grad_(False)
memory = [(torch.randn(1, 4), torch.tensor([[random.randrange(2)]])) for _ in range(100)]
optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3, amsgrad=True)
for step in range(31):
    states, actions = (torch.cat(column) for column in zip(*random.sample(memory, 32), strict=True))
    rewards = (actions.squeeze(1) == (states[:, 0] > 0)).float()
    q = policy(states).gather(1, actions)
    done = torch.rand(32) < 0.1
    future = torch.zeros(32)
    with torch.no_grad():
        future[~done] = target(states[~done]).max(1).values
    loss = F.smooth_l1_loss(q, (rewards + 0.9 * future).unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(policy.parameters(), 100)
    optimizer.step()
    for kept, new in zip(target.parameters(), policy.parameters(), strict=True):
        kept.data.mul_(0.95).add_(new.data, alpha=0.05)
    if step % 10 == 0:
        print(step, loss.item())
print(target(torch.eye(4)))
