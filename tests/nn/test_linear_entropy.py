"""The cross entropy of a linear layer's scores in chunks: the same numbers as at once, and less memory."""

import tracemalloc

import pytest

import rushlight as torch
from rushlight.nn import LinearCrossEntropyOptions
from rushlight.nn.functional import linear_cross_entropy


def operands(n=7, features=3, classes=5, dtype=torch.float64):
    torch.manual_seed(0)
    x, weight, bias = (torch.randn(*shape, dtype=dtype) for shape in ((n, features), (classes, features), (classes,)))
    return [x.requires_grad_(), weight.requires_grad_(), torch.randint(0, classes, (n,)), bias.requires_grad_()]


def loss_and_gradients(options, dtype=torch.float64, **settings):
    x, weight, target, bias = operands(dtype=dtype)
    loss = linear_cross_entropy(x, weight, target, linear_bias=bias, options=options, **settings)
    return loss, *torch.autograd.grad(loss.sum(), [x, weight, bias])


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("settings", [{}, {"ignore_index": 2}, {"weight": torch.arange(1.0, 6.0).double()}])
@pytest.mark.parametrize("options", [{}, {"batch_chunk_size": 3}, {"chunking_method": "aspect_ratio:3"}])
def test_chunks_give_the_same_numbers(reduction, settings, options):
    found = loss_and_gradients(LinearCrossEntropyOptions(**options), reduction=reduction, **settings)
    expected = loss_and_gradients(None, reduction=reduction, **settings)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other)


def test_the_mean_of_nothing_that_counts_is_nan():
    x, weight, target, _ = operands()
    loss = linear_cross_entropy(x, weight, target * 0, ignore_index=0, options=LinearCrossEntropyOptions())
    assert loss.isnan()


def test_a_single_row():
    x, weight, target, _ = operands()
    found, expected = (
        linear_cross_entropy(x[0], weight, target[0], reduction="none", options=options)
        for options in (LinearCrossEntropyOptions(), None)
    )
    assert found.shape == ()
    assert torch.allclose(found, expected)


def test_chunks_pass_gradcheck_in_all_its_forms():
    x, weight, target, _ = operands()
    options = LinearCrossEntropyOptions(batch_chunk_size=3)
    loss = lambda x, weight: linear_cross_entropy(x, weight, target, options=options)
    assert torch.autograd.gradcheck(loss, (x, weight))
    assert torch.autograd.gradgradcheck(loss, (x, weight))


def test_the_scores_of_all_rows_are_never_in_memory():
    x, weight, target, _ = operands(2_000, 8, 1_000, torch.float32)
    peaks = []
    for options in (None, LinearCrossEntropyOptions(batch_chunk_size=100)):
        tracemalloc.start()
        linear_cross_entropy(x, weight, target, options=options).backward()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] / 4


@pytest.mark.parametrize(
    ("name", "value"),
    [("acc_policy", "fast"), ("chunking_method", "aspect_ratio:0"), ("batch_chunk_size", 0), ("acc_dtype", "f4")],
)
def test_wrong_options(name, value):
    with pytest.raises(ValueError, match=name):
        LinearCrossEntropyOptions(**{name: value})


def test_options_that_differ_about_the_size():
    x, weight, target, _ = operands()
    options = LinearCrossEntropyOptions(batch_chunk_size=3, chunking_method="aspect_ratio")
    with pytest.raises(ValueError, match="different chunk sizes"):
        linear_cross_entropy(x, weight, target, options=options)


def test_options_are_ignored_with_a_warning_where_they_do_not_apply():
    x, weight, target, _ = operands()
    with pytest.warns(UserWarning, match="options`` ignored"):
        found = linear_cross_entropy(x, weight, target, label_smoothing=0.1, options=LinearCrossEntropyOptions())
    assert torch.allclose(found, linear_cross_entropy(x, weight, target, label_smoothing=0.1))


@pytest.mark.parametrize("dtype", ["int64", "bool", "complex64"])
def test_chunks_of_other_types_than_floats_are_refused(torch, dtype):
    x, weight = torch.ones(2, 3).to(getattr(torch, dtype)), torch.ones(4, 3).to(getattr(torch, dtype))
    options = torch.nn.LinearCrossEntropyOptions(batch_chunk_size=1)
    with pytest.raises(ValueError, match=f"acc_dtype must be one of .* got torch.{dtype}"):
        torch.nn.functional.linear_cross_entropy(x, weight, torch.tensor([0, 3]), options=options)
