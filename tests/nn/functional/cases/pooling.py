"""Pooling of all kinds."""

import numpy as np

from .form import Case, shares, waves

X = waves(2, 3, 7, 5)
INDICES = np.stack([np.roll(np.arange(56), 5 * i)[::4][:12] for i in range(6)]).reshape(2, 3, 4, 3)


def of(name, input, *args, order=2, numeric=False, **options):
    """A function of one tensor and options."""
    return Case(lambda F, torch, x: getattr(F, name)(x, *args, **options), (input,), order, numeric)


POOLING = {
    "max": of("max_pool2d", X, 3, 2, 1, numeric=True),
    "max, indices and ceiling": of("max_pool2d", X, 3, 2, 1, 1, True, True),
    "max, dilation": of("max_pool2d", X, 2, 1, 0, (2, 1)),
    "max unbatched": of("max_pool2d", X[0], (3, 2), (1, 2), (1, 0)),
    "max integers": of("max_pool2d", (X * 10).astype(np.int64), 2),
    "max NaN": of("max_pool2d", np.where(X > 1.8, np.nan, X), 2, 1, return_indices=True, order=0),
    "max ties": of("max_pool2d", np.round(X), 3, 1, return_indices=True),
    "max large batch": of("max_pool2d", np.moveaxis(waves(2, 6, 5, 9), -1, 0), 2),
    "max 1d": of("max_pool1d", X[0], 2, return_indices=True),
    "max 3d": of("max_pool3d", X, 2, 1),
    "average": of("avg_pool2d", X, 3, 2, 1, True, False, numeric=True),
    "average, padding counted": of("avg_pool2d", X, (3, 2), (1, 2), (1, 0)),
    "average, divisor": of("avg_pool2d", X[0], 2, 2, 0, False, True, 3),
    "average 1d": of("avg_pool1d", X[0], 2, 1, 1),
    "average 3d": of("avg_pool3d", X, 2, 1),
    "power 2": of("lp_pool2d", X, 2, 2, numeric=True),
    "power 3.5": of("lp_pool2d", shares(2, 3, 7, 5), 3.5, (2, 3), 2),
    "power infinite": of("lp_pool2d", X, float("inf"), (2, 3)),
    "power 1d": of("lp_pool1d", X[0], 2, 2),
    "power 3d": of("lp_pool3d", X, 2, 2),
    "adaptive average": of("adaptive_avg_pool2d", X, (3, 2), numeric=True),
    "adaptive average to one": of("adaptive_avg_pool2d", X, 1),
    "adaptive average, None": of("adaptive_avg_pool2d", X[0], (None, 9)),
    "adaptive average 1d": of("adaptive_avg_pool1d", X[0], 3),
    "adaptive average 3d": of("adaptive_avg_pool3d", X, (2, 3, 2)),
    "adaptive max": of("adaptive_max_pool2d", X, (3, 2), True, numeric=True),
    "adaptive max 1d": of("adaptive_max_pool1d", X[0], 3, True),
    "adaptive max 3d": of("adaptive_max_pool3d", X, (2, 3, 2), True),
    "unpool": Case(lambda F, torch, x, i: F.max_unpool2d(x, i, 2, output_size=(8, 7)), (waves(2, 3, 4, 3), INDICES)),
    "unpool 1d": Case(
        lambda F, torch, x: F.max_unpool1d(*F.max_pool1d(x, 2, return_indices=True), 2), (waves(3, 8),), numeric=True
    ),
    "unpool 3d": Case(
        lambda F, torch, x: F.max_unpool3d(*F.max_pool3d(x, 2, return_indices=True), 2), (waves(3, 4, 4, 4),)
    ),
    "fractional": Case(
        lambda F, torch, x, s: F.fractional_max_pool2d(x, (3, 2), (4, 3), None, True, s.detach()),
        (waves(2, 3, 9, 8), shares(2, 3, 2)),
        1,
    ),
    "fractional 3d": Case(
        lambda F, torch, x, s: F.fractional_max_pool3d(x, (3, 2, 2), (4, 3, 3), None, True, s.detach()),
        (waves(2, 3, 9, 8, 7), shares(2, 3, 3)),
        1,
    ),
    "fractional drawn": of("fractional_max_pool2d", waves(3, 9, 8), 2, output_ratio=(0.5, 0.6), order=1),
}
