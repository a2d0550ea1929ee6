"""Programs of statistics and decisions: probabilities, reinforcement learning, fits."""


def gaussian_process(torch, n):
    """The gradient of the marginal likelihood of n points."""
    x, y = torch.rand(n, 1, dtype=torch.float64), torch.randn(n, dtype=torch.float64)
    logs = torch.zeros(3, dtype=torch.float64, requires_grad=True)

    def step():
        length, scale, noise = logs.exp()
        kernel = scale * torch.exp(-0.5 * (x - x.T) ** 2 / length**2)
        root = torch.linalg.cholesky(kernel + (noise + 1e-6) * torch.eye(n, dtype=torch.float64))
        solved = torch.cholesky_solve(y[:, None], root)[:, 0]
        return torch.autograd.grad(0.5 * y @ solved + root.diagonal().log().sum(), logs)

    return step


def gaussian_mixture(torch, n):
    """Three rounds of expectation and maximization for n points and four parts."""
    x = torch.randn(n, 2)

    def step():
        means, spreads, weights = x[:4].clone(), torch.ones(4, 2), torch.full((4,), 0.25)
        for _ in range(3):
            normal = torch.distributions.Normal(means, spreads)
            logs = normal.log_prob(x[:, None]).sum(2) + weights.log()
            parts = torch.softmax(logs, 1)
            total = parts.sum(0)
            means = (parts.T @ x) / total[:, None]
            spreads = ((parts[..., None] * (x[:, None] - means) ** 2).sum(0) / total[:, None] + 1e-3).sqrt()
            weights = total / n
        return means

    return step


def hamiltonian_sampling(torch, n):
    """A path of ten leapfrog steps through a posterior of a regression with n samples."""
    x, y = torch.randn(n, 5), torch.randn(n)

    def slope(w):
        w = w.detach().requires_grad_()
        return torch.autograd.grad(((x @ w - y) ** 2).sum() / n + (w**2).sum(), w)[0]

    def step():
        w, momentum = torch.zeros(5), torch.randn(5)
        for _ in range(10):
            momentum = momentum - 0.005 * slope(w)
            w = w + 0.01 * momentum
            momentum = momentum - 0.005 * slope(w)
        return w

    return step


def variational_inference(torch, n):
    """The gradient of a bound by reparametrized samples for n observations."""
    data = torch.randn(n)
    mean, log_scale = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    D = torch.distributions

    def step():
        guess = D.Normal(mean, log_scale.exp())
        w = guess.rsample((10,))
        bound = D.Normal(w, 1.0).log_prob(data).sum(1) - D.kl_divergence(guess, D.Normal(0.0, 1.0))
        return torch.autograd.grad(-bound.mean(), (mean, log_scale))

    return step


def policy_gradient(torch, n):
    """A step of REINFORCE with n choices among four."""
    nn = torch.nn
    model = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 4))
    optimizer, seen = torch.optim.Adam(model.parameters()), torch.randn(n, 4)

    def step():
        choices = torch.distributions.Categorical(logits=model(seen))
        chosen = choices.sample()
        loss = -(choices.log_prob(chosen) * seen.gather(1, chosen[:, None])[:, 0]).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    return step


def q_learning(torch, n):
    """A step of Q-learning on n moves."""
    nn = torch.nn
    model, target = (nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 3)) for _ in range(2))
    optimizer = torch.optim.Adam(model.parameters())
    seen, then, reward, chosen = torch.randn(n, 6), torch.randn(n, 6), torch.randn(n), torch.randint(0, 3, (n, 1))

    def step():
        with torch.no_grad():
            goal = reward + 0.9 * target(then).max(1).values
        loss = nn.functional.smooth_l1_loss(model(seen).gather(1, chosen)[:, 0], goal)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss

    return step


def normalizing_flow(torch, n):
    """The gradient of the likelihood of n points under four coupling layers."""
    nn = torch.nn
    nets = nn.ModuleList([nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 4)) for _ in range(4)])
    x = torch.randn(n, 4)

    def step():
        nets.zero_grad()
        z, total = x, 0
        for net in nets:
            a, b = z.chunk(2, 1)
            scale, shift = net(a).chunk(2, 1)
            z, total = torch.cat((b * torch.tanh(scale).exp() + shift, a), 1), total + torch.tanh(scale).sum(1)
        loss = (0.5 * z**2).sum(1).mean() - total.mean()
        loss.backward()
        return loss

    return step


def quasi_newton(torch, n):
    """Ten steps of L-BFGS on Rosenbrock's function of n numbers."""

    def step():
        x = torch.zeros(n, requires_grad=True)
        optimizer = torch.optim.LBFGS([x], max_iter=10)

        def closure():
            optimizer.zero_grad()
            loss = (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()
            loss.backward()
            return loss

        return optimizer.step(closure)

    return step


PROGRAMS = {
    gaussian_process: (10, 60, 400),
    gaussian_mixture: (30, 1000, 50_000),
    hamiltonian_sampling: (20, 1000, 50_000),
    variational_inference: (20, 1000, 50_000),
    policy_gradient: (8, 256, 8192),
    q_learning: (8, 256, 8192),
    normalizing_flow: (8, 256, 8192),
    quasi_newton: (10, 1000, 100_000),
}
