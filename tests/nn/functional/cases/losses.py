"""Losses, with each reduction, and similarities."""

import numpy as np

from .form import Case, classes, shares, waves

X, Z, P, Q = waves(4, 6), waves(4, 6, phase=5), shares(4, 6), shares(4, 6, phase=5)
SIGNS, WEIGHTS = np.sign(Z), shares(6, phase=2)
LABELS, IGNORED = classes(4, count=6), np.array([1, -100, 3, 0])
PLANES, PLACES = waves(2, 3, 2, 2), np.array([[[0, 2], [-100, 1]], [[1, 1], [2, 0]]])
LISTS = np.array([[1, 2, -1, 0, 0, 0], [0, 1, 2, 3, 4, 5], [-1, 1, 1, 1, 1, 1], [3, -1, 3, 3, 3, -1]])
LOGITS = waves(6, 3, 4)
SEQUENCES = np.array([[1, 2, 2], [3, 3, 1], [1, 2, 3]])


def plain(name, *arrays, order=2, numeric=False, **options):
    """A loss of tensors alone."""
    return lambda reduction: Case(
        lambda F, torch, *t: getattr(F, name)(*t, reduction=reduction, **options), arrays, order, numeric
    )


def weighted(name, *arrays, **names):
    """A loss with weights that are not differentiated."""

    def case(reduction):
        def call(F, torch, *t):
            weights = {key: torch.from_numpy(value.copy()) for key, value in names.items()}
            return getattr(F, name)(*t, reduction=reduction, **weights)

        return Case(call, arrays)

    return case


def ctc(lengths, sizes, **options):
    """The loss of sequences, of which the targets are given as rows."""

    def call(F, torch, x, reduction):
        return F.ctc_loss(
            x.log_softmax(-1), torch.from_numpy(SEQUENCES), lengths, sizes, reduction=reduction, **options
        )

    return lambda reduction: Case(lambda F, torch, x: call(F, torch, x, reduction), (LOGITS,), 1)


EACH = {
    "cross entropy": plain("cross_entropy", X, LABELS, numeric=True),
    "cross entropy, ignored": plain("cross_entropy", X, IGNORED),
    "cross entropy, another ignored": plain("cross_entropy", X, LABELS, ignore_index=int(LABELS[1])),
    "cross entropy, weighted": weighted("cross_entropy", X, IGNORED, weight=WEIGHTS),
    "cross entropy, smooth": plain("cross_entropy", X, IGNORED, label_smoothing=0.2),
    "cross entropy of planes": plain("cross_entropy", PLANES, PLACES, label_smoothing=0.1, numeric=True),
    "cross entropy of one": plain("cross_entropy", X[0], np.array(2)),
    "cross entropy, probabilities": plain("cross_entropy", X, P, label_smoothing=0.1, numeric=True),
    "nll": plain("nll_loss", X, IGNORED),
    "nll of planes": weighted("nll_loss", PLANES, PLACES, weight=WEIGHTS[:3]),
    "mse": plain("mse_loss", X, Z, numeric=True),
    "mse, weighted": weighted("mse_loss", X, Z, weight=P),
    "l1": plain("l1_loss", X, Z, order=1),
    "smooth l1": plain("smooth_l1_loss", X, Z, beta=0.7, numeric=True),
    "huber": plain("huber_loss", X, Z, delta=0.7, numeric=True),
    "binary cross entropy": plain("binary_cross_entropy", P, Q, numeric=True),
    "binary cross entropy, weighted": weighted("binary_cross_entropy", P, Q, weight=WEIGHTS),
    "logits": plain("binary_cross_entropy_with_logits", X, P, numeric=True),
    "logits, weighted": weighted("binary_cross_entropy_with_logits", X, P, weight=WEIGHTS, pos_weight=WEIGHTS + 1),
    "soft margin": weighted("soft_margin_loss", X, target=SIGNS),
    "multilabel soft margin": plain("multilabel_soft_margin_loss", X, P, numeric=True),
    "kl": plain("kl_div", X, P),
    "kl, log target": plain("kl_div", X, Z, log_target=True),
    "poisson": plain("poisson_nll_loss", X, 4 * P, full=True),
    "poisson of rates": plain("poisson_nll_loss", P, 4 * Q, log_input=False),
    "gaussian": plain("gaussian_nll_loss", X, Z, P, full=True, numeric=True),
    "gaussian, one variance a row": plain("gaussian_nll_loss", X, Z, P[:, 0]),
    "hinge embedding": weighted("hinge_embedding_loss", X, target=SIGNS),
    "margin ranking": plain("margin_ranking_loss", X, Z, SIGNS, margin=0.2),
    "cosine embedding": plain("cosine_embedding_loss", X, Z, np.array([1, -1, 1, -1]), margin=0.1, numeric=True),
    "triplets": plain("triplet_margin_loss", X, Z, waves(4, 6, phase=9), swap=True),
    "triplets, p=3": plain("triplet_margin_loss", X, Z, waves(4, 6, phase=9), p=3),
    "multi margin": plain("multi_margin_loss", X, LABELS, p=2, margin=0.4, order=1),
    "multi margin of one": plain("multi_margin_loss", X[0], np.array(2), order=1),
    "multilabel margin": plain("multilabel_margin_loss", X, LISTS, order=1),
    "ctc": ctc((6, 5, 6), (3, 1, 2)),
    "ctc, impossible": ctc((6, 2, 3), (0, 3, 1), zero_infinity=True),
}
LOSSES = {f"{name}, {r}": make(r) for name, make in EACH.items() for r in ("mean", "sum", "none")}
LOSSES |= {
    "kl, batchmean": plain("kl_div", X, P)("batchmean"),
    "linear cross entropy": Case(
        lambda F, torch, x, w, b: F.linear_cross_entropy(x, w, torch.from_numpy(LABELS), linear_bias=b),
        (X, waves(6, 6), waves(6)),
    ),
    "cosine": Case(lambda F, torch, x, y: F.cosine_similarity(x, y), (X, Z), numeric=True),
    "cosine, broadcast": Case(lambda F, torch, x, y: F.cosine_similarity(x, y, dim=0), (X, Z[:1])),
    **{
        f"distance {p}": Case(lambda F, torch, x, y, p=p: F.pairwise_distance(x, y, p, keepdim=True), (X, Z))
        for p in (1.5, 2, 3)
    },
}
