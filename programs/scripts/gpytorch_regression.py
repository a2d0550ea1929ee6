"""A Gaussian process fitted to a sine, by GPyTorch."""

import gpytorch
import torch


class Model(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood):
        super().__init__(x, y, likelihood)
        self.mean = gpytorch.means.ConstantMean()
        self.kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))


x = torch.linspace(0, 1, 12).double()
y = (6 * x).sin()
likelihood = gpytorch.likelihoods.GaussianLikelihood()
model = Model(x, y, likelihood).double()
likelihood.double()
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
score = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
for _ in range(10):
    optimizer.zero_grad()
    loss = -score(model(x), y)
    loss.backward()
    optimizer.step()
    print(loss.item())
model.eval()
likelihood.eval()
found = likelihood(model(torch.tensor([0.25, 0.8]).double()))
print(*found.mean.tolist(), *found.variance.tolist())
