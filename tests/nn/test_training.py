"""Whole trainings: seeded as PyTorch, they go PyTorch's way, loss by loss. Every test holds for PyTorch too."""

import numpy as np
import pytest

# The losses of the first 12 steps in PyTorch 2.13.
CONVOLUTIONAL = [
    1.48053,
    1.42686,
    1.59538,
    1.48487,
    0.857442,
    0.640341,
    0.793797,
    0.646122,
    0.427779,
    0.472608,
    0.453056,
    0.399973,
]
RECURRENT = [1.43132, 1.41117, 1.3906, 1.41996, 1.32464, 1.38833, 1.10853, 1.65972, 1.3422, 1.21609, 1.39532, 1.18697]


def images(torch):
    """Noise with a bright row that says the class."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, 48)
    pixels = rng.standard_normal((48, 1, 8, 8)).astype(np.float32)
    pixels[np.arange(48), 0, 2 * labels] += 2
    return torch.utils.data.TensorDataset(torch.tensor(pixels), torch.tensor(labels))


def train(torch, network, dataset, optimizer, scheduler=None, epochs=3):
    """The losses of all steps."""
    loader = torch.utils.data.DataLoader(dataset, batch_size=12, shuffle=True)
    loss_function = torch.nn.CrossEntropyLoss()
    losses = []
    for _ in range(epochs):
        for inputs, targets in loader:
            optimizer.zero_grad()
            loss = loss_function(network(inputs), targets)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
            optimizer.step()
            losses.append(loss.item())
        if scheduler is not None:
            scheduler.step()
    return losses


def test_convolutional_network(torch):
    torch.manual_seed(0)
    network = torch.nn.Sequential(
        torch.nn.Conv2d(1, 8, 3, padding=1),
        torch.nn.BatchNorm2d(8),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Dropout(0.2),
        torch.nn.Flatten(),
        torch.nn.Linear(128, 4),
    )
    optimizer = torch.optim.AdamW(network.parameters(), lr=0.01)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 3)
    losses = train(torch, network, images(torch), optimizer, scheduler)
    assert losses == pytest.approx(CONVOLUTIONAL, rel=1e-4)
    network.eval()
    with torch.no_grad():
        inputs, targets = images(torch)[:]
        assert (network(inputs).argmax(1) == targets).sum().item() > 40


def test_recurrent_network(torch):
    class Network(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.rows = torch.nn.LSTM(8, 10, batch_first=True)
            self.head = torch.nn.Linear(10, 4)

        def forward(self, x):
            _, (hidden, _) = self.rows(x.squeeze(1))
            return self.head(hidden[-1])

    torch.manual_seed(0)
    network = Network()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.5, momentum=0.9)
    losses = train(torch, network, images(torch), optimizer)
    assert losses == pytest.approx(RECURRENT, rel=1e-3)
