"""Attention by blocks of its weights: as in one piece, for all masks, with less memory."""

import tracemalloc

import numpy as np
import pytest

import rushlight
from rushlight.nn.functional import attention_blocks

RNG = np.random.default_rng(0)
Q, K, V = (RNG.standard_normal((2, 3, n, width)) for n, width in ((7, 4), (9, 4), (9, 5)))
ALLOWED = RNG.random((7, 9)) > 0.4
ALLOWED[2] = False
OPTIONS = {
    "plain": {},
    "causal": {"is_causal": True},
    "scaled": {"scale": 0.3},
    "bool mask": {"attn_mask": ALLOWED},
    "mask of each head": {"attn_mask": RNG.standard_normal((2, 3, 7, 9))},
}
KINDS = {
    "four dimensions": lambda x: x,
    "two": lambda x: x[0, 0],
    "transposed": lambda x: np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2),
    "float32": lambda x: x.astype(np.float32),
}
BLOCK_SIZES = (1, 9, 20, 50, 130)  # weights, of which a head has 63


def attended(kind, options, backward=True):
    """The result alone, or the name of its node, and with it the gradients of query, key and value."""
    tensors = [rushlight.from_numpy(KINDS[kind](x)).requires_grad_() for x in (Q, K, V)]
    given = {n: rushlight.from_numpy(o) if isinstance(o, np.ndarray) else o for n, o in options.items()}
    if kind == "two" and "attn_mask" in given:
        given["attn_mask"] = given["attn_mask"][(0,) * (given["attn_mask"].ndim - 2)]
    if kind == "float32" and "attn_mask" in given and given["attn_mask"].dtype != rushlight.bool:
        given["attn_mask"] = given["attn_mask"].float()
    result = rushlight.nn.functional.scaled_dot_product_attention(*tensors, **given)
    if not backward:
        return result
    (result**2).sum().backward()
    return result.grad_fn.name(), [x.detach().numpy() for x in (result, *[x.grad for x in tensors])]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", OPTIONS)
def test_blocks_are_like_one_piece(monkeypatch, options, kind):
    name, whole = attended(kind, OPTIONS[options])
    assert name != "ScaledDotProductFlashAttentionForCpuBackward0"
    for size in BLOCK_SIZES[: 4 if kind == "two" else 5]:
        monkeypatch.setattr(attention_blocks, "BLOCK", size)
        name, found = attended(kind, OPTIONS[options])
        assert name == "ScaledDotProductFlashAttentionForCpuBackward0"
        for a, b in zip(found, whole, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5 if kind == "float32" else 1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", OPTIONS)
def test_a_few_weights_without_gradients_are_like_those_with(options, kind):
    with rushlight.no_grad():
        found = attended(kind, OPTIONS[options], backward=False)
    _, (expected, *_) = attended(kind, OPTIONS[options])
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-5 if kind == "float32" else 1e-12)


def test_masks_that_add_dimensions_and_sizes_that_do_not_fit():
    q, mask = rushlight.ones(1, 2, 3), rushlight.zeros(4, 2, 2)
    attend = rushlight.nn.functional.scaled_dot_product_attention
    assert attend(q, q, q, attn_mask=mask).shape == (4, 2, 3)
    assert attend(q, q[:, :0], q[:, :0]).tolist() == rushlight.zeros(1, 2, 3).tolist()
    with pytest.raises(RuntimeError):
        attend(q, rushlight.ones(1, 2, 4), q)


@pytest.mark.parametrize("options", OPTIONS)
def test_derivatives(monkeypatch, options):
    monkeypatch.setattr(attention_blocks, "BLOCK", 20)
    given = {n: rushlight.from_numpy(o) if isinstance(o, np.ndarray) else o for n, o in OPTIONS[options].items()}
    inputs = [rushlight.from_numpy(x).requires_grad_() for x in (Q, K, V)]
    attend = lambda *three: rushlight.nn.functional.scaled_dot_product_attention(*three, **given)
    assert rushlight.autograd.gradcheck(attend, inputs, check_batched_grad=True)
    assert rushlight.autograd.gradgradcheck(attend, inputs)


def test_other_ways_to_compute_take_one_piece(monkeypatch):
    attend = rushlight.nn.functional.scaled_dot_product_attention
    q, k, v = map(rushlight.from_numpy, (Q, K, V))
    mapped = rushlight.func.vmap(attend)(q, k, v)
    _, tangent = rushlight.func.jvp(attend, (q, k, v), (q, k, v))
    compiled = rushlight.compile(attend)
    monkeypatch.setattr(attention_blocks, "BLOCK", 20)
    assert rushlight.allclose(rushlight.func.vmap(attend)(q, k, v), mapped)
    assert rushlight.allclose(rushlight.func.jvp(attend, (q, k, v), (q, k, v))[1], tangent)
    assert rushlight.allclose(compiled(q, k, v), mapped)
    mask = rushlight.zeros(7, 9, dtype=q.dtype, requires_grad=True)
    attend(q, k, v, mask).sum().backward()
    assert mask.grad.shape == mask.shape


def test_a_changed_input_is_noticed(monkeypatch):
    monkeypatch.setattr(attention_blocks, "BLOCK", 20)
    q, k, v = (rushlight.from_numpy(x.copy()).requires_grad_() for x in (Q, K, V))
    key = k * 1
    result = rushlight.nn.functional.scaled_dot_product_attention(q, key, v)
    key.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.sum().backward()


def test_weights_are_never_in_memory_together():
    q = rushlight.randn(1, 4, 1024, 8, requires_grad=True)
    tracemalloc.start()
    rushlight.nn.functional.scaled_dot_product_attention(q, q, q).sum().backward()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * 1024 * 1024 * 4 / 3  # a third of the weights of float32
