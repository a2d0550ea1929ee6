"""`torch.lstm`, `gru`, `rnn_tanh` and `rnn_relu` are what the layers compute, with weights that are given."""

import pytest

import rushlight as torch
from rushlight import nn

LAYERS = {
    "lstm": nn.LSTM,
    "gru": nn.GRU,
    "rnn_tanh": nn.RNN,
    "rnn_relu": lambda *args, **options: nn.RNN(*args, nonlinearity="relu", **options),
}
OPTIONS = [
    {},
    {"num_layers": 2, "bidirectional": True},
    {"num_layers": 2, "bias": False},
    {"bidirectional": True, "batch_first": True},
]
CASES = [(name, options) for name in LAYERS for options in OPTIONS] + [("lstm", {"num_layers": 2, "proj_size": 2})]


def made(name, options):
    """A seeded layer, a first state for two sequences, and the arguments of the function from `has_biases` on."""
    torch.manual_seed(0)
    layer = LAYERS[name](3, 4, **options)
    number = layer.num_layers * (2 if layer.bidirectional else 1)
    hidden = torch.randn(number, 2, layer.proj_size or 4)
    state = (hidden, torch.randn(number, 2, 4)) if name == "lstm" else hidden
    return layer, state, (layer.bias, layer.num_layers, 0.0, True, layer.bidirectional)


def flattened(results):
    """All tensors of results, states of two parts one after the other."""
    return [t for result in results for t in (result if isinstance(result, tuple) else (result,))]


@pytest.mark.parametrize(("name", "options"), CASES)
def test_a_function_gives_what_its_layer_gives(name, options):
    layer, state, rest = made(name, options)
    x = torch.randn(2, 5, 3) if layer.batch_first else torch.randn(5, 2, 3)
    found = getattr(torch, name)(x, state, list(layer.parameters()), *rest, layer.batch_first)
    for a, b in zip(found, flattened(layer(x, state)), strict=True):
        assert torch.equal(a, b)


@pytest.mark.parametrize(("name", "options"), [case for case in CASES if "batch_first" not in case[1]])
def test_packed_sequences_come_with_the_sizes_of_their_steps(name, options):
    layer, state, rest = made(name, options)
    packed = nn.utils.rnn.pack_padded_sequence(torch.randn(5, 2, 3), [5, 2])
    output, last = layer(packed, state)
    weights, function = list(layer.parameters()), getattr(torch, name)
    named = ("has_biases", "num_layers", "dropout", "train", "bidirectional")
    for found in (
        function(packed.data, packed.batch_sizes, state, weights, *rest),
        function(
            data=packed.data,
            batch_sizes=packed.batch_sizes,
            hx=state,
            params=weights,
            **dict(zip(named, rest, strict=True)),
        ),
    ):
        for a, b in zip(found, flattened([output.data, last]), strict=True):
            assert torch.equal(a, b)


def test_dropout_acts_between_layers_where_it_trains():
    layer, state, _ = made("gru", {"num_layers": 2})
    x, weights = torch.randn(5, 2, 3), list(layer.parameters())
    plain, _ = torch.gru(x, state, weights, True, 2, 0.5, False, False, False)
    assert torch.equal(plain, layer(x, state)[0])
    torch.manual_seed(1)
    dropped, _ = torch.gru(x, state, weights, True, 2, 0.5, True, False, False)
    layer.dropout = 0.5
    torch.manual_seed(1)
    assert torch.equal(dropped, layer(x, state)[0])
    assert not torch.equal(dropped, plain)


def test_gradients_reach_weights_inputs_and_states():
    layer, (hidden, cell), rest = made("lstm", {"bidirectional": True})
    wanted = [t.double().requires_grad_() for t in (torch.randn(3, 2, 3), hidden, cell, *layer.parameters())]
    assert torch.autograd.gradcheck(lambda x, h, c, *w: torch.lstm(x, (h, c), w, *rest, False), wanted)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x, hx, w: (x, hx[:1], w), "lstm expects two hidden states"),
        (lambda x, hx, w: (x, hx, w[:-1]), "incorrect number of RNN parameters"),
        (
            lambda x, hx, w: (x, [part[:, :1] for part in hx], w),
            r"Expected hidden\[0\] size \(1, 2, 4\), got \[1, 1, 4\]",
        ),
        (lambda x, hx, w: (x[:0], hx, w), "Expected sequence length to be larger than 0 in RNN"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    layer, state, rest = made("lstm", {})
    with pytest.raises(RuntimeError, match=message):
        torch.lstm(*change(torch.randn(5, 2, 3), state, list(layer.parameters())), *rest, False)


def test_arguments_of_neither_form_are_told_both():
    with pytest.raises(TypeError, match=r"(?s)lstm\(\) received an invalid.*batch_sizes.*batch_first"):
        torch.lstm(torch.ones(1, 1, 1))
