"""A chain of small operations, z = (z / x) * y a thousand times on 2x3 float32 tensors: what one operation costs."""

from benchmarks.harness import Workload

LENGTH = 1000


def chain(torch):
    """The chain as a step, with its operands: near 1, so that nothing overflows."""
    torch.manual_seed(0)
    x = (torch.rand(2, 3) + 0.5).requires_grad_()
    y = x.detach().clone().requires_grad_()
    start = torch.ones(2, 3, requires_grad=True)

    def run():
        z = start
        for _ in range(LENGTH):
            z = (z / x) * y
        return z

    return run, (x, y, start)


def recorded(torch):
    """The chain, recorded."""
    return chain(torch)[0]


def with_backward(torch):
    """The chain, recorded and differentiated."""
    run, leaves = chain(torch)

    def step():
        for leaf in leaves:
            leaf.grad = None
        run().sum().backward()

    return step


def without_grad(torch):
    """The chain under no_grad."""
    run, _ = chain(torch)
    return torch.no_grad()(run)


def hips_gradient(autograd):
    """The chain in HIPS autograd, which records only to differentiate."""
    np = __import__("autograd.numpy").numpy
    ones = np.ones((2, 3), np.float32)

    def run(x, y):
        z = ones
        for _ in range(LENGTH):
            z = (z / x) * y
        return np.sum(z)

    gradient = autograd.grad(run, (0, 1))
    return lambda: gradient(ones, ones)


def jax_gradient(jax):
    """The chain in JAX: one loop, compiled with its gradient."""
    ones = jax.numpy.ones((2, 3), "float32")

    def run(x, y):
        return jax.lax.scan(lambda z, _: ((z / x) * y, None), ones, length=LENGTH)[0].sum()

    gradient = jax.jit(jax.grad(run, (0, 1)))
    return lambda: jax.block_until_ready(gradient(ones, ones))


def bare(np):
    """The chain on bare arrays: the floor of what NumPy allows."""
    x = np.ones((2, 3), np.float32)

    def step():
        z = x
        for _ in range(LENGTH):
            z = (z / x) * x
        return z

    return step


WORKLOADS = [
    Workload("chain, recorded", {"rushlight": recorded, "torch": recorded, "numpy": bare}, 2 * LENGTH, 0.5),
    Workload(
        "chain, recorded and backward",
        {"rushlight": with_backward, "torch": with_backward, "autograd": hips_gradient, "jax": jax_gradient},
        2 * LENGTH,
        0.4,
    ),
    Workload("chain under no_grad", {"rushlight": without_grad, "torch": without_grad, "numpy": bare}, 2 * LENGTH),
]
