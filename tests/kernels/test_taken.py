"""Each compiled kernel takes the calls that it is made for: plain float32 tensors never come to its NumPy form instead.

A kernel that refuses a call gives None or False, and the NumPy form goes on with the same result: no other test tells.
"""

import inspect

import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels.casts import meet_bfloat16
from rushlight.kernels.compiled import load, names
from rushlight.nn import functional as F

APART = ("alignment", "blas", "groups", "sharing", "ufuncs", "walker")  # kernels with tests of their own
SILENT = {  # functions that give nothing: what does not suit them is not given to them
    *(f"streams.{name}" for name in ("normal", "uniform", "integers", "permutation", "pairs", "below", "set_twister")),
    *(f"streams.{name}_numbers" for name in ("exponential", "cauchy", "geometric")),
    *("streams.paired_normals", "streams.uniform_between"),
    *("rejection.poisson", "rejection.binomial", "rejection.gamma"),
    *("convolution.products", "contractions.contractions", "taps.add"),
    *("casts.know_upper", "steps.count_up", "steps.evenly"),
}


def x(*shape):
    """A leaf of random numbers."""
    made = np.random.default_rng(0).standard_normal(shape or (8, 8), np.float32)
    return torch.from_numpy(made).requires_grad_()


def i(high, *shape):
    """Indices below a number."""
    return torch.from_numpy(np.random.default_rng(0).integers(0, high, shape))


def back(y):
    """The backward pass of a result, with a cotangent that has elements of its own."""
    y.backward(torch.full_like(y, 0.5) * 1)


def convolved():
    """Images as a convolution leaves them: many samples lie innermost in memory."""
    return F.conv2d(x(16, 3, 32, 32), x(8, 3, 3, 3))


def step():
    """A step of an optimizer."""
    weight = x()
    weight.grad = weight.detach() * 2
    torch.optim.SGD([weight]).step()


