"""Differential equations, signal processing and image processing."""


def orbit_fit(torch, n):
    """The gradient of a fit of an oscillator's two numbers to its path: 20 steps of Runge and Kutta for n starts."""
    numbers, start = torch.tensor([1.0, 0.1], requires_grad=True), torch.randn(n, 2)

    def slope(state):
        x, v = state.unbind(1)
        return torch.stack((v, -numbers[0] * x - numbers[1] * v), 1)

    def step():
        state, h = start, 0.05
        for _ in range(20):
            a = slope(state)
            b = slope(state + h / 2 * a)
            c = slope(state + h / 2 * b)
            d = slope(state + h * c)
            state = state + h / 6 * (a + 2 * b + 2 * c + d)
        return torch.autograd.grad((state**2).mean(), numbers)

    return step


def neural_equation(torch, n):
    """A training step of an equation whose right side is a network: 10 steps of Euler for n starts."""
    nn = torch.nn
    model = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
    optimizer, start = torch.optim.Adam(model.parameters()), torch.randn(n, 2)

    def step():
        optimizer.zero_grad()
        state = start
        for _ in range(10):
            state = state + 0.1 * model(state)
        loss = ((state - 1) ** 2).mean()
        loss.backward()
        optimizer.step()
        return loss

    return step


def physics_network(torch, n):
    """A training step of a network that solves u'' = -u at n places: second derivatives."""
    nn = torch.nn
    model = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))
    optimizer, places = torch.optim.Adam(model.parameters()), torch.linspace(0, 3, n)[:, None]

    def step():
        optimizer.zero_grad()
        x = places.detach().requires_grad_()
        u = model(x)
        (du,) = torch.autograd.grad(u.sum(), x, create_graph=True)
        (ddu,) = torch.autograd.grad(du.sum(), x, create_graph=True)
        loss = ((ddu + u) ** 2).mean()
        loss.backward()
        optimizer.step()
        return loss

    return step


def wave(torch, n):
    """The gradient, in the first state, of 10 steps of the wave equation on a grid of side n."""
    first = torch.randn(n, n, requires_grad=True)
    kernel = torch.tensor([[0.0, 1, 0], [1, -4, 1], [0, 1, 0]])[None, None]

    def step():
        before = now = first[None, None]
        for _ in range(10):
            then = 2 * now - before + 0.1 * torch.nn.functional.conv2d(now, kernel, padding=1)
            before, now = now, then
        return torch.autograd.grad((now**2).sum(), first)

    return step


def heat(torch, n):
    """20 steps of the heat equation on a grid of side n by slices."""
    start = torch.rand(n, n)

    def step():
        u = start.clone()
        for _ in range(20):
            u[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
        return u

    return step


def many_bodies(torch, n):
    """The forces between n bodies from their energy, in five steps."""
    start = torch.randn(n, 3)

    def step():
        x, v = start, torch.zeros(n, 3)
        for _ in range(5):
            x = x.detach().requires_grad_()
            distance = ((x[:, None] - x) ** 2).sum(2) + 0.1
            (force,) = torch.autograd.grad((1 / distance.sqrt()).sum(), x)
            v = v + 0.01 * force
            x = x + 0.01 * v
        return x

    return step


def spectral_filter(torch, n):
    """The gradient of a filter of a signal of length n in frequencies."""
    signal, goal = torch.randn(n), torch.randn(n)
    weights = torch.ones(n // 2 + 1, requires_grad=True)

    def step():
        made = torch.fft.irfft(torch.fft.rfft(signal) * weights, n)
        return torch.autograd.grad(((made - goal) ** 2).mean(), weights)

    return step


def registration(torch, n):
    """The gradient of laying one image of side n over another by an affine map."""
    moving, fixed = torch.rand(1, 1, n, n), torch.rand(1, 1, n, n)
    turn = torch.tensor([[[1.0, 0, 0.1], [0, 1, 0]]], requires_grad=True)
    F = torch.nn.functional

    def step():
        grid = F.affine_grid(turn, moving.shape, align_corners=False)
        seen = F.grid_sample(moving, grid, align_corners=False)
        return torch.autograd.grad(F.mse_loss(seen, fixed), turn)

    return step


PROGRAMS = {
    orbit_fit: (1, 100, 10_000),
    neural_equation: (1, 100, 10_000),
    physics_network: (10, 100, 5000),
    wave: (8, 64, 256),
    heat: (10, 100, 1000),
    many_bodies: (5, 50, 400),
    spectral_filter: (64, 1000, 100_000),
    registration: (8, 64, 512),
}
