"""Derivatives of functions: Jacobian and Hessian of tanh(Wx) with a 64×64 matrix."""

from benchmarks.harness import Workload


def jacobian(torch):
    """The Jacobian of tanh(Wx), by `autograd.functional`'s defaults."""
    torch.manual_seed(0)
    w, x = torch.randn(64, 64) / 8, torch.randn(64)
    return lambda: torch.autograd.functional.jacobian(lambda x: torch.tanh(w @ x), x)


def hessian(torch):
    """The Hessian of the sum of tanh(Wx), by `autograd.functional`'s defaults."""
    torch.manual_seed(0)
    w, x = torch.randn(64, 64) / 8, torch.randn(64)
    return lambda: torch.autograd.functional.hessian(lambda x: torch.tanh(w @ x).sum(), x)


def hessian_by_func(torch):
    """The same Hessian by `func.hessian`."""
    torch.manual_seed(0)
    w, x = torch.randn(64, 64) / 8, torch.randn(64)
    return lambda: torch.func.hessian(lambda x: torch.tanh(w @ x).sum())(x)


def hessian_jax(jax):
    """The same Hessian in JAX, compiled."""
    w = jax.random.normal(jax.random.key(0), (64, 64)) / 8
    x = jax.random.normal(jax.random.key(1), (64,))
    compiled = jax.jit(jax.hessian(lambda x: jax.numpy.tanh(w @ x).sum()))
    return lambda: jax.block_until_ready(compiled(x))


WORKLOADS = [
    Workload("functional.jacobian of tanh(Wx), 64", {"rushlight": jacobian, "torch": jacobian}, bound=0.3),
    Workload(
        "functional.hessian of tanh(Wx), 64",
        {"rushlight": hessian, "torch": hessian, "jax": hessian_jax},
        bound=0.3,
    ),
    Workload("func.hessian of tanh(Wx), 64", {"rushlight": hessian_by_func, "torch": hessian_by_func}, bound=1.0),
]
