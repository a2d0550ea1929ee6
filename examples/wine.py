"""Which measurements distinguish three wines? A network with gates that a penalty closes (scikit-learn's data)."""

from pictures import options, picture, plt
from sklearn.datasets import load_wine

import rushlight as torch
from rushlight import nn


def main(arguments=None):
    """Trains with a penalty on open gates; returns the accuracy on held-out wines, and the number of open gates."""
    chosen = options(__doc__, 400, arguments)
    torch.manual_seed(0)
    wines = load_wine()
    x = torch.tensor((wines.data - wines.data.mean(0)) / wines.data.std(0), dtype=torch.float32)
    y = torch.tensor(wines.target)
    order = torch.randperm(len(x))
    train, test = order[:120], order[120:]
    gates = torch.full((13,), 2.0, requires_grad=True)
    network = nn.Sequential(nn.Linear(13, 16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = torch.optim.Adam([{"params": network.parameters(), "weight_decay": 1e-3}, {"params": [gates]}], lr=0.02)
    history = []
    for _ in range(chosen.steps):
        scores = network(x[train] * torch.sigmoid(gates))
        loss = nn.functional.cross_entropy(scores, y[train]) + 0.01 * torch.sigmoid(gates).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(torch.sigmoid(gates).detach())
    with torch.no_grad():
        right = (network(x[test] * torch.sigmoid(gates)).argmax(1) == y[test]).float().mean().item()
    still_open = int((torch.sigmoid(gates) > 0.3).sum())
    print(f"{right:.0%} of {len(test)} wines told right, by {still_open} of 13 measures")

    plt.figure(figsize=(8, 4))
    for name, line in zip(wines.feature_names, torch.stack(history).T, strict=True):
        plt.plot(line, label=name if line[-1] > 0.3 else None, color=None if line[-1] > 0.3 else "0.8")
    plt.ylabel("how far a gate is open")
    plt.legend()
    picture("wine", chosen.output)
    return right, still_open


if __name__ == "__main__":
    main()
