"""Details that PyTorch's own test files look at: values at infinity, errors in their order, memory; on PyTorch too."""

import math
import warnings

import numpy as np
import pytest

inf, nan = math.inf, math.nan


# values


def test_differences_of_infinite_samples(torch):
    x = [2, -2, inf, inf, -inf, -inf, inf, 3, -inf, 2, nan, nan, 3, inf, nan]
    for spacing in (1, 2.0, 0.5):
        (found,) = torch.gradient(torch.tensor(x), spacing=spacing)
        assert np.array_equal(found.numpy(), np.gradient(np.array(x, "f4"), spacing).astype("f4"), equal_nan=True)


@pytest.mark.parametrize("edge_order", [1, 2])
@pytest.mark.parametrize("spacing", [0.3, 2, [0.5, 0.7]])
def test_differences_at_even_spacing(torch, spacing, edge_order):
    x = np.random.default_rng(0).normal(size=(5, 6))
    found = torch.gradient(torch.tensor(x), spacing=spacing, edge_order=edge_order)
    steps = spacing if isinstance(spacing, list) else [spacing]
    for one, expected in zip(found, np.gradient(x, *steps, edge_order=edge_order), strict=True):
        assert np.allclose(one.numpy(), expected)


def test_logarithms_of_sums_of_infinite_complex_numbers(torch):
    x = [complex(-inf, 4), complex(-inf, 1), 1.2 + 2.1j, complex(inf, 0), complex(inf, 1), complex(nan, 2)]
    wanted = [complex(-inf, 0), complex(-inf, 0), 1.2 + 2.1j, complex(inf, 0), complex(inf, math.pi / 4)]
    found = torch.logcumsumexp(torch.tensor(x, dtype=torch.complex128), 0)
    assert np.allclose(found[:5].numpy(), wanted)
    assert np.isnan(found[5].real.item())
    assert np.isnan(found[5].imag.item())


@pytest.mark.parametrize("step", [1449629115440469, 2**53 + 1, 3, 1, -1, -(2**53) - 1])
def test_ranges_of_large_integers(torch, step):
    found = torch.arange(0, 100 * step, step)
    assert found.tolist() == list(range(0, 100 * step, step))


@pytest.mark.parametrize("bounds", [(2**63 - 3, 2**63 - 1, 1000), (-(2**63) + 3, -(2**63), -1000)])
def test_ranges_at_the_ends_of_int64(torch, bounds):
    assert torch.arange(*bounds).tolist() == [bounds[0]]


def test_edges_of_bins_are_evenly_spaced_in_the_type_of_the_points(torch):
    rng = np.random.default_rng(1)
    for count in range(1, 9):
        x = torch.tensor(rng.uniform(-9, 9, 12).astype("f4"))
        edges = torch.histogram(x, count).bin_edges
        assert torch.equal(edges, torch.linspace(x.min().item(), x.max().item(), count + 1))


@pytest.mark.parametrize("density", [False, True])
def test_histograms_of_points_without_coordinates(torch, density):
    counts, edges = torch.histogramdd(torch.zeros(3, 0), [], density=density)
    assert counts.shape == ()
    assert len(edges) == 0
    assert math.isnan(counts.item()) if density else counts.item() == 0


@pytest.mark.parametrize("equal_nan", [False, True])
@pytest.mark.parametrize("name", ["float32", "float8_e5m2", "float8_e4m3fn", "int64", "bool"])
def test_without_tolerance_closeness_is_equality(torch, name, equal_nan):
    numbers = [0.0, 1.0] if name in ("int64", "bool") else [0.0, 1.0, nan]
    x = torch.tensor(numbers).to(getattr(torch, name))
    found = torch.isclose(x, x, rtol=0, atol=0, equal_nan=equal_nan)
    assert found.tolist() == [True, True, equal_nan][: len(numbers)]


# memory


@pytest.mark.parametrize("shape", [(0, 2), (3, 0, 2), (0, 5, 2), (2, 0, 4, 2)])
def test_strides_of_empty_tensors_seen_as_another_type(torch, shape):
    x = torch.empty(shape)
    full = torch.empty([max(n, 1) for n in shape])
    assert torch.view_as_complex(x).stride() == torch.view_as_complex(full).stride()
    for other in (torch.int16, torch.float64, torch.int32, torch.complex64):
        assert x.view(other).stride() == full.view(other).stride()
        assert x.view(other).view(torch.float32).shape == x.shape


LAYOUTS = {
    "dense": lambda t: t.zeros(4, 3, 2),
    "every second": lambda t: t.zeros(4, 3, 2)[:, :, ::2],
    "gaps": lambda t: t.zeros(40).as_strided((4, 3, 2), (10, 3, 1)),
    "expanded": lambda t: t.zeros(4, 1, 2).expand(4, 3, 2),
    "overlapping": lambda t: t.zeros(40).as_strided((4, 3, 2), (10, 1, 1)),
    "equal strides": lambda t: t.zeros(40).as_strided((4, 2, 3), (10, 3, 3)),
}
ORDERS = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("order", ORDERS)
def test_new_tensors_are_laid_out_like_results_of_functions(torch, layout, order):
    x = LAYOUTS[layout](torch).permute(order)
    wanted = torch.exp(x).stride()
    made = [f(x) for f in (torch.empty_like, torch.zeros_like, torch.rand_like, torch.clone)]
    made += [torch.full_like(x, 7), x.to(torch.float64), torch.empty_like(x, dtype=torch.int8)]
    assert {one.stride() for one in made} == {wanted}


