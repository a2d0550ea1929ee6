"""float16: sums are added up in float32, averages do not overflow, gradients keep the dtype. Compared with float64."""

import numpy as np
import pytest

import rushlight as torch

F = torch.nn.functional
DRAWN = np.random.default_rng(0).normal(size=(64, 300))
TARGET = torch.from_numpy(np.arange(64) % 300)
FIRST = torch.zeros(300, dtype=torch.int64)  # all to one place
CASES = {
    "sum": lambda x, w: x.sum(0),
    "mean": lambda x, w: x.mean(),
    "mean of large": lambda x, w: (x * 1000).abs().mean(1),
    "cumsum": lambda x, w: x.cumsum(1),
    "var": lambda x, w: x.var(0),
    "norm": lambda x, w: x.norm(),
    "vector_norm": lambda x, w: torch.linalg.vector_norm(x, 3, 1),
    "matmul": lambda x, w: x @ x.T,
    "mse_loss": lambda x, w: F.mse_loss(x * 50, x),
    "l1_loss": lambda x, w: F.l1_loss(x * 1000, -x),
    "cross_entropy": lambda x, w: F.cross_entropy(x, TARGET),
    "poisson_nll_loss": lambda x, w: F.poisson_nll_loss(x, x.abs()),
    "log_softmax": lambda x, w: x.log_softmax(1),
    "layer_norm": lambda x, w: F.layer_norm(x, (300,), w, w),
    "rms_norm": lambda x, w: F.rms_norm(x, (300,), w),
    "group_norm": lambda x, w: F.group_norm(x.view(1, 4, -1), 2),
    "batch_norm": lambda x, w: F.batch_norm(x, None, None, w, w, training=True),
    "instance_norm": lambda x, w: F.instance_norm(x[None]),
    "cumprod": lambda x, w: w[100:200].cumprod(0),
    "logsumexp": lambda x, w: x.logsumexp(1),
    "logcumsumexp": lambda x, w: x.detach().logcumsumexp(1) + 0 * x,
    "index_add": lambda x, w: x.index_add(1, FIRST, x.abs() * 50),
    "scatter_add": lambda x, w: x.scatter_add(1, FIRST.expand(64, 300), x.abs() * 50),
    "scatter_reduce": lambda x, w: x.scatter_reduce(1, FIRST.expand(64, 300), x.abs() * 50, "mean"),
    "index_reduce": lambda x, w: x.index_reduce(1, FIRST, x.abs() * 50, "mean"),
    "indexing": lambda x, w: w[FIRST.repeat(10)].cumsum(0)[::100],
    "index_put": lambda x, w: x.T.index_put((FIRST,), x.T.abs() * 50, accumulate=True),
    "embedding_bag": lambda x, w: F.embedding_bag(TARGET[None], x.abs() * 50),
    "avg_pool": lambda x, w: F.avg_pool1d(x, 150),
    "attention": lambda x, w: F.scaled_dot_product_attention(x[None], x[None], x[None]),
}


def evaluate(name, dtype):
    """The result, and the gradients of the sum of its elements, each times another number."""
    x = torch.from_numpy(DRAWN.astype(np.float16)).to(dtype).requires_grad_()
    w = torch.linspace(0.5, 1.5, 300, dtype=torch.float16).to(dtype).requires_grad_()
    result = CASES[name](x, w)
    factors = torch.linspace(-1, 1, result.numel(), dtype=torch.float16).to(dtype).view(result.shape)
    return result, torch.autograd.grad(result, (x, w), factors, allow_unused=True)


@pytest.mark.parametrize("name", CASES)
def test_digits_and_dtypes(name):
    """As many digits as float16 has, of the result and of gradients, which are of float16 themselves."""
    result, grads = evaluate(name, torch.float16)
    wanted, wanted_grads = evaluate(name, torch.float64)
    for own, exact in zip((result, *grads), (wanted, *wanted_grads), strict=True):
        if own is not None:
            assert own.dtype is torch.float16
            own, exact = own.detach().double().numpy(), exact.detach().numpy()
            assert np.abs(own - exact).max() <= 2e-3 * np.abs(exact).max()


@pytest.mark.parametrize("shape", [(-1,), (31, -1)])
def test_doubles_are_rounded_once(shape):
    """Also the neighbours of what lies between two halves, which are rounded twice by way of float32."""
    every = np.arange(2**16, dtype=np.uint16).view(np.float16)
    halves = np.sort(every[np.isfinite(every)]).astype(np.float64)
    between = (halves[:-1] + halves[1:]) / 2
    special = np.array([np.nan, np.inf, -np.inf, 1e-300, -1e300, 65519.999, 65520.0, -0.0])
    numbers = np.concatenate([between, np.nextafter(between, np.inf), np.nextafter(between, -np.inf), special])
    numbers = numbers[: numbers.size // 31 * 31].reshape(shape)
    found = torch.from_numpy(numbers).half().numpy()
    np.testing.assert_array_equal(found.view(np.uint16), numbers.astype(np.float16).view(np.uint16))
    np.testing.assert_array_equal(torch.from_numpy(found).double().numpy(), found.astype(np.float64))
