"""One step of recurrent networks by functions, against the modules; norms by their old names; settings."""

import pytest

import rushlight as torch


def weights(module):
    return module.weight_ih, module.weight_hh, module.bias_ih, module.bias_hh


@pytest.mark.parametrize(
    ("kind", "function", "options"),
    [
        ("LSTMCell", "lstm_cell", {}),
        ("GRUCell", "gru_cell", {}),
        ("RNNCell", "rnn_tanh_cell", {}),
        ("RNNCell", "rnn_relu_cell", {"nonlinearity": "relu"}),
    ],
)
def test_functions_are_the_modules(kind, function, options):
    torch.manual_seed(0)
    module = getattr(torch.nn, kind)(3, 4, **options)
    x, state = torch.randn(2, 3), torch.randn(2, 4)
    given = (state, torch.randn(2, 4)) if kind == "LSTMCell" else state
    torch.testing.assert_close(getattr(torch, function)(x, given, *weights(module)), module(x, given))


def test_norms():
    a = torch.tensor([[[3.0, 0.0], [0.0, 4.0]]])
    assert torch.frobenius_norm(a).item() == 5
    assert torch.frobenius_norm(a, (2,)).tolist() == [[3.0, 4.0]]
    torch.testing.assert_close(torch.nuclear_norm(a, (1, 2), True), torch.tensor([[[7.0]]]))


def test_deterministic_debug_mode():
    try:
        for word, number in (("warn", 1), ("error", 2), ("default", 0)):
            torch.set_deterministic_debug_mode(word)
            assert torch.get_deterministic_debug_mode() == number
            assert torch.are_deterministic_algorithms_enabled() == (number > 0)
        with pytest.raises(RuntimeError, match="invalid value of debug_mode"):
            torch.set_deterministic_debug_mode("loud")
    finally:
        torch.use_deterministic_algorithms(False)


def test_batch_norms_without_statistics_can_be_batched():
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    assert torch.func.replace_all_batch_norm_modules_(net) is net
    found = torch.func.vmap(net)(torch.randn(3, 5, 2))
    assert found.mean(1).abs().max().item() < 1e-6
    assert list(net.buffers()) == []
