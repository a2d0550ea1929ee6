"""Large arrays: elementwise work over a million elements, and a large product of matrices."""

from benchmarks.harness import Workload


def elementwise(torch):
    """(sin a · 2 + 1).tanh() · a over a million elements, summed and differentiated."""
    torch.manual_seed(0)
    a = torch.rand(1000, 1000, requires_grad=True)

    def step():
        a.grad = None
        ((torch.sin(a) * 2 + 1).tanh() * a).sum().backward()

    return step


def elementwise_bare(np):
    """The same by hand, with its derivative."""
    a = np.random.default_rng(0).random((1000, 1000), np.float32)

    def step():
        s = np.sin(a)
        t = np.tanh(s * 2 + 1)
        total = (t * a).sum()
        return total, t + a * (1 - t * t) * 2 * np.cos(a)

    return step


def elementwise_jax(jax):
    """The same in JAX, compiled."""
    a = jax.random.uniform(jax.random.key(0), (1000, 1000))
    numpy = jax.numpy
    gradient = jax.jit(jax.value_and_grad(lambda a: (numpy.tanh(numpy.sin(a) * 2 + 1) * a).sum()))
    return lambda: jax.block_until_ready(gradient(a))


def product(torch):
    """The product of two 1024×1024 matrices, summed and differentiated."""
    torch.manual_seed(0)
    a, b = torch.rand(1024, 1024, requires_grad=True), torch.rand(1024, 1024, requires_grad=True)

    def step():
        a.grad = b.grad = None
        (a @ b).sum().backward()

    return step


WORKLOADS = [
    Workload(
        "(sin a · 2 + 1).tanh() · a, a million elements, backward",
        {"rushlight": elementwise, "torch": elementwise, "jax": elementwise_jax, "numpy": elementwise_bare},
        bound=0.6,
    ),
    Workload("1024×1024 matrix product, sum, backward", {"rushlight": product, "torch": product}, bound=0.6),
]
