"""`nn.attention`: choices of kernels, causal masks, attention with changed scores. Compared with PyTorch."""

from importlib import import_module

import numpy as np
import pytest

import rushlight

SCORES = {
    "none": "None",
    "distance": "lambda s, b, h, q, kv: s - (q - kv).abs()",
    "causal": "lambda s, b, h, q, kv: torch.where(q >= kv, s, -float('inf'))",
    "table": "lambda s, b, h, q, kv: s + table[h, q]",
}
MASKS = ["None", "causal", "and_masks(causal, near)", "or_masks(causal, near)"]


@pytest.mark.parametrize("score", SCORES.values(), ids=SCORES)
@pytest.mark.parametrize("mask", MASKS)
def test_flex_attention(score, mask):
    pytest.importorskip("torch")
    found = []
    for library in ("rushlight", "torch"):
        torch = import_module(library)
        flex = import_module(f"{library}.nn.attention.flex_attention")
        torch.manual_seed(0)
        q, k, v = (torch.randn(2, 4, n, 8) for n in (5, 6, 6))
        names = {
            "torch": torch,
            "table": torch.arange(20.0).reshape(4, 5),
            "causal": lambda b, h, i, j: i >= j,
            "near": lambda b, h, i, j: i + 2 > j,
            "and_masks": flex.and_masks,
            "or_masks": flex.or_masks,
        }
        function = eval(mask, names)
        block = None if function is None else flex.create_block_mask(function, None, None, 5, 6, device="cpu")
        out, lse = flex.flex_attention(q, k, v, eval(score, names), block, return_lse=True)
        found.append([t.detach().numpy() for t in (out, lse)])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_gradients():
    flex = rushlight.nn.attention.flex_attention
    tensors = [rushlight.randn(1, 2, n, 2, dtype=rushlight.float64, requires_grad=True) for n in (3, 4, 4)]
    block = flex.create_block_mask(lambda b, h, i, j: i + 1 > j, 1, 1, 3, 4)
    attend = lambda q, k, v: flex.flex_attention(q, k, v, lambda s, b, h, i, j: s * s + h, block)
    assert rushlight.autograd.gradcheck(attend, tensors)


def test_grouped_heads_and_rows_without_keys():
    flex = rushlight.nn.attention.flex_attention
    q, k = rushlight.randn(1, 4, 3, 8), rushlight.randn(1, 2, 3, 8)
    out = flex.flex_attention(q, k, k, enable_gqa=True)
    twice = k.repeat_interleave(2, dim=1)
    expected = rushlight.nn.functional.scaled_dot_product_attention(q, twice, twice)
    assert rushlight.allclose(out, expected, atol=1e-6)
    with pytest.raises(ValueError, match="enable_gqa=True"):
        flex.flex_attention(q, k, k)
    nobody = flex.create_block_mask(lambda b, h, i, j: i < 0, 1, 1, 3, 3)
    assert flex.flex_attention(k, k, k, block_mask=nobody).abs().max() == 0
    assert nobody.sparsity() == 100


def test_causal_masks():
    theirs = pytest.importorskip("torch")
    for size in ((2, 4), (4, 2), (3, 3)):
        for kind in ("causal_upper_left", "causal_lower_right"):
            ours, expected = (
                getattr(import_module(f"{t.__name__}.nn.attention.bias"), kind)(*size) for t in (rushlight, theirs)
            )
            assert ours.tolist() == expected._materialize().tolist()
    mask = rushlight.nn.attention.bias.causal_lower_right(2, 4)
    q, k = rushlight.randn(1, 1, 2, 4), rushlight.randn(1, 1, 4, 4)
    attend = rushlight.nn.functional.scaled_dot_product_attention
    assert rushlight.equal(attend(q, k, k, attn_mask=mask), attend(q, k, k, attn_mask=rushlight.tensor(mask.tolist())))


def test_choices_of_kernels(torch):
    attention = import_module(f"{torch.__name__}.nn.attention")
    x = torch.ones(1, 1, 2, 4)
    with attention.sdpa_kernel([attention.SDPBackend.MATH, attention.SDPBackend.FLASH_ATTENTION]):
        assert torch.nn.functional.scaled_dot_product_attention(x, x, x).tolist() == x.tolist()
    with pytest.raises(AssertionError, match="SDPBackend"), attention.sdpa_kernel("math"):
        pass
