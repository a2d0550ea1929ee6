"""Networks that people train on a CPU: a recurrent loop, a perceptron, a differential equation, a transformer block."""

from benchmarks.harness import Workload


def both(make):
    """The same code for rushlight and PyTorch."""
    return {"rushlight": make, "torch": make}


def recurrent(torch):
    """50 steps of a recurrent cell written out, hidden size 32, batch 1, with backward."""
    torch.manual_seed(0)
    w = (torch.randn(32, 32) / 8).requires_grad_()
    u = (torch.randn(32, 16) / 4).requires_grad_()
    inputs = [torch.randn(16) for _ in range(50)]

    def step():
        w.grad = u.grad = None
        h = torch.zeros(32)
        for x in inputs:
            h = torch.tanh(w @ h + u @ x)
        (h * h).sum().backward()

    return step


def perceptron(torch):
    """A step of SGD for the document's perceptron: 1000 → 100 → 10, batch 16."""
    nn = torch.nn
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(1000, 100), nn.ReLU(), nn.Linear(100, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    inputs, targets = torch.randn(16, 1000), torch.randn(16, 10)

    def step():
        optimizer.zero_grad()
        (targets - model(inputs)).pow(2).sum().backward()
        optimizer.step()

    return step


def differential_equation(points):
    """A step of Adam for u'' = -u with a network 1-32-32-1 at so many points."""

    def make(torch):
        nn = torch.nn
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        t = torch.linspace(0, 6.28, points).reshape(-1, 1).requires_grad_()

        def step():
            optimizer.zero_grad()
            u = model(t)
            (du,) = torch.autograd.grad(u.sum(), t, create_graph=True)
            (ddu,) = torch.autograd.grad(du.sum(), t, create_graph=True)
            ((ddu + u) ** 2).mean().backward()
            optimizer.step()

        return step

    return make


def transformer_block(torch):
    """A transformer block with backward: batch 4, 64 tokens, width 64, 4 heads."""
    nn, functional = torch.nn, torch.nn.functional
    torch.manual_seed(0)
    project, merge = nn.Linear(64, 192), nn.Linear(64, 64)
    wide, narrow = nn.Linear(64, 256), nn.Linear(256, 64)
    first, second = nn.LayerNorm(64), nn.LayerNorm(64)
    parts = (project, merge, wide, narrow, first, second)
    x = torch.randn(4, 64, 64)

    def block(x):
        heads = project(first(x)).reshape(4, 64, 3, 4, 16).permute(2, 0, 3, 1, 4)
        q, k, v = heads[0], heads[1], heads[2]
        weights = torch.softmax(q @ k.transpose(-1, -2) / 4, -1)
        x = x + merge((weights @ v).transpose(1, 2).reshape(4, 64, 64))
        return x + narrow(functional.gelu(wide(second(x))))

    def step():
        for part in parts:
            part.zero_grad()
        block(x).pow(2).mean().backward()

    return step


WORKLOADS = [
    Workload("recurrent loop, 50 steps, hidden 32", both(recurrent), bound=0.4),
    Workload("perceptron 1000-100-10, batch 16, SGD step", both(perceptron), bound=0.5),
    Workload("u'' = -u, network 1-32-32-1, 64 points, Adam step", both(differential_equation(64)), bound=0.4),
    Workload("u'' = -u, network 1-32-32-1, 1024 points, Adam step", both(differential_equation(1024)), bound=0.6),
    Workload("transformer block, batch 4, 64 tokens, width 64", both(transformer_block), bound=0.7),
]
