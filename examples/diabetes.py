"""The progress of diabetes: a Gaussian process, fitted by its marginal likelihood (scikit-learn's data)."""

from pictures import options, picture, plt
from sklearn.datasets import load_diabetes

import rushlight as torch


def kernel(a, b, scales):
    """The covariance of two sets of patients; each measure has a length scale of its own."""
    return torch.exp(-0.5 * torch.cdist(a / scales, b / scales) ** 2)


def main(arguments=None):
    """Fits the scales; returns the explained share of the variance for held-out patients."""
    chosen = options(__doc__, 60, arguments)
    torch.manual_seed(0)
    values, progress = load_diabetes(return_X_y=True)
    x, y = torch.tensor(values / values.std(0)), torch.tensor((progress - progress.mean()) / progress.std())
    order = torch.randperm(len(x))
    train, test = order[:150], order[150:]
    logs = torch.full((12,), 1.0, dtype=torch.float64, requires_grad=True)  # ten scales, the signal's size, the noise's

    def factor():
        covariance = logs[10].exp() * kernel(x[train], x[train], logs[:10].exp())
        return torch.linalg.cholesky(covariance + (logs[11] - 2).exp() * torch.eye(len(train), dtype=torch.float64))

    optimizer = torch.optim.Adam([logs], lr=0.1)
    losses = []
    for _ in range(chosen.steps):
        root = factor()
        white = torch.linalg.solve_triangular(root, y[train, None], upper=False)
        loss = (white**2).sum() / 2 + root.diagonal().log().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    with torch.no_grad():
        weights = torch.cholesky_solve(y[train, None], factor())
        guess = (logs[10].exp() * kernel(x[test], x[train], logs[:10].exp()) @ weights).squeeze(1)
    explained = (1 - (guess - y[test]).var() / y[test].var()).item()
    print(f"{explained:.0%} of the variance among {len(test)} patients that were left out is explained")

    _, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5))
    left.barh(["age", "sex", "bmi", "pressure", "tc", "ldl", "hdl", "tch", "ltg", "glu"], (-logs[:10]).exp().detach())
    left.set_xlabel("relevance: 1 / scale")
    right.scatter(y[test], guess, s=8)
    right.set(xlabel="measured", ylabel="predicted")
    picture("diabetes", chosen.output)
    return explained


if __name__ == "__main__":
    main()
