"""Inference of a mean, by Pyro."""

import pyro
import pyro.distributions as dist
import torch
from pyro.infer import SVI, Trace_ELBO
from pyro.infer.autoguide import AutoNormal

pyro.set_rng_seed(0)
data = torch.tensor([1.0, 1.2, 0.8])


def model():
    mean = pyro.sample("mean", dist.Normal(0.0, 1.0))
    with pyro.plate("data", 3):
        pyro.sample("x", dist.Normal(mean, 0.5), obs=data)


steps = SVI(model, AutoNormal(model), pyro.optim.Adam({"lr": 0.05}), Trace_ELBO())
for _ in range(5):
    print(steps.step())
