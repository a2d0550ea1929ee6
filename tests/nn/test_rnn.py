"""Recurrent layers and packed sequences, against PyTorch, and by what they must satisfy."""

from pathlib import Path

import numpy as np
import pytest
from nn.recurrent import CASES, evaluate

import rushlight


def check(actual, expected):
    assert actual.keys() == expected.keys()
    for part, array in actual.items():
        if part == "repr":
            assert str(array) == str(expected[part])
        else:
            np.testing.assert_allclose(array, expected[part], rtol=1e-4, atol=1e-5, err_msg=part)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES)
def test_recorded(case):
    with np.load(Path(__file__).with_name("recurrent.npz")) as file:
        expected = {key.rpartition("|")[2]: file[key] for key in file.files if key.startswith(f"{case}|")}
    check(evaluate(rushlight, case), expected)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES)
def test_live(case):
    torch = pytest.importorskip("torch")
    check(evaluate(rushlight, case), evaluate(torch, case))


def test_packed_sequences_are_the_sequences_one_by_one(torch):
    torch.manual_seed(0)
    layer = torch.nn.GRU(2, 3, bidirectional=True)
    sequences = [torch.randn(length, 2) for length in (2, 4, 1)]
    packed = torch.nn.utils.rnn.pack_sequence(sequences, enforce_sorted=False)
    outputs, last = layer(packed)
    for i, (sequence, output) in enumerate(zip(sequences, torch.nn.utils.rnn.unpack_sequence(outputs), strict=True)):
        alone, end = layer(sequence)
        np.testing.assert_allclose(output.detach().numpy(), alone.detach().numpy(), atol=1e-6)
        np.testing.assert_allclose(last[:, i].detach().numpy(), end.detach().numpy(), atol=1e-6)


def test_packing_and_padding(torch):
    rnn = torch.nn.utils.rnn
    sequences = [torch.tensor([1.0, 2.0, 3.0]), torch.tensor([4.0])]
    padded = rnn.pad_sequence(sequences, padding_value=-1.0)
    assert padded.tolist() == [[1, 4], [2, -1], [3, -1]]
    assert rnn.pad_sequence(sequences, batch_first=True, padding_side="left").tolist() == [[1, 2, 3], [0, 0, 4]]
    packed = rnn.pack_padded_sequence(padded.requires_grad_(), [1, 3], enforce_sorted=False)
    assert packed.data.tolist() == [4, 1, -1, -1]
    assert packed.sorted_indices.tolist() == packed.unsorted_indices.tolist() == [1, 0]
    packed = rnn.pack_padded_sequence(padded, [3, 1])
    assert packed.data.tolist() == [1, 4, 2, 3]
    assert packed.batch_sizes.tolist() == [2, 1, 1]
    again, lengths = rnn.pad_packed_sequence(packed, total_length=4)
    assert again.tolist() == [[1, 4], [2, 0], [3, 0], [0, 0]]
    assert lengths.tolist() == [3, 1]
    again.sum().backward()
    assert padded.grad.tolist() == [[1, 1], [1, 0], [1, 0]]
    with pytest.raises(RuntimeError, match=r"`lengths` array must be sorted in decreasing order when `enforce_sorted`"):
        rnn.pack_padded_sequence(padded, [1, 3])
    with pytest.raises(ValueError, match=r"Expected total_length to be at least the length of the longest sequence"):
        rnn.pad_packed_sequence(packed, total_length=2)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"hidden_size": 0}, ValueError, "hidden_size must be greater than zero"),
        ({"hidden_size": 2.0}, TypeError, "hidden_size should be of type int, got: float"),
        ({"num_layers": 0}, ValueError, "num_layers must be greater than zero"),
        ({"dropout": 2}, ValueError, "dropout should be a number in range"),
        ({"bias": 1}, TypeError, "bias should be of type bool, got: int"),
        ({"proj_size": 5}, ValueError, "proj_size has to be smaller than hidden_size"),
    ],
)
def test_options_that_cannot_be(torch, options, error, message):
    with pytest.raises(error, match=message):
        torch.nn.LSTM(**{"input_size": 2, "hidden_size": 3, **options})


def test_arguments_that_do_not_fit(torch):
    layer = torch.nn.RNN(2, 3)
    with pytest.raises(ValueError, match="RNN: Expected input to be 2D or 3D, got 1D tensor instead"):
        layer(torch.ones(2))
    with pytest.raises(RuntimeError, match=r"input.size\(-1\) must be equal to input_size. Expected 2, got 3"):
        layer(torch.ones(1, 1, 3))
    with pytest.raises(RuntimeError, match="For batched 3-D input, hx should also be 3-D but got 2-D tensor"):
        layer(torch.ones(1, 1, 2), torch.ones(1, 3))
    with pytest.raises(RuntimeError, match=r"Expected hidden size \(1, 1, 3\), got \[1, 2, 3\]"):
        layer(torch.ones(1, 1, 2), torch.ones(1, 2, 3))
    with pytest.raises(ValueError, match=r"RNN input dtype \(torch.float64\) does not match weight dtype"):
        layer(torch.ones(1, 1, 2, dtype=torch.float64))
    with pytest.raises(ValueError, match=r"Unknown nonlinearity 'sine'\. Select from 'tanh' or 'relu'."):
        torch.nn.RNN(2, 3, nonlinearity="sine")


def test_second_derivatives_of_lstm():
    from derivatives import check_derivatives

    rng = np.random.default_rng(0)
    cell = rushlight.nn.LSTMCell(2, 3, dtype=rushlight.float64)
    x, h, c = (rushlight.tensor(rng.standard_normal((2, n)), requires_grad=True) for n in (2, 3, 3))
    check_derivatives(lambda x, h, c: sum((part**2).sum() for part in cell(x, (h, c))), x, h, c)


@pytest.mark.parametrize("name", ["LSTM", "GRU"])
@pytest.mark.parametrize("form", ["outputs", "last state", "bidirectional", "no batch"])
def test_whole_sequences_are_the_steps_one_after_the_other(name, form, monkeypatch):
    """Values and derivatives of the operator that takes a whole sequence, and of the steps that packed data takes."""
    from derivatives import check_derivatives

    layer = getattr(rushlight.nn, name)(2, 3, bidirectional=form == "bidirectional", dtype=rushlight.float64)
    rng = np.random.default_rng(0)
    x = rushlight.tensor(rng.standard_normal((4, 2) if form == "no batch" else (4, 2, 2)), requires_grad=True)
    weights = list(layer.parameters())

    def called(x, *_):
        y, state = layer(x)
        parts = state if isinstance(state, tuple) else (state,)
        return sum(part.sin().sum() for part in parts) if form == "last state" else (y**2).sum() + parts[-1].sum()

    whole = [called(x), *rushlight.autograd.grad(called(x), [x, *weights])]
    check_derivatives(called, x, *weights)
    monkeypatch.setattr(rushlight.nn.functional.recurrent_layers, "are_plain", lambda *tensors: False)
    steps = [called(x), *rushlight.autograd.grad(called(x), [x, *weights])]
    for a, b in zip(whole, steps, strict=True):
        np.testing.assert_allclose(a.detach(), b.detach(), rtol=1e-12, atol=1e-14)
