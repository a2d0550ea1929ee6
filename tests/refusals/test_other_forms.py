"""Calls in PyTorch's other forms: NumPy's names, names of its signatures, orders of its first years."""

import warnings
from importlib import import_module

import numpy as np
import pytest

import rushlight

FORMS = """
torch.cat([x, x], axis=0)
torch.stack([x, x], axis=1)
x.split(split_size=1)
torch.add(x1=x, x2=x)
torch.sub(x1=x, x2=x)
torch.div(x1=x, x2=x, rounding_mode="floor")
torch.addcmul(x, 2, x, x)
x.addcmul(2, x, x)
x.clone().addcmul_(2, x, x)
torch.addcdiv(x, 2, x, x)
x.clone().addcdiv_(-0.5, x, x)
torch.add(x, 2, x)
x.add(2, x)
x.clone().add_(2, x)
torch.sub(x, 2, x)
x.clone().sub_(0.5, x)
torch.baddbmm(2, b, b, b)
torch.addmm(2, x, 3, x, x)
torch.addmm(2, x, x, x)
x.addmm(2, 3, x, x)
x.clone().addmm_(2, x, x)
torch.addmm(2, x, mat1=x, mat2=x)
torch.addmm(2, x, 3, x, mat2=x)
torch.addmm(2, x, x, x, out=torch.empty_like(x))
torch.addmm(input=x, mat1=x, mat2=x)
x.addmm(2, mat1=x, mat2=x)
torch.addmv(2, v, mat=x, vec=v)
torch.baddbmm(2, b, batch1=b, batch2=b)
torch.addmv(2, v, 3, x, v)
torch.addr(2, x, 3, v, v)
torch.addbmm(2, x, 3, b, b)
x.clone().resize_(4, memory_format=torch.contiguous_format)
torch.squeeze(x, axis=0)
torch.unsqueeze(x, axis=0)
torch.swapaxes(x, axis0=0, axis1=1)
torch.gather(x, axis=0, index=i)
torch.index_select(x, axis=0, index=i[0])
torch.chunk(x, 2, axis=0)
torch.unbind(x, axis=0)
torch.select(x, axis=0, index=0)
torch.narrow(x, axis=0, start=0, length=1)
torch.inverse(input=d)
torch.det(input=d)
torch.matrix_power(input=d, n=2)
torch.isin(elements=x, test_element=1.0)
torch.isin(element=1.0, test_elements=x)
torch.hsplit(x, indices=[1])
torch.hsplit(x, sections=2)
torch.tensor_split(x, sections=2)
torch.tensor_split(x, indices=[1])
torch.swapdims(x, dim0=0, dim1=1)
torch.argsort(x, stable=True, dim=0)
torch.where(condition=x > 2, input=x, other=0.0)
torch.trapezoid(y=x, x=x * x)
torch.trapz(y=x, x=x * x, dim=0)
torch.cumulative_trapezoid(y=x, x=x * x)
torch.cholesky_inverse(input=d)
torch.cholesky_solve(input=d, input2=d)
d.cholesky_solve(input2=d)
torch.triangular_solve(input=d, A=d)[0]
torch.special.chebyshev_polynomial_t(x=x, n=x)
torch.special.airy_ai(x=x)
torch.dropout(input=x, p=0.5, train=False)
torch.alpha_dropout(x, p=0.5, train=False)
torch.feature_alpha_dropout(x, p=0.5, train=False)
torch.layer_norm(x, [2], None, None, 1e-5, False)
torch.layer_norm(x, [2], cudnn_enable=True)
torch.group_norm(x, 1, None, None, 1e-5, cudnn_enabled=False)
torch.distributions.HalfNormal(1.0).icdf(prob=x / 8)
torch.mm(x=x, mat2=x)
torch.mm(a=x, mat2=x, out=x.clone())
torch.matmul(x, x2=x)
x.matmul(x2=x)
torch.mv(x1=x, vec=v)
torch.dot(x=v, tensor=v)
torch.bmm(a=b, mat2=b)
torch.addmm(x=x, mat1=x, mat2=x, beta=2, alpha=0.5)
torch.nn.functional.linear(x=x, weight=x, bias=v)
torch.nn.functional.linear(x=x, weight=x)
x.unsqueeze(axis=0)
torch.nonzero(x=x, as_tuple=True)[0]
torch.remainder(self=3, other=x)
torch.xlogy(self=3, other=x)
torch.grid_sampler_2d(b[None], b[..., None].repeat(1, 1, 1, 2), 0, 0, align_corners=True)
torch.grid_sampler(x=b[None], grid=g, interpolation_mode=0, padding_mode=0, align_corners=True)
torch.native_layer_norm(x=x, normalized_shape=[2], weight=None, bias=None, eps=1e-5)[0]
torch.add(x, 2, other=x)
torch.addbmm(2, x, alpha=2, batch1=b, batch2=b)
torch.addbmm(2, x, 2, b, batch2=b)
torch.addcdiv(x, 2, tensor1=x, tensor2=x)
torch.addcmul(x, 2, x, tensor2=x)
torch.addmv(2, v, 2, x, vec=v)
torch.subtract(x, 2, 2)
x.subtract(2, 2)
x.clone().subtract_(2, 2)
torch.rsub(x, 2, 2)
torch.nuclear_norm(x, True)
torch.tril_indices(2, 2, dtype=None)
torch.triu_indices(2, 2, dtype=None)
torch.resize_as_(x.clone(), b, memory_format=torch.preserve_format)
torch.rrelu(-x, training=True, generator=torch.Generator().manual_seed(1))
torch.histogramdd(x, [2, 2], None, None, True)[0]
torch.arange(12.0).reshape(1, 2, 6).dsplit(1, 2, 3)[1]
torch.adaptive_max_pool1d(x, 1)
torch.linalg.pinv(torch.ones(3, 0), torch.ones(3, 0))
torch.linalg.solve_triangular(input=x.triu(), B=x, upper=True)
torch.nn.functional.ctc_loss(x[:, None].log_softmax(-1), i[:1, 1:], [2], [1], blank=1)
torch.norm(x, "fro", None, False, None, torch.float64)
torch.norm(x, 2, 0, False, v.clone())
x.norm(2, 0, True, torch.float64)
torch.utils._pytree.tree_map(func=lambda v: v + 1, tree=[x])[0]
""".strip().splitlines()


