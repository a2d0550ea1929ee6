"""Users see results where PyTorch's lie, can write to all that they are given, and change nothing else by that."""

import json
from pathlib import Path

import numpy as np
import pytest
from layouts.cases import LAYOUTS, calls, results_of, seen, strides

import rushlight
from rushlight.nn.functional import conv2d, max_pool2d, relu

GOLDEN = json.loads(Path(__file__).with_name("golden.json").read_text())
NAMES = list(calls(rushlight))
VIEWS = ("clone", "contiguous", "to", "diagonal", "split", "unbind", "zeros_like", "ones_like")


@pytest.mark.parametrize("name", NAMES)
def test_results_lie_as_recorded(name):
    found = {layout: seen(rushlight, name, layout) for layout in LAYOUTS}
    assert found == GOLDEN[name]


@pytest.mark.parametrize("name", NAMES)
def test_results_can_be_written_to(name):
    for layout in LAYOUTS:
        results, tensors = results_of(rushlight, name, layout)
        before = [tensor.tolist() for tensor in tensors]
        for result in results:
            assert result.numpy().flags.writeable or not result.numel()
        if name.split()[0] not in VIEWS:
            for result in results:
                result.zero_()
            assert [tensor.tolist() for tensor in tensors] == before


FUNCTIONS = {
    "sum": lambda x: x.sum(),
    "mean": lambda x: x.mean(),
    "mean of rows": lambda x: x.mean(0).sum(),
    "expand": lambda x: x.expand(2, *x.shape).sum(),
    "product": lambda x: (x @ x.T).sum(),
    "transposed": lambda x: x.T.sin().sum(),
    "maximum": lambda x: x.amax(),
    "part": lambda x: x[1:].sum(),
    "norm": lambda x: x.norm(),
    "cat": lambda x: rushlight.cat([x, x]).sum(),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_can_be_written_to(name):
    x = rushlight.arange(12.0).reshape(3, 4).requires_grad_()
    y = FUNCTIONS[name](x)
    (grad,) = rushlight.autograd.grad(y, x, retain_graph=True)
    expected = grad.tolist()
    grad.numpy()[...] = 7
    assert x.tolist() == np.arange(12.0).reshape(3, 4).tolist()
    y.backward()
    assert x.grad.tolist() == expected
    x.grad.mul_(2)
    assert x.grad.is_contiguous()


def test_strides_of_gradients():
    x = rushlight.arange(12.0).reshape(3, 4).requires_grad_()
    assert rushlight.autograd.grad(x.sum(), x)[0].stride() == (0, 0)
    assert rushlight.autograd.grad(x.mean(), x)[0].stride() == (4, 1)
    assert rushlight.autograd.grad(x.sin().sum(), x)[0].stride() == (4, 1)
    repeated = rushlight.ones(1, 4).expand(3, 4).detach().requires_grad_()
    (repeated * 2).sum().backward()
    assert repeated.grad.stride() == (4, 1)


# layouts of our own


def image():
    """The result of a convolution, which lies in memory with the samples innermost."""
    rushlight.manual_seed(0)
    result = conv2d(rushlight.randn(9, 2, 6, 6), rushlight.randn(3, 2, 3, 3))
    assert not result._array.flags.c_contiguous
    return result


def test_what_nobody_looks_at_stays_where_it_is():
    x = image()
    for result in (relu(x), max_pool2d(x, 2), x + x, x * 2, x.flatten(1), x.tanh()):
        assert not result._array.flags.c_contiguous
    assert not x._array.flags.c_contiguous


LOOKS = {
    "stride": lambda x: x.stride(),
    "numpy": lambda x: x.numpy(),
    "data_ptr": lambda x: x.data_ptr(),
    "asarray": np.asarray,
    "detach": lambda x: x.detach(),
    "data": lambda x: x.data,
    "index": lambda x: x[0],
    "transpose": lambda x: x.mT,
    "as_strided": lambda x: x.as_strided((2, 3), (3, 1)),
    "dlpack": np.from_dlpack,
    "contiguous": lambda x: x.contiguous(),
    "view": lambda x: x.view(-1),
    "unbind": lambda x: x.unbind(),
    "storage_offset": lambda x: x[1:].storage_offset(),
    "Parameter": rushlight.nn.Parameter,
    "bytes": lambda x: x.view(rushlight.int32),
}


@pytest.mark.parametrize("look", LOOKS)
def test_whoever_looks_sees_what_lies_in_order(look):
    x = image()
    values = x.tolist()
    LOOKS[look](x)
    assert x.tolist() == values
    assert strides(x) == [48, 16, 4, 1]
    assert x.numpy().flags.c_contiguous
    assert x.contiguous() is x


def test_views_share_memory_before_and_after_a_look():
    x = image()
    flat = x.flatten(1)
    assert not flat._array.flags.c_contiguous
    flat[0, 0] = 5.0
    assert (x[0, 0, 0, 0], flat.stride()) == (5, (48, 1))
    x[1, 0, 0, 0] = 6.0
    assert flat[1, 0] == 6
    x.zero_()
    assert not flat.any()
    assert np.shares_memory(flat.numpy(), x.numpy())


def test_gradients_of_what_lies_in_an_order_of_our_own():
    x = rushlight.randn(9, 2, 6, 6).requires_grad_()
    weight = rushlight.randn(3, 2, 3, 3).requires_grad_()
    y = relu(conv2d(x, weight))
    seen_by_hook = []
    y.register_hook(lambda grad: seen_by_hook.append(grad.stride()))
    y.retain_grad()
    z = max_pool2d(y, 2).flatten(1).square().sum()
    grads = rushlight.autograd.grad(z, (x, weight, y), create_graph=True)
    assert [g.stride() for g in grads] == [(72, 36, 6, 1), (18, 9, 3, 1), (48, 16, 4, 1)]
    z.backward()
    assert seen_by_hook[-1] == y.grad.stride() == (48, 16, 4, 1)
    assert x.grad.stride() == (72, 36, 6, 1)
    assert relu(conv2d(x, weight)).grad_fn._saved_result.stride() == (48, 16, 4, 1)


def test_a_saved_value_that_is_looked_at_leaves_views_where_they_are():
    x = image().detach().requires_grad_()
    y = conv2d(x, rushlight.ones(3, 3, 1, 1)).tanh()
    flat = y.flatten(1)
    assert y.grad_fn._saved_result.stride() == (48, 16, 4, 1)
    with rushlight.no_grad():
        flat[0, 0] = 9.0
        assert y[0, 0, 0, 0] == 9


def test_a_saved_result_is_settled_with_its_tensor():
    x = rushlight.arange(6.0).reshape(2, 3).t().requires_grad_(True)
    result = 2**x
    assert result.stride() == (2, 1)
    assert result.grad_fn.saved[2].strides == result.detach().numpy().strides
    result.sum().backward()
    assert rushlight.allclose(x.grad, result * np.log(2))


def test_memory_formats():
    x = rushlight.zeros(2, 3, 4, 5)
    y = x.to(memory_format=rushlight.channels_last)
    assert y.is_contiguous(memory_format=rushlight.channels_last)
    assert not x.is_contiguous(memory_format=rushlight.channels_last)
    assert rushlight.zeros(2, 3, 1, 1).is_contiguous(memory_format=rushlight.channels_last)
    assert image().is_contiguous(memory_format=rushlight.contiguous_format)
    assert not image().is_contiguous(memory_format=rushlight.channels_last)
    assert x.contiguous(memory_format=rushlight.channels_last).stride() == (60, 1, 15, 3)


def test_strides_of_what_is_empty():
    x = rushlight.zeros(1, 0, 3)
    assert x.stride() == (x + 1).stride() == x.sin().stride() == (3, 3, 1)
    assert rushlight.zeros(0).stride() == (rushlight.zeros(0) * 2).stride() == (1,)


@pytest.mark.parametrize("other", ["turned", "number", "matrix", "itself"])
def test_kronecker_products_of_turned_matrices_are_turned(other):
    theirs = pytest.importorskip("torch")

    def laid(torch):
        x = torch.ones(2, 3).t()
        others = {"turned": torch.ones(4, 5).t(), "number": torch.tensor(2.0), "matrix": torch.ones(1, 1), "itself": x}
        return torch.kron(x, others[other]).stride(), torch.kron(others[other], x).stride()

    assert laid(rushlight) == laid(theirs)


EQUATIONS = [
    "ij,jk->ki",
    "ij,jk->ik",
    "bij,bjk->bki",
    "bij,bjk->kbi",
    "ij,bjk->kib",
    "ij,ij->ji",
    "...i,...i",
    "ij->ji",
]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("equation", EQUATIONS)
def test_einsum_lies_as_the_products_that_pytorch_makes_of_it(equation, turned):
    theirs = pytest.importorskip("torch")
    sizes = {"i": 3, "j": 4, "k": 5, "b": 2, ".": 2}

    def laid(torch):
        operands = []
        for place, term in enumerate(equation.partition("->")[0].split(",")):
            shape = [sizes[c] for c in (term.replace("...", "." * (2 - place)) if "." in term else term)]
            operand = torch.ones(shape[::-1]).permute(*reversed(range(len(shape)))) if turned else torch.ones(shape)
            operands.append(operand)
        return torch.einsum(equation, *operands).stride()

    assert laid(rushlight) == laid(theirs)
