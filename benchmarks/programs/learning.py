"""Learning from tables of numbers: neighbours, clusters, components, regressions, factors."""


def nearest_neighbours(torch, n):
    """The labels of n points by a vote among their five nearest neighbours."""
    points, labels, asked = torch.randn(4 * n, 8), torch.randint(0, 5, (4 * n,)), torch.randn(n, 8)

    def step():
        nearest = torch.cdist(asked, points).topk(5, largest=False).indices
        return labels[nearest].mode(1).values

    return step


def k_means(torch, n):
    """Five rounds of Lloyd's algorithm for n points and eight centres."""
    points = torch.randn(n, 4)

    def step():
        centres = points[:8].clone()
        for _ in range(5):
            nearest = torch.cdist(points, centres).argmin(1)
            sums = torch.zeros(8, 4).index_add_(0, nearest, points)
            centres = sums / torch.bincount(nearest, minlength=8).clamp(min=1)[:, None]
        return centres

    return step


def principal_components(torch, n):
    """n points of 16 features seen along their first three components."""
    points = torch.randn(n, 16)

    def step():
        centred = points - points.mean(0)
        _, _, directions = torch.linalg.svd(centred, full_matrices=False)
        return centred @ directions[:3].mT

    return step


def logistic_regression(torch, n):
    """A step of gradient descent for n samples with 10 classes."""
    x, y = torch.randn(n, 20), torch.randint(0, 10, (n,))
    layer = torch.nn.Linear(20, 10)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)

    def step():
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(layer(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return step


def ridge_regression(torch, n):
    """The best weights of n samples by the normal equations, and the gradient of the error in the penalty."""
    x, y, penalty = torch.randn(n, 12), torch.randn(n, 1), torch.tensor(0.1, requires_grad=True)

    def step():
        weights = torch.linalg.solve(x.mT @ x + penalty * torch.eye(12), x.mT @ y)
        return torch.autograd.grad(((x @ weights - y) ** 2).mean(), penalty)

    return step


def matrix_factorization(torch, n):
    """A step towards factors of a table of ratings of which n are known."""
    users, items, ratings = torch.randint(0, 50, (n,)), torch.randint(0, 40, (n,)), torch.rand(n)
    a, b = torch.nn.Embedding(50, 8), torch.nn.Embedding(40, 8)
    optimizer = torch.optim.Adam([*a.parameters(), *b.parameters()], lr=0.01)

    def step():
        optimizer.zero_grad()
        loss = (((a(users) * b(items)).sum(1) - ratings) ** 2).mean()
        loss.backward()
        optimizer.step()
        return loss

    return step


def perceptron(torch, n):
    """A training step of three layers for n samples, with Adam."""
    x, y = torch.randn(n, 32), torch.randn(n, 1)
    nn = torch.nn
    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters())

    def step():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return step


def graph_convolution(torch, n):
    """Two rounds of messages along the edges of a graph of n vertices, with gradients."""
    source, target = torch.randint(0, n, (4 * n,)), torch.randint(0, n, (4 * n,))
    x, labels = torch.randn(n, 16), torch.randint(0, 4, (n,))
    first, second = torch.nn.Linear(16, 16), torch.nn.Linear(16, 4)

    def gather(h):
        return torch.zeros(n, h.shape[1]).index_add(0, target, h[source])

    def step():
        first.zero_grad()
        second.zero_grad()
        out = second(gather(torch.relu(first(gather(x)))))
        loss = torch.nn.functional.cross_entropy(out, labels)
        loss.backward()
        return loss

    return step


PROGRAMS = {
    nearest_neighbours: (20, 200, 1000),
    k_means: (50, 1000, 50_000),
    principal_components: (20, 500, 20_000),
    logistic_regression: (16, 256, 8192),
    ridge_regression: (16, 256, 8192),
    matrix_factorization: (32, 1024, 32_768),
    perceptron: (8, 128, 4096),
    graph_convolution: (20, 500, 10_000),
}
