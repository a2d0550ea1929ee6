"""Finds three species of iris without labels, by a mixture of normal distributions (scikit-learn's data)."""

from itertools import permutations

from pictures import options, picture, plt
from sklearn.datasets import load_iris

import rushlight as torch
from rushlight.distributions import Categorical, MixtureSameFamily, MultivariateNormal


def main(arguments=None):
    """Fits by gradient descent on the likelihood; returns the share of flowers assigned to their species."""
    chosen = options(__doc__, 300, arguments)
    torch.manual_seed(3)
    values, kinds = load_iris(return_X_y=True)
    x, kinds = torch.tensor(values), torch.tensor(kinds)
    shares = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    means = x[torch.randperm(len(x))[:3]].clone().requires_grad_()
    roots = torch.eye(4, dtype=torch.float64).repeat(3, 1, 1).requires_grad_()

    def mixture():
        lower = roots.tril(-1) + torch.diag_embed(roots.diagonal(dim1=1, dim2=2).abs() + 1e-2)
        return MixtureSameFamily(Categorical(logits=shares), MultivariateNormal(means, scale_tril=lower))

    optimizer = torch.optim.Adam([shares, means, roots], lr=0.03)
    for _ in range(chosen.steps):
        loss = -mixture().log_prob(x).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        found = mixture().component_distribution.log_prob(x[:, None]).add(shares.log_softmax(0)).argmax(1)
    right = max((torch.tensor(names)[found] == kinds).double().mean().item() for names in permutations(range(3)))
    print(f"{right:.0%} of the flowers are with their kind")

    _, axes = plt.subplots(1, 2, figsize=(9, 3.5), sharey=True)
    for axis, colours, title in zip(axes, (kinds, found), ("the three kinds", "the three parts"), strict=True):
        axis.scatter(x[:, 2], x[:, 3], c=colours, s=12)
        axis.set(title=title, xlabel="petal length")
    picture("iris", chosen.output)
    return right


if __name__ == "__main__":
    main()