def values(library, form):
    torch = import_module(library)
    x = torch.tensor([[1.0, 2.0], [3.0, 5.0]])
    names = {
        "torch": torch,
        "x": x,
        "b": x[None],
        "g": torch.ones(1, 1, 2, 2),
        "v": torch.tensor([1.0, 2.0]),
        "i": torch.tensor([[0, 1], [1, 0]]),
        "d": torch.tensor([[2.0, 1.0], [1.0, 3.0]]).double(),
        "N": np.int64,
        "F": np.float64,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = eval(form, names)
    return [t.numpy() for t in (result if isinstance(result, tuple | list) else [result])]


@pytest.mark.parametrize("form", FORMS)
def test_values(form):
    pytest.importorskip("torch")
    for ours, theirs in zip(values("rushlight", form), values("torch", form), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_orders_of_the_first_years_warn():
    x = rushlight.ones(2)
    with pytest.warns(UserWarning, match=r"This overload of add_ is deprecated:\n\tadd_\(Tensor input, Number alpha"):
        assert x.add_(2, rushlight.ones(2)).tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    "call",
    [
        "torch.cat([x], axes=0)",
        "torch.squeeze(x, axis='a')",
        "torch.gather(x, dimension=0, index=x)",
        "torch.addcmul(x, x, 2, x)",
    ],
)
def test_what_fits_no_form_is_refused(torch, call):
    x = torch.ones(2)
    with pytest.raises(TypeError):
        eval(call, {"torch": torch, "x": x})
    assert x.tolist() == [1.0, 1.0]


def test_gradients_flow_through_other_forms():
    x = rushlight.ones(2, requires_grad=True)
    rushlight.stack([x, 2 * x], axis=0).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


NUMBERS = """
torch.polygamma(N(1), x)
torch.polygamma(torch.tensor(1), x)
x.polygamma(N(1))
torch.mvlgamma(x, N(1))
torch.mvlgamma(x, torch.tensor(1))
torch.var(x, correction=N(1))
torch.std(x, 0, correction=F(1.0))
torch.var_mean(x, dim=N(0))
torch.std_mean(x, dim=N(0), correction=N(0))
torch.addcmul(x, x, x, value=F(0.5))
x.addcdiv(x, x, value=F(0.5))
torch.nn.functional.softplus(x, N(2))
torch.logit(x / 10, F(0.1))
x.quantile(0.5, dim=N(1))
torch.nanquantile(x, 0.5, dim=torch.tensor(1))
torch.aminmax(x, dim=N(0))
x.kthvalue(N(2))
x.kthvalue(torch.tensor(2))
torch.nn.functional.cosine_similarity(x, x, dim=N(0))
torch.nn.functional.avg_pool1d(b, N(2))
torch.nn.functional.avg_pool1d(b, N(2), N(1))
torch.nn.functional.max_pool1d(b, N(2), N(1))
torch.nn.functional.conv1d(b, b, stride=N(2), padding=torch.tensor(1))
torch.roll(x, 1, None)
x.roll(1, None)
torch.roll(x, (N(1),), (torch.tensor(0),))
torch.native_group_norm(b, None, None, 1, 2, 2, 1, F(0.1))[0]
""".strip().splitlines()


@pytest.mark.parametrize("form", NUMBERS)
def test_numbers_of_numpy_and_tensors_of_one_number_are_numbers(form):
    pytest.importorskip("torch")
    for ours, theirs in zip(values("rushlight", form), values("torch", form), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


def test_gradients_with_numbers_of_numpy():
    x = rushlight.ones(2, 2, requires_grad=True)
    rushlight.addcmul(x, x, x, value=np.float64(0.5)).sum().backward()
    assert x.grad.dtype is rushlight.float32
    assert x.grad.tolist() == [[2.0, 2.0], [2.0, 2.0]]


def test_sizes_are_integers(torch):
    sizes = torch.Size((torch.tensor(3), True, np.int64(2)))
    assert tuple(sizes) == (3, 1, 2)
    last = (torch.tensor(4),)
    assert torch.ones(2, 3).shape + last == torch.Size([2, 3, 4])
    for wrong in (2.0, "a", torch.tensor(2.5)):
        with pytest.raises(TypeError):
            torch.Size((wrong,))
