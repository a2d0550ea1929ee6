"""Handwritten digits from two numbers each: a variational autoencoder (scikit-learn's data)."""

from pictures import options, picture, plt
from sklearn.datasets import load_digits

import rushlight as torch
from rushlight import nn
from rushlight.distributions import Normal, kl_divergence


def main(arguments=None):
    """Trains encoder and decoder; returns the mean error of a pixel, whose values go from 0 to 1."""
    chosen = options(__doc__, 1500, arguments)
    torch.manual_seed(0)
    pixels, kinds = load_digits(return_X_y=True)
    x = torch.tensor(pixels / 16, dtype=torch.float32)
    encoder = nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 4))
    decoder = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Sigmoid())
    optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=3e-3)
    prior = Normal(torch.zeros(2), torch.ones(2))
    for _ in range(chosen.steps):
        batch = x[torch.randint(0, len(x), (100,))]
        middle, spread = encoder(batch).chunk(2, dim=1)
        code = Normal(middle, spread.exp())
        error = ((decoder(code.rsample()) - batch) ** 2).sum(1)
        loss = (20 * error + kl_divergence(code, prior).sum(1)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        codes = encoder(x)[:, :2]
        error = (decoder(codes) - x).abs().mean().item()
        across, down = torch.meshgrid(torch.linspace(-2, 2, 12), torch.linspace(2, -2, 12), indexing="xy")
        sheet = decoder(torch.stack([across, down], 2).reshape(-1, 2)).reshape(12, 12, 8, 8)
    print(f"a pixel is {error:.3f} off on average")

    _, (left, right) = plt.subplots(1, 2, figsize=(9, 4))
    left.scatter(codes[:, 0], codes[:, 1], c=kinds, cmap="tab10", s=4)
    left.set_title("two numbers for each digit")
    right.imshow(sheet.permute(0, 2, 1, 3).reshape(96, 96), cmap="gray")
    right.set_title("digits for numbers from -2 to 2")
    picture("digits", chosen.output)
    return error


if __name__ == "__main__":
    main()
