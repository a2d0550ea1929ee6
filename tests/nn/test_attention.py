"""Attention and transformers: against PyTorch live, and by what they must satisfy."""

import numpy as np
import pytest

import rushlight

X = np.random.default_rng(0).standard_normal((5, 3, 8)).astype(np.float32)
Y = np.random.default_rng(1).standard_normal((4, 3, 8)).astype(np.float32)
PADDED = [[False] * 4 + [True]] * 3

ATTENTION = {
    "plain": ({}, lambda torch: {}),
    "batch first, no weights": ({"batch_first": True, "bias": False}, lambda torch: {"need_weights": False}),
    "appended": (
        {"add_bias_kv": True, "add_zero_attn": True, "dropout": 0.2},
        lambda torch: {"average_attn_weights": False},
    ),
    "own sizes, padded": ({"kdim": 5, "vdim": 6}, lambda torch: {"key_padding_mask": torch.tensor(PADDED)}),
    "masked": ({}, lambda torch: {"attn_mask": torch.nn.Transformer.generate_square_subsequent_mask(5)}),
    "causal": (
        {},
        lambda torch: {
            "attn_mask": torch.nn.Transformer.generate_square_subsequent_mask(5),
            "is_causal": True,
            "need_weights": False,
        },
    ),
}
TRANSFORMERS = [
    {"dropout": 0.0},
    {"dropout": 0.1, "bias": False},
    {"dropout": 0.0, "batch_first": True, "norm_first": True, "activation": "gelu"},
]


def everything(module, output, others=()):
    """Results, weights and gradients."""
    (output**3).sum().backward()
    parameters = list(module.parameters())
    arrays = [output.detach(), *others, *[p.detach() for p in parameters], *[p.grad for p in parameters]]
    return repr(module), [tensor.detach().numpy() for tensor in arrays if tensor is not None]


def attend(torch, name):
    options, call = ATTENTION[name]
    torch.manual_seed(1)
    module = torch.nn.MultiheadAttention(8, 2, **options)
    query, key = torch.tensor(X), torch.tensor(X[..., : options.get("kdim", 8)])
    value = torch.tensor(X[..., : options.get("vdim", 8)])
    if options.get("batch_first"):
        query, key, value = (x.transpose(0, 1) for x in (query, key, value))
    output, weights = module(query, key, value, **call(torch))
    return everything(module, output, [weights])


def transform(torch, options):
    torch.manual_seed(1)
    module = torch.nn.Transformer(8, 2, 2, 1, 16, **options)
    source, target = torch.tensor(X), torch.tensor(Y)
    if options.get("batch_first"):
        source, target = source.transpose(0, 1), target.transpose(0, 1)
    mask = module.generate_square_subsequent_mask(4)
    return everything(module, module(source, target, tgt_mask=mask, src_key_padding_mask=torch.tensor(PADDED)))


def check(actual, expected):
    assert actual[0] == expected[0]
    for mine, theirs in zip(actual[1], expected[1], strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", list(ATTENTION))
def test_live_attention(name):
    check(attend(rushlight, name), attend(pytest.importorskip("torch"), name))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("options", TRANSFORMERS, ids=str)
def test_live_transformers(options):
    check(transform(rushlight, options), transform(pytest.importorskip("torch"), options))


def test_one_head_is_the_formula(torch):
    torch.manual_seed(0)
    module = torch.nn.MultiheadAttention(8, 1)
    x = torch.tensor(X)
    output, weights = module(x, x, x)
    q, k, v = (x @ module.in_proj_weight.T + module.in_proj_bias).chunk(3, -1)
    scores = torch.softmax(q.transpose(0, 1) @ k.permute(1, 2, 0) / 8**0.5, -1)
    expected = module.out_proj((scores @ v.transpose(0, 1)).transpose(0, 1))
    np.testing.assert_allclose(weights.detach().numpy(), scores.detach().numpy(), atol=1e-6)
    np.testing.assert_allclose(output.detach().numpy(), expected.detach().numpy(), atol=1e-5)


def test_causal_encoder_does_not_look_ahead(torch):
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0)
    encoder = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    mask = torch.nn.Transformer.generate_square_subsequent_mask(5)
    x = torch.tensor(X)
    whole = encoder(x, mask=mask)
    begin = encoder(x[:3], mask=mask[:3, :3])
    np.testing.assert_allclose(whole[:3].detach().numpy(), begin.detach().numpy(), atol=1e-5)


def test_copies_of_a_layer_have_their_own_weights(torch):
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16)
    encoder = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    first, second = (layer.linear1.weight for layer in encoder.layers)
    assert first is not second
    assert first.tolist() == second.tolist()


def test_errors(torch):
    with pytest.raises(
        ValueError, match="embed_dim and num_heads must be greater than 0, got embed_dim=0 and num_heads"
    ):
        torch.nn.MultiheadAttention(0, 1)
    with pytest.raises(AssertionError, match="embed_dim must be divisible by num_heads"):
        torch.nn.MultiheadAttention(5, 2)
    with pytest.raises(RuntimeError, match="activation should be relu/gelu, not sine"):
        torch.nn.TransformerEncoderLayer(8, 2, activation="sine")
    model = torch.nn.Transformer(8, 2, 1, 1, 8)
    with pytest.raises(RuntimeError, match="the batch number of src and tgt must be equal"):
        model(torch.ones(2, 3, 8), torch.ones(2, 4, 8))
    with pytest.raises(RuntimeError, match="the feature number of src and tgt must be equal to d_model"):
        model(torch.ones(2, 3, 8), torch.ones(2, 3, 4))