CALLS = {
    "accumulate.are_indices": lambda: back(F.embedding(i(8, 5), x())),
    "accumulate.add_rows": lambda: back(F.embedding(i(8, 5), x())),
    "accumulate.add_along": lambda: back(x().gather(1, i(8, 8, 8))),
    "averages.divided": lambda: back(F.adaptive_avg_pool2d(x(2, 3, 8, 8), 3)),
    "averages.means": lambda: F.avg_pool2d(x(2, 3, 8, 8), 3, 2, 1),
    "averages.shares": lambda: back(F.avg_pool2d(x(2, 3, 8, 8), 3, 2, 1)),
    "bounds.bounded": lambda: x().clamp(-1, 1),
    "bounds.bound": lambda: x().detach().clamp_(-1, 1),
    "bounds.passed": lambda: back(x(300, 300).clamp(-1, 1)),
    "channels.standardized": lambda: F.batch_norm(x(4, 3, 8, 8), None, None, training=True),
    "channels.cotangents": lambda: back(F.batch_norm(x(4, 3, 8, 8), None, None, training=True)),
    "channels.move": lambda: F.batch_norm(x(4, 3, 8, 8), torch.zeros(3), torch.ones(3), training=True),
    "convolution.products": lambda: F.conv2d(x(4, 16, 16, 16), x(16, 16, 3, 3)),
    "contractions.contractions": lambda: back(F.conv2d(x(16, 16, 16, 16), x(8, 16, 3, 3))),
    "columns.moved": lambda: back(F.unfold(x(2, 3, 8, 8), 3)),
    "cumulative.cumulative_sum": lambda: back(x().cumsum(1)),
    "cumulative.cumulative_product": lambda: x().cumprod(1),
    "cumulative.cumulative_extreme": lambda: x().cummax(1),
    "cumulative.recurrence": lambda: back(x().cumprod(1)),
    "distances.distances": lambda: torch.cdist(x(), x()),
    "distances.euclidean": lambda: torch.cdist(x(30, 3), x(30, 3)),
    "distances.pair_distances": lambda: torch.pdist(x()),
    "distances.cotangents": lambda: back(torch.cdist(x(), x(5, 8))),
    "elimination.determinants": lambda: torch.linalg.det(x(5, 3, 3)),
    "elimination.solved": lambda: torch.linalg.inv(x(5, 3, 3)),
    "entropy.are_classes": lambda: F.cross_entropy(x(), i(8, 8)),
    "entropy.cross_entropy": lambda: F.cross_entropy(x(), i(8, 8)),
    "entropy.cross_entropy_cotangent": lambda: back(F.cross_entropy(x(), i(8, 8))),
    "entropy.pick": lambda: F.nll_loss(x(), i(8, 8)),
    "entropy.put": lambda: back(F.nll_loss(x(), i(8, 8))),
    "gathering.rows_of": step,
    "gelu.gelu": lambda: F.gelu(x()),
    "gelu.gelu_cotangent": lambda: back(F.gelu(x())),
    "gemm.product": lambda: x() @ x(),
    "casts.complex_of": lambda: torch.complex(x(), x()),
    "casts.know_upper": lambda: meet_bfloat16(x().bfloat16()._array.dtype),
    "casts.convert": lambda: x(4, 8, 8).permute(1, 0, 2).half(),
    "casts.converted": lambda: x(300, 300).half(),
    "implicit.gamma_slopes": lambda: back(torch._standard_gamma(x().exp())),
    "implicit.beta_slopes": lambda: back(torch._sample_dirichlet(x().exp())),
    "lapack.lu": lambda: torch.linalg.lu_factor(x()),
    "lapack.lu_solution": lambda: back(torch.linalg.solve(x(20, 20), x(20, 3))),
    "lapack.solution": lambda: torch.linalg.solve(x(20, 20), x(20, 3)),
    "lapack.inverse": lambda: torch.linalg.inv(x(20, 20)),
    "lapack.triangular_solution": lambda: torch.linalg.solve_triangular(x(), x(), upper=True),
    "lapack.cholesky": lambda: torch.linalg.cholesky(torch.eye(20)),
    "lapack.definite_solution": lambda: torch.cholesky_solve(x(), torch.eye(8)),
    "lapack.definite_inverse": lambda: torch.cholesky_inverse(torch.eye(8)),
    "lapack.ldl": lambda: torch.linalg.ldl_factor(torch.eye(8)),
    "lapack.ldl_solution": lambda: torch.linalg.ldl_solve(*torch.linalg.ldl_factor(torch.eye(8)), x().detach()),
    "lapack.qr": lambda: torch.linalg.qr(x()),
    "lapack.least_squares": lambda: torch.linalg.lstsq(x(), x()),
    "lapack.eigh": lambda: torch.linalg.eigh(torch.eye(8)),
    "lapack.eig": lambda: torch.linalg.eig(torch.eye(8)),
    "layouts.transposed": lambda: back(F.batch_norm(convolved(), None, None, training=True).flatten(1)),
    "log_sums.log_sums": lambda: x().logsumexp(1),
    "maps.mapped": lambda: F.interpolate(x(2, 3, 8, 8), scale_factor=2, mode="bilinear"),
    "margins.are_listed": lambda: F.multilabel_margin_loss(x(), i(8, 8, 8)),
    "margins.margins": lambda: back(F.multi_margin_loss(x(), i(8, 8))),
    "maxima.divided": lambda: F.adaptive_max_pool2d(x(2, 3, 8, 8), 3),
    "maxima.largest": lambda: F.max_pool2d(x(8, 8, 3, 2).permute(3, 2, 0, 1), 2),
    "maxima.slid": lambda: (F.max_pool2d(x(2, 3, 8, 8), 2), F.max_pool1d(x(2, 3, 8), 2)),
    "masks.places": lambda: torch.nonzero(x() > 0),
    "masks.scattered": lambda: x().masked_scatter(x() > 0, x()),
    "maxima.fractional": lambda: F.fractional_max_pool2d(x(2, 3, 8, 8), 2, 3),
    "moments.moments": lambda: x().var(1),
    "moves.assigned": lambda: x(600, 600).clone(),
    "moves.copied": lambda: torch.unfold_copy(x(), 1, 4, 1),
    "moves.flipped": lambda: x().flip(1),
    "moves.rolled": lambda: x().roll(1, 1),
    "moves.joined": lambda: torch.stack([x(), x()], 1),
    "pads.padded": lambda: F.pad(x(), (1, 2), mode="reflect"),
    "pads.unpadded": lambda: back(F.pad(x(), (1, 2), mode="reflect")),
    "picking.taken": lambda: x().gather(1, i(8, 8, 8)),
    "picking.put": lambda: x().scatter_add(1, i(8, 8, 8), x()),
    "products.dot": lambda: torch.dot(x(64), x(64)),
    "products.matvec": lambda: x() @ x(8),
    "products.outer": lambda: (back(x() @ x(8)), torch.addr(x(), x(8), x(8))),
    "products.add_row": lambda: F.linear(x(), x(), x(8)),
    "products.sum_rows": lambda: back(F.linear(x(40, 40), x(40, 40), x(40))),
    "ranking.extreme": lambda: x().argmax(1),
    "ranking.first": lambda: x(300, 300).topk(3),
    "recurrent.forward": lambda: torch.nn.LSTM(8, 8)(x()),
    "recurrent.backward": lambda: back(torch.nn.GRU(8, 8)(x())[0]),
    "reductions.total": lambda: x(300, 300).sum(),
    "reductions.along": lambda: x(300, 300).sum(1),
    "elimination.cholesky": lambda: torch.linalg.cholesky(torch.eye(3).expand(4, 3, 3).clone()),
    "whole_reductions.total": lambda: (x(300, 300) > 0).sum(),
    "whole_reductions.along": lambda: torch.ones(300, 300, dtype=torch.int64).amax(1),
    "rejection.poisson": lambda: torch.poisson(x().exp()),
    "rejection.binomial": lambda: torch.binomial(torch.full((9,), 20.0), torch.full((9,), 0.4)),
    "rejection.gamma": lambda: torch._standard_gamma(x().exp()),
    "sampling.sampled": lambda: F.grid_sample(x(2, 3, 8, 8), x(2, 5, 5, 2), align_corners=False),
    "sampling.returned": lambda: back(F.grid_sample(x(2, 3, 8, 8), x(2, 5, 5, 2), align_corners=False)),
    "segments.reduced": lambda: torch.segment_reduce(x(), "sum", lengths=i(8, 2) * 0 + 4),
    "segments.spread": lambda: back(torch.segment_reduce(x(), "sum", lengths=i(8, 2) * 0 + 4)),
    "softmax.has_numbers": lambda: F.scaled_dot_product_attention(x(), x(), x(), is_causal=True),
    "sorting.keys": lambda: x().sort(1),
    "sorting.settled": lambda: x().argsort(0),
    "softmax.softmax": lambda: x().softmax(1),
    "softmax.softmax_cotangent": lambda: back(x().softmax(1)),
    "standardize.normalized": lambda: F.layer_norm(x(), (8,), x(8), x(8)),
    "standardize.cotangents": lambda: back(F.layer_norm(x(), (8,), x(8), x(8))),
    "steps.fill": lambda: torch.full((300, 300), 2.0),
    "steps.count_up": lambda: torch.arange(1000.0),
    "steps.evenly": lambda: torch.linspace(0, 1, 10),
    "steps.integers": lambda: torch.arange(10),
    "streams.normal": lambda: torch.randn(100),
    "streams.uniform": lambda: torch.rand(100),
    "streams.integers": lambda: torch.randint(9, (100,)),
    "streams.permutation": lambda: torch.randperm(100),
    "streams.pairs": lambda: torch.rand(3).half().log_normal_(),
    "streams.paired_normals": lambda: torch.randn(3),
    "streams.uniform_between": lambda: torch.rand(100).uniform_(-2, 3),
    "streams.exponential_numbers": lambda: torch.rand(100).exponential_(),
    "streams.cauchy_numbers": lambda: torch.rand(100).cauchy_(),
    "streams.geometric_numbers": lambda: torch.rand(100).geometric_(0.5),
    "streams.below": lambda: torch.rand(100).bernoulli_(0.5),
    "streams.below_each": lambda: torch.bernoulli(torch.rand(100)),
    "streams.twister": lambda: torch.default_generator.snapshot(),
    "streams.set_twister": lambda: torch.default_generator.rewind(torch.default_generator.snapshot()),
    "streams.multiplied_and_added": lambda: torch.rand(100).half().log_normal_(),
    "streams.logarithm": lambda: torch.rand(100).half().geometric_(0.5),
    "streams.logarithm_beyond_one": lambda: torch.rand(100).half().exponential_(),
    "streams.exponential": lambda: torch.rand(100).half().log_normal_(),
    "streams.tangent": lambda: torch.rand(100).half().cauchy_(),
    "taps.add": lambda: F.conv1d(x(1, 1, 8), x(1, 1, 3)),
    "spectra.inner": lambda: back(torch.linalg.svd(x()).U),
    "triangles.part": lambda: x().tril(),
    "triangles.indices": lambda: torch.tril_indices(5, 5),
    "triangles.mirrored": lambda: back(torch.linalg.cholesky(torch.eye(8).requires_grad_())),
    "updates.change": step,
    "ranking.place_in_rows": lambda: x().median(),
    "ranking.most_frequent": lambda: x(3, 4).mode(1),
    "ranking.among": lambda: torch.isin(i(8, 8), i(8, 3)),
    "ranking.places_in": lambda: torch.bucketize(x(), torch.tensor([0.1, 0.5])),
    "triangles.trace": lambda: x(3, 3).trace(),
    "windows.address": lambda: x().data_ptr(),
    "windows.inferred": lambda: x(4, 6).reshape(3, -1),
    "windows.reshaped": lambda: x(4, 6).view(3, 8),
    "windows.expanded": lambda: x(1, 6).expand(3, 6),
    "windows.diagonal": lambda: x(3, 3).diagonal(),
    "windows.compact": lambda: x().as_strided((3, 3), (2, 1)).clone(),
    "windows.laid_over": lambda: x().as_strided((3, 3), (2, 1)),
}


def there(name):
    """Whether a kernel was compiled, and is made for this CPU."""
    return load(name) is not None and getattr(load(name), "AVAILABLE", True)


def test_each_function_of_a_kernel_has_its_call():
    functions = {
        f"{name}.{function}"
        for name in names()
        if name not in APART and load(name) is not None
        for function, value in vars(load(name)).items()
        if inspect.isroutine(value) or type(value).__name__ == "cython_function_or_method"
        if value.__module__ == load(name).__name__ and not function.startswith("_")
    }
    assert functions <= set(CALLS)
    assert {name.partition(".")[0] for name in CALLS} <= set(names())


@pytest.mark.parametrize("function", CALLS)
def test_a_kernel_takes_what_it_is_made_for(monkeypatch, function):
    kernel, _, name = function.partition(".")
    if not there(kernel):
        pytest.skip("the kernel was not compiled, or is not for this CPU")
    given, original = [], getattr(load(kernel), name)

    def noted(*args):
        given.append(original(*args))
        return given[-1]

    monkeypatch.setattr(load(kernel), name, noted)
    CALLS[function]()
    assert given, f"{function} was not asked"
    if function not in SILENT:
        assert all(result is not None and result is not False for result in given), f"{function} refused"
