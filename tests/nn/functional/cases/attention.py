"""Attention, and softmax and its kin."""

import numpy as np

from .form import Case, waves

Q, K, V = waves(1, 2, 3, 4), waves(1, 2, 5, 4, phase=1), waves(1, 2, 5, 3, phase=2)
MASK = np.arange(15).reshape(3, 5) % 3 > 0
MASK[0] = False
WIDTH, HEADS = 4, 2
TARGETS, SOURCES, VALUES = waves(3, 2, WIDTH), waves(5, 2, WIDTH, phase=1), waves(5, 2, WIDTH, phase=2)
LAYER = (waves(12, WIDTH, phase=3), waves(12, phase=4), waves(WIDTH, WIDTH, phase=5), waves(WIDTH, phase=6))
HIDDEN = np.arange(15).reshape(3, 5) % 4 == 1
PADDED = np.array([[False, False, True, False, True], [False, False, False, True, False]])


def dots(order=2, **options):
    """Attention by scaled dot products."""

    def call(F, torch, q, k, v):
        given = {n: torch.from_numpy(o.copy()) if isinstance(o, np.ndarray) else o for n, o in options.items()}
        return F.scaled_dot_product_attention(q, k, v, **given)

    return Case(call, (Q, K, V), order)


def heads(operands=(TARGETS, SOURCES, VALUES), bias=(None, None), zero=False, p=0.0, **options):
    """Multi-head attention, of one tensor or of three."""

    def call(F, torch, *tensors):
        as_tensor = lambda o: torch.from_numpy(o.copy()) if isinstance(o, np.ndarray) else o
        given = {name: as_tensor(option) for name, option in options.items()}
        query, key, value = tensors[:3] if len(tensors) == 7 else (tensors[0],) * 3
        weight, shift, out_weight, out_shift = tensors[-4:]
        return F.multi_head_attention_forward(
            query,
            key,
            value,
            WIDTH,
            HEADS,
            weight,
            shift,
            *map(as_tensor, bias),
            zero,
            p,
            out_weight,
            out_shift,
            **given,
        )

    return Case(call, (*operands, *LAYER), 1)


BIAS = waves(1, 1, WIDTH, phase=7), waves(1, 1, WIDTH, phase=8)
SEPARATE = {f"{n}_proj_weight": waves(WIDTH, WIDTH, phase=i) for i, n in enumerate("qkv")}
ATTENTION = {
    "dots": dots(),
    "dots masked": dots(attn_mask=MASK),
    "dots biased": dots(attn_mask=waves(3, 5)),
    "dots causal": dots(is_causal=True),
    "dots scaled": dots(scale=0.3),
    "dots dropped": dots(1, dropout_p=0.4),
    "dots grouped": Case(
        lambda F, torch, q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True), (waves(1, 4, 3, 4), K, V), 1
    ),
    "heads": heads(),
    "heads without weights": heads(need_weights=False),
    "heads of themselves": heads((TARGETS,)),
    "heads masked": heads(attn_mask=HIDDEN, key_padding_mask=PADDED),
    "heads masked without weights": heads(attn_mask=HIDDEN, key_padding_mask=PADDED, need_weights=False),
    "heads masked each": heads(attn_mask=np.stack([HIDDEN] * 4)),
    "heads with a learned place": heads(bias=BIAS, zero=True, attn_mask=HIDDEN, key_padding_mask=PADDED),
    "heads unbatched": heads((TARGETS[:, 0], SOURCES[:, 0], VALUES[:, 0]), key_padding_mask=PADDED[0]),
    "heads not averaged": heads(average_attn_weights=False),
    "heads dropped": heads(p=0.3),
    "heads evaluated": heads(p=0.3, training=False),
    "heads separate": heads(use_separate_proj_weight=True, **SEPARATE),
    "heads static": heads(static_k=waves(4, 5, 2)),
    "heads causal": heads((TARGETS,), attn_mask=np.triu(np.ones((3, 3), bool), 1), is_causal=True, need_weights=False),
    **{
        f"{name} {dim}": Case(lambda F, torch, x, n=name, d=dim: getattr(F, n)(x, d), (waves(2, 3, 4),))
        for name in ("softmax", "softmin", "log_softmax")
        for dim in (None, 0, 2)
    },
    "gumbel": Case(lambda F, torch, x: F.gumbel_softmax(x, 0.7, dim=1), (waves(2, 3, 4),)),
    "gumbel hard": Case(lambda F, torch, x: F.gumbel_softmax(x, 0.7, True, dim=1), (waves(2, 3, 4),)),
}
ATTENTION["dots"] = Case(ATTENTION["dots"].call, (Q, K, V), numeric=True)
ATTENTION["dots masked"] = Case(ATTENTION["dots masked"].call, (Q, K, V), numeric=True)