@pytest.mark.parametrize("shape", [(2, 2, 1, 2), (1, 2, 2, 2), (2, 2, 2, 1), (1, 2, 2, 1), (1, 2, 1, 2)])
def test_the_order_of_dimensions_in_one_of_two_formats(torch, shape):
    formats = [torch.contiguous_format, torch.channels_last]
    for format, order in zip(formats, [(0, 1, 2, 3), (0, 2, 3, 1)], strict=True):
        x = torch.empty(shape).to(memory_format=format)
        assert x.dim_order(ambiguity_check=formats) == order
        with pytest.raises(RuntimeError, match="unique dim order"):
            x.dim_order(ambiguity_check=True)


# errors


FLOATS = (3.0, 1.0, 2.0, 5.0, 4.0, 6.0)
SHARED = {
    "shift": lambda t, x: x[:2].__ilshift__(x[1:3]),
    "and": lambda t, x: x[:2].bitwise_and_(x[1:3]),
    "gcd": lambda t, x: x[:2].gcd_(x[1:3]),
    "sizes": lambda t, x: x[:2].add_(x[1:4]),
    "operator": lambda t, x: x[:2].__iadd__(x[1:4]),
    "out": lambda t, x: t.gcd(x[1:3], x[1:3], out=x[:2]),
    "out of not": lambda t, x: t.bitwise_not(x[1:3], out=x[:2]),
    "sizes of out": lambda t, x: t.add(x[1:4], x[1:3], out=x[:2]),
    "sizes of out of three": lambda t, x: t.addcmul(x[1:4], x[1:3], x[1:3], out=x[:2]),
    "index": lambda t, x: (k := t.tensor([2, 1, 0])).index_put_((k,), k.clone()),
    "index in brackets": lambda t, x: (k := t.tensor([2, 1, 0])).__setitem__(k, 5),
    "part of an index": lambda t, x: (k := t.tensor([2, 1, 0, 0]))[:3].__setitem__(k[1:], 5),
    "mask": lambda t, x: (k := t.tensor([True, False, True])).index_put_((k,), t.tensor([False, True])),
}


@pytest.mark.parametrize("call", SHARED)
def test_shared_memory_is_named_before_kernels_and_sizes(torch, call):
    with pytest.raises(RuntimeError, match="unsupported operation: some elements"):
        SHARED[call](torch, torch.tensor(FLOATS))


def test_a_mask_takes_one_value_for_itself(torch):
    for value in (False, torch.tensor(False)):
        x = torch.tensor([True, False, True])
        x[x] = value
        assert x.tolist() == [False] * 3


class Sequence:
    """What has a length, and no elements."""

    def __len__(self):
        return 3

    def __getitem__(self, index):
        raise TypeError


def F(torch):
    """The functions of a library's layers."""
    return torch.nn.functional


def in_itself(*before):
    """A list whose last element is the list."""
    found = list(before)
    found.append(found)
    return found


