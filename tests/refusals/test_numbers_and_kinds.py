"""Kinds of data that functions refuse, numbers that a dtype cannot hold, and what decides the dtype of a result."""

import pytest

BEYOND = "value cannot be converted to type {} without overflow"
REFUSED = {
    "torch.isin(b, b)": (RuntimeError, "Unsupported input type encountered for isin(): Bool"),
    "torch.isin(x, c)": (RuntimeError, "Unsupported input type encountered for isin(): ComplexFloat"),
    "torch.isin(i, True)": (RuntimeError, "Unsupported input type encountered for isin(): Bool"),
    "c.clone().abs_()": (RuntimeError, "In-place abs is not supported for complex tensors."),
    "i.clone().lt_(c)": (NotImplementedError, "\"lt_cpu\" not implemented for 'ComplexFloat'"),
    "x.clone().ge_(1j)": (NotImplementedError, "\"ge_cpu\" not implemented for 'ComplexFloat'"),
    "i.clone().index_fill_(0, at, 1j)": (RuntimeError, "index_fill_(): Converting complex Scalar to non-complex"),
    "x.index_fill(0, at, c[0])": (RuntimeError, "index_fill_(): Converting complex Scalar to non-complex"),
    "i.byte().index_fill(0, at, 300)": (RuntimeError, BEYOND.format("uint8_t")),
    "i.byte().__setitem__(at, 300)": (RuntimeError, BEYOND.format("uint8_t")),
    "x.__setitem__(at, 1j)": (RuntimeError, BEYOND.format("float")),
    "x.half().fill_(1e9)": (RuntimeError, BEYOND.format("c10::Half")),
    "torch.where(b, i.byte(), 300)": (RuntimeError, BEYOND.format("uint8_t")),
    "torch.where(b, 2**40, i.int())": (RuntimeError, BEYOND.format("int")),
    "i.char().where(b, 200)": (RuntimeError, BEYOND.format("int8_t")),
    "torch.where(b, x, 1e300)": (RuntimeError, BEYOND.format("float")),
    "x.lerp(x, 1j)": (RuntimeError, BEYOND.format("float")),
    "float(c[0])": (RuntimeError, BEYOND.format("double")),
    "int(c[0])": (RuntimeError, BEYOND.format("int64_t")),
    "torch.arange(1 + 1j, 5)": (RuntimeError, BEYOND.format("double")),
    "torch.cross(b, x, 0)": (NotImplementedError, "\"cross\" not implemented for 'Bool'"),
    "torch.linalg.cross(b, b)": (NotImplementedError, "\"cross\" not implemented for 'Bool'"),
    "torch.searchsorted(x, c)": (NotImplementedError, "\"searchsorted_out_cpu\" not implemented for 'ComplexFloat'"),
    "torch.bucketize(b, b)": (NotImplementedError, "\"searchsorted_out_cpu\" not implemented for 'Bool'"),
    "torch.dist(i, b)": (RuntimeError, "Subtraction, the `-` operator, with a bool tensor is not supported."),
    "torch.dist(i.byte(), i)": (RuntimeError, "norm(): input dtype should be either floating point or complex. Got Lo"),
    "x[0].repeat_interleave(2, 0)": (IndexError, "Dimension out of range (expected to be in range of [-1, 0], but"),
    "x[0].repeat_interleave(at, 0)": (IndexError, "Dimension specified as 0 but tensor has no dimensions"),
    "x.clone().normal_(leaf.sum(), 1)": (
        TypeError,
        "normal_(): argument 'mean' (position 1) must be float, not Tensor",
    ),
    "x.clone().uniform_(0, x[:1])": (TypeError, "uniform_(): argument 'to' (position 2) must be float, not Tensor"),
    "x.clone().exponential_(leaf.sum())": (
        TypeError,
        "exponential_(): argument 'lambd' (position 1) must be float, not Tensor",
    ),
    "torch.normal(0.0, 1.0, 5)": (TypeError, "normal() received an invalid combination of arguments"),
    "leaf.put_(at, x)": (RuntimeError, "a leaf Variable that requires grad"),
    "leaf.index_fill_(0, i + 9, 2)": (RuntimeError, "a leaf Variable that requires grad"),
    "i.put(at, x)": (RuntimeError, "put_(): self and source expected to have the same dtype"),
    "x.put(at + 9, x)": (IndexError, "put_(): Expected source and index to have the same number of elements"),
    "x.index_add(0, i, x[0])": (IndexError, "Dimension specified as 0 but tensor has no dimensions"),
    "x.index_reduce(0, i, x[0], 'prod')": (IndexError, "Dimension specified as 0 but tensor has no dimensions"),
    "x[0].index_add(0, at, x[:1])": (RuntimeError, "source tensor shape must match self tensor shape, excluding the"),
    "one.index_add(1, at, x[:1])": (RuntimeError, "index_add_(): Indexing dim 1 is out of bounds of the source tensor"),
    "x.index_reduce(0, i + 2, x, 'amin')": (IndexError, "index out of range in self"),
    "one.index_copy(1, at, one.T)": (RuntimeError, "index_copy_(): Source/destination tensor must have same slice sh"),
    "one.index_copy(0, at - 1, one)": (
        IndexError,
        "index_copy_(): index -1 is out of bounds for dimension 0 with size",
    ),
    "x.index_copy(0, i, x[0])": (IndexError, "index_copy_(): When source is scalar, index should have one element"),
    "empty.__setitem__(at, empty)": (RuntimeError, "unsupported operation: some elements of the input tensor and the"),
    "none.index_add_(0, i, none)": (RuntimeError, "unsupported operation: some elements of the input tensor and the w"),
    "int(torch.tensor(complex(float('nan'), 0)))": (
        RuntimeError,
        "value cannot be converted to type int64_t without ov",
    ),
    "int(torch.tensor(complex(float('inf'), 0)))": (
        RuntimeError,
        "value cannot be converted to type int64_t without ov",
    ),
    "one[::2].add_(one)": (RuntimeError, "unsupported operation: some elements of the input tensor and the written"),
}
GIVEN = {
    "float(c[0].real + 0j)": 1.0,
    "float(c.real[0] * (1 + 0j))": 1.0,
    "int(torch.tensor(3 + 0j))": 3,
    "torch.arange(1 + 0j, 4).tolist()": [1.0, 2.0, 3.0],
    "torch.tensor(2j).kthvalue(1).values.item()": 2j,
    "torch.tensor(2j).mode().values.item()": 2j,
    "torch.tensor(2j).cummax(0).values.item()": 2j,
    "torch.where(b, x.half(), 1e9).tolist()": [1.0, float("inf"), 1.0],
    "torch.searchsorted(torch.tensor([1, 2]), 1.5).item()": 1,
    "torch.searchsorted(torch.tensor([False, True]), 3).item()": 2,
    "x.lerp(x * 2, torch.tensor(0.5).double()).dtype": "torch.float32",
    "x.lerp(x * 2, torch.tensor(1j)).dtype": "torch.complex64",
    "torch.dist(i, x.half()).dtype": "torch.float16",
    "torch.nn.functional.mse_loss(x, torch.tensor(2.0).double()).dtype": "torch.float64",
    "torch.nn.functional.l1_loss(torch.tensor(2.0).double(), x).dtype": "torch.float64",
    "torch.nn.functional.smooth_l1_loss(x, torch.tensor(2.0).double()).dtype": "torch.float64",
}


