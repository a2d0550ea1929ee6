"""Which breast tumours are malignant, and how certain is that? Bayesian logistic regression (scikit-learn's data)."""

from pictures import options, picture, plt
from sklearn.datasets import load_breast_cancer

import rushlight as torch
from rushlight.distributions import Bernoulli, MultivariateNormal, Normal


def main(arguments=None):
    """Fits by Newton's method, draws from the posterior; returns the accuracy on held-out patients."""
    chosen = options(__doc__, 15, arguments)
    torch.manual_seed(0)
    values, classes = load_breast_cancer(return_X_y=True)
    x = torch.tensor((values - values.mean(0)) / values.std(0))
    x = torch.cat([x, torch.ones(len(x), 1)], 1)
    y = torch.tensor(classes, dtype=torch.float64)
    order = torch.randperm(len(x))
    train, test = order[:400], order[400:]

    def log_density(w):
        return Normal(0.0, 1.0).log_prob(w).sum() + Bernoulli(logits=x[train] @ w).log_prob(y[train]).sum()

    w = torch.zeros(31, dtype=torch.float64)
    for _ in range(chosen.steps):
        curvature = torch.func.hessian(log_density)(w)
        w = w - torch.linalg.solve(curvature, torch.func.grad(log_density)(w))
    draws = MultivariateNormal(w, precision_matrix=-curvature).sample((500,))
    chances = torch.sigmoid(x[test] @ draws.T)
    middle = chances.mean(1)
    right = ((middle > 0.5) == (y[test] > 0.5)).double().mean().item()
    print(f"{right:.1%} of {len(test)} patients that were left out are told right")

    rank = middle.argsort()
    low, high = torch.quantile(chances[rank], torch.tensor([0.05, 0.95], dtype=torch.float64), dim=1)
    plt.fill_between(torch.arange(len(test)), low, high, alpha=0.3, label="90 % of the posterior")
    plt.scatter(torch.arange(len(test)), y[test][rank], s=8, c=y[test][rank], label="benign (1) or malign (0)")
    plt.plot(middle[rank], label="chance of benign")
    plt.xlabel("patients")
    plt.legend()
    picture("tumours", chosen.output)
    return right


if __name__ == "__main__":
    main()