REFUSED = {
    "list in itself": (lambda t: t.tensor(in_itself(0)), TypeError, "self-referential lists"),
    "deeper": (lambda t: t.as_tensor([[1, 2], in_itself(0)]), TypeError, "self-referential lists"),
    "endless": (lambda t: t.tensor(in_itself()), ValueError, "too many dimensions 'list'"),
    "of a type": (lambda t: t.tensor([0, [0]], dtype=t.float32), TypeError, "must be real number, not list"),
    "no elements": (lambda t: t.tensor(Sequence()), ValueError, "could not determine the shape of object type"),
    "no data": (lambda t: t.tensor(), TypeError, '^tensor\\(\\) missing 1 required positional arguments: "data"'),
    "no object": (lambda t: t.asarray(dtype=t.int8), TypeError, '1 required positional arguments: "obj"'),
    "numpy number": (lambda t: t.asarray(np.float64(0.5), copy=False), RuntimeError, "can't alias NumPy scalars"),
    "sizes and more": (lambda t: t.LongTensor((6, 0), 1, 1, 0), TypeError, "invalid combination of arguments"),
    "no integer": (lambda t: t.Tensor(1.5, 2), TypeError, "invalid combination of arguments"),
    "legacy device": (lambda t: t.FloatTensor(2, device="cuda"), RuntimeError, "legacy constructor expects device"),
    "tensor and device": (lambda t: t.Tensor(t.ones(2), device="cpu"), RuntimeError, "torch.Tensor\\(tensor, device"),
    "new": (lambda t: t.ones(2).new(2, device="cuda"), RuntimeError, "legacy constructor expects device"),
    "default": (lambda t: t.set_default_tensor_type(t.cuda.FloatTensor), TypeError, "Torch not compiled with CUDA"),
    "strides": (lambda t: t.empty([0, 4, 2**61]), RuntimeError, "Stride calculation overflowed"),
    "resized": (lambda t: t.empty(()).resize_([0, 4, 2**61]), RuntimeError, "Stride calculation overflowed"),
    "memory": (lambda t: t.empty([5, 4, 2**61]), RuntimeError, "Storage size calculation overflowed"),
    "float sections": (lambda t: t.ones(5).tensor_split(t.tensor(1.1)), RuntimeError, "dtype of long, but got Float"),
    "int sections": (lambda t: t.ones(5).tensor_split(t.tensor([1]).int()), RuntimeError, "of long, but got Int"),
    "matrix": (lambda t: t.ones(5).tensor_split(t.tensor([[1]])), RuntimeError, "but got a tensor with 2 dims"),
    "meta": (lambda t: t.ones(5).tensor_split(t.ones(1, device="meta").long()), RuntimeError, "to be on cpu"),
    "devices": (
        lambda t: t.meshgrid(t.ones(1), t.ones(1, device="meta"), indexing="ij"),
        RuntimeError,
        "same device",
    ),
    "bytes": (lambda t: t.randperm(257, out=t.empty(0, dtype=t.uint8)), RuntimeError, "without overflow"),
    "halves": (lambda t: t.randperm(2050, out=t.empty(0, dtype=t.half)), RuntimeError, "greater than 2049 for Half"),
    "out of normal": (lambda t: t.normal(t.zeros(3), 2.0, out=t.zeros(2)), RuntimeError, "The size of tensor a"),
    "poisson": (lambda t: F(t).poisson_nll_loss(t.ones(3), 1.0), TypeError, "argument 'target' .* must be Tensor"),
    "divergence": (lambda t: F(t).kl_div(t.ones(3), 1.0), TypeError, "argument 'target' .* must be Tensor, not float"),
    "hinge": (lambda t: F(t).hinge_embedding_loss(t.ones(3), 1), TypeError, "argument 'target' .* must be Tensor, not"),
    "types": (lambda t: t.randperm(7, dtype=t.long, out=t.ones(7)), RuntimeError, "does not match dtype of out"),
    "bounds": (lambda t: t.histc(t.tensor([1, 2]), bins=4, min=5, max=1), RuntimeError, "max must be larger"),
    "no bins": (lambda t: t.histc(t.tensor([1, 2]), bins=0), RuntimeError, "bins must be > 0"),
    "type of bins": (lambda t: t.histogram(t.tensor(1), t.tensor(1.0)), RuntimeError, "should have the same dtype"),
    "no edges": (lambda t: t.histogram(t.ones(3), t.ones(0)), RuntimeError, "should have at least 1 element"),
    "long range": (lambda t: t.histogram(t.ones(3), 3, range=(0.0, 1.0, 2.0)), RuntimeError, "should have 2 elements"),
    "wrong range": (lambda t: t.histogram(t.ones(3), 3, range=(1.0, 0.0)), RuntimeError, "min should not exceed max"),
    "infinite": (lambda t: t.histogram(t.tensor([1, inf]), 3), RuntimeError, "range \\[1, inf\\] is not finite"),
    "type of weights": (
        lambda t: t.histogram(t.ones(3), 3, weight=t.ones(3).double()),
        RuntimeError,
        "input tensor and weight tensor should have the same dtype",
    ),
    "few weights": (lambda t: t.histogram(t.ones(3), 3, weight=t.ones(2)), RuntimeError, "the same shape as the input"),
    "a number": (lambda t: t.searchsorted(t.ones(2, 3), 1.0), RuntimeError, "can be a scalar only when boundaries"),
    "sorted by floats": (lambda t: t.searchsorted(t.ones(2), 1.0, sorter=t.ones(2)), RuntimeError, "of long dtype but"),
    "beyond": (lambda t: t.searchsorted(t.ones(2), 1.0, sorter=t.tensor([0, 2])), RuntimeError, "index out of range"),
    "before": (lambda t: t.searchsorted(t.ones(2), 1.0, sorter=t.tensor([-1, 0])), RuntimeError, "index out of range"),
    "sparse": (
        lambda t: t.empty_like(t.ones(2).to_sparse(), memory_format=t.preserve_format),
        RuntimeError,
        "only supported by strided tensors",
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", REFUSED)
def test_what_is_refused(torch, call):
    refused, error, words = REFUSED[call]
    with pytest.raises(error, match=words):
        refused(torch)


def test_sizes_in_tensors_and_arrays(torch):
    for two in (torch.tensor(2), torch.tensor([2]), np.int64(2), np.int16(2)):
        assert torch.Tensor(two, 3).shape == (2, 3)


def test_values_that_are_not_contiguous_are_warned_about(torch):
    x = torch.arange(4.0).reshape(2, 2)
    settled = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match="boundary tensor is non-contiguous"):
            torch.searchsorted(x.t(), x)
        with pytest.warns(UserWarning, match="input value tensor is non-contiguous"):
            torch.searchsorted(x, x.t())
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            torch.searchsorted(x, x)
    finally:
        torch.set_warn_always(settled)
