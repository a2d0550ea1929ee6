"""A photograph as a function: a network learns the colour at each position (scikit-learn's picture)."""

from pictures import options, picture, plt
from sklearn.datasets import load_sample_image

import rushlight as torch
from rushlight import nn


def main(arguments=None):
    """Trains a network from positions to colours; returns the mean error of a colour, whose values go from 0 to 1."""
    chosen = options(__doc__, 400, arguments)
    torch.manual_seed(0)
    photo = torch.tensor(load_sample_image("china.jpg")[::8, ::8] / 255, dtype=torch.float32)
    height, width, _ = photo.shape
    down, across = torch.meshgrid(torch.linspace(-1, 1, height), torch.linspace(-1, 1, width), indexing="ij")
    places = torch.stack([down, across], 2).reshape(-1, 2)
    waves = 3 * torch.randn(2, 64)
    features = torch.cat([torch.sin(places @ waves), torch.cos(places @ waves)], 1)
    network = nn.Sequential(nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 3), nn.Sigmoid())
    optimizer = torch.optim.Adam(network.parameters(), lr=5e-3)
    colours = photo.reshape(-1, 3)
    for _ in range(chosen.steps):
        batch = torch.randint(0, len(places), (1024,))
        loss = nn.functional.mse_loss(network(features[batch]), colours[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        learned = network(features)
    error = (learned - colours).abs().mean().item()
    print(f"a colour is {error:.3f} off on average")

    _, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2))
    left.imshow(photo)
    right.imshow(learned.reshape(photo.shape))
    picture("photograph", chosen.output)
    return error


if __name__ == "__main__":
    main()