def names(torch):
    """What the expressions are about."""
    return {
        "torch": torch,
        "x": torch.ones(3),
        "c": torch.ones(3) + 1j,
        "i": torch.tensor([0, 1, 1]),
        "b": torch.tensor([True, False, True]),
        "at": torch.tensor([0]),
        "leaf": torch.ones(3, requires_grad=True),
        "none": torch.ones(3, 0),
        "empty": torch.ones(0, 3),
        "one": torch.ones(1, 3),
    }


@pytest.mark.parametrize("expression", REFUSED)
def test_refused(torch, expression):
    kind, words = REFUSED[expression]
    with pytest.raises(kind) as found:
        eval(expression, names(torch))
    assert type(found.value) is kind
    assert str(found.value).startswith(words)


@pytest.mark.filterwarnings("ignore:Using a target size")
@pytest.mark.parametrize("expression", GIVEN)
def test_given(torch, expression):
    value = eval(expression, names(torch))
    assert (str(value) if isinstance(GIVEN[expression], str) else value) == GIVEN[expression]


@pytest.mark.filterwarnings("ignore:Using a target size")
def test_losses_of_a_broadcast_operand_have_derivatives_of_its_dtype(torch):
    x, target = torch.ones(3, requires_grad=True), torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    torch.nn.functional.mse_loss(x, target).backward()
    assert (x.grad.dtype, target.grad.dtype) == (torch.float32, torch.float64)
    assert target.grad.item() == pytest.approx(2)
