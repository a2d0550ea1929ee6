"""PyTorch's functions of `torch` below those of `nn.functional`, compared with PyTorch's."""

import numpy as np
import pytest

import rushlight

CALLS = [
    "torch.batch_norm(x, w, w, w * 0, w, False, 0.1, 1e-5, False)",
    "torch.batch_norm(x, None, None, None, None, True, 0.1, 1e-5, True)",
    "torch.instance_norm(x.reshape(1, 3, 4), None, None, None, None, True, 0.1, 1e-5, False)",
    "torch.embedding(x, i)",
    "torch.embedding(x, i, 1)",
    *[f"torch.kl_div(x.log_softmax(1), y.softmax(1), {r})" for r in range(3)],
    "torch.kl_div(x.log_softmax(1), y.log_softmax(1), 2, log_target=True)",
    *[f"torch.binary_cross_entropy_with_logits(x, y.sigmoid(), None, None, {r})" for r in range(3)],
    "torch.binary_cross_entropy_with_logits(x, y.sigmoid(), w, w.abs(), 1)",
    *[f"torch.hinge_embedding_loss(x, y.sign(), 0.5, {r})" for r in range(3)],
    *[f"torch.margin_ranking_loss(x, y, y.sign(), 0.5, {r})" for r in range(3)],
    *[f"torch.cosine_embedding_loss(x, y, y[:, 0].sign(), 0.1, {r})" for r in range(3)],
    *[f"torch.triplet_margin_loss(x, y, x + 1, 1.0, 2, 1e-6, True, {r})" for r in range(3)],
    *[f"torch.poisson_nll_loss(x, y.abs(), True, True, 1e-8, {r})" for r in range(3)],
    "torch.affine_grid_generator(torch.ones(1, 2, 3, dtype=x.dtype), [1, 1, 2, 2], False)",
    "torch.ctc_loss(x[:, None].log_softmax(2), torch.tensor([[1, 2]]), torch.tensor([3]), torch.tensor([2]), 0, 2)",
    "torch.kl_div(x.log_softmax(1), y.softmax(1))",
    "torch.binary_cross_entropy_with_logits(x, y.sigmoid())",
    "torch.hinge_embedding_loss(x, y.sign())",
    "torch.margin_ranking_loss(x, y, y.sign())",
    "torch.cosine_embedding_loss(x, y, y[:, 0].sign())",
    "torch.triplet_margin_loss(x, y, x + 1)",
    "torch.ctc_loss(x[:, None].log_softmax(2), torch.tensor([[1, 2]]), torch.tensor([3]), torch.tensor([2]))",
    *[f"torch.embedding_bag(x, i.reshape(-1), o, False, {mode})[{k}]" for mode in range(3) for k in (0, 2, 3)],
    *[f"torch.embedding_bag(x, i.reshape(-1), o, mode={mode}, include_last_offset=True)[0]" for mode in range(3)],
    *[f"torch.embedding_bag(x, i.reshape(-1), o, False, {mode}, False, None, False, 1)[0]" for mode in range(3)],
    *[f"torch.embedding_bag(x, i.reshape(-1), o, False, {mode})[1]" for mode in (1, 2)],
    "torch.embedding_bag(x, i.reshape(-1), o, False, 0, False, w)[0]",
    "torch.embedding_renorm_(x.clone(), i, 0.5, 2.0)",
    "torch.dropout_(x.clone(), 0.5, True)",
    "torch.alpha_dropout_(x.clone(), 0.5, True)",
    "torch.feature_alpha_dropout_(x.clone(), 0.5, True)",
    "torch.dropout_(x.clone(), 0.5, False)",
]


@pytest.mark.parametrize("call", CALLS)
def test_values(call):
    found = []
    for torch in (rushlight, pytest.importorskip("torch")):
        torch.manual_seed(0)
        x, y = torch.randn(2, 3, 4, dtype=torch.float64)
        names = {
            "torch": torch,
            "x": x,
            "y": y,
            "w": torch.arange(1.0, 5.0).double(),
            "i": torch.tensor([[0, 2], [1, 1]]),
            "o": torch.tensor([0, 0, 3]),
        }
        found.append(eval(call, names).numpy())
    np.testing.assert_allclose(*found, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"mode": 3}, RuntimeError, "`mode` must be sum, mean, or max"),
        ({"mode": 1, "per_sample_weights": rushlight.ones(3)}, RuntimeError, "only supported with mode='sum'"),
        ({"per_sample_weights": rushlight.ones(2)}, RuntimeError, r"numel\(\) == indices.numel\(\)"),
        ({"mode": 2, "sparse": True}, ValueError, "max mode does not support sparse weights"),
    ],
)
def test_bags_refuse(options, error, message):
    torch = rushlight
    with pytest.raises(error, match=message):
        torch.embedding_bag(torch.ones(4, 2), torch.tensor([0, 2, 3]), torch.tensor([0]), **options)


def test_a_table_that_requires_grad_is_not_renormalised_unseen():
    torch = rushlight
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place"):
        torch.embedding_renorm_(torch.ones(2, 2, requires_grad=True), torch.tensor([0]), 1.0, 2.0)
