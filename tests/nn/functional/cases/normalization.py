"""Normalization, and dropout."""

import numpy as np

from .form import Case, shares, waves

X, W, B = waves(2, 3, 4, 2), shares(3), waves(3, phase=1)
MEAN, VARIANCE = waves(3, phase=2), shares(3, phase=2)


def batch(input, training, *affine, numeric=False):
    """Batch normalization with running moments, which come out too."""

    def call(F, torch, x, *affine):
        mean, variance = (torch.from_numpy(a.astype(input.dtype)) for a in (MEAN, VARIANCE))
        return F.batch_norm(x, mean, variance, *affine, training=training, momentum=0.3), mean, variance

    return Case(call, (input, *(a.astype(input.dtype) for a in affine)), numeric=numeric)


def instance(use_input_stats):
    """Instance normalization with running moments, which come out too."""

    def call(F, torch, x, w, b):
        mean, variance = torch.from_numpy(MEAN.copy()), torch.from_numpy(VARIANCE.copy())
        return F.instance_norm(x, mean, variance, w, b, use_input_stats, 0.3), mean, variance

    return Case(call, (X, W, B))


def native(name, *args):
    """A function of torch itself, of which moments come out too."""
    return lambda F, torch, *tensors: getattr(torch, name)(*tensors, *args)


def dropped(name, shape, *args, **options):
    """Dropout of ones: the mask, and where the stream of random numbers is afterwards."""

    def call(F, torch, x):
        return getattr(F, name)(x * 1, *args, **options), torch.rand(1)

    return Case(call, (np.ones(shape),), 1)


NORMALIZATION = {
    "batch": batch(X, True, W, B, numeric=True),
    "batch without affine": batch(X, True),
    "batch of rows": batch(waves(5, 3), True, W, B),
    "batch innermost": batch(np.moveaxis(waves(3, 2, 2, 9), -1, 0), True, W, B),
    "batch float32": batch(X.astype(np.float32), True, W, B),
    "batch evaluated": batch(X, False, W, B, numeric=True),
    "batch evaluated without affine": batch(X, False),
    "native batch": Case(native("native_batch_norm", None, None, True, 0.1, 1e-5), (X, W, B)),
    "instance": instance(True),
    "instance evaluated": instance(False),
    "layer": Case(lambda F, torch, x, w, b: F.layer_norm(x, (2,), w, b), (X, shares(2), waves(2)), numeric=True),
    "layer of several": Case(lambda F, torch, x, w: F.layer_norm(x, (4, 2), w), (X, shares(4, 2))),
    "layer without affine": Case(lambda F, torch, x: F.layer_norm(x, (4, 2)), (X,)),
    "native layer": Case(lambda F, torch, x, w: torch.native_layer_norm(x, (2,), w, None, 1e-5), (X, shares(2))),
    "group": Case(
        lambda F, torch, x, w, b: F.group_norm(x, 2, w, b), (waves(2, 4, 3), shares(4), waves(4)), numeric=True
    ),
    "group of rows": Case(lambda F, torch, x: F.group_norm(x, 2), (waves(2, 4),)),
    "native group": Case(
        lambda F, torch, x, w: torch.native_group_norm(x, w, None, 2, 4, 3, 2, 1e-5)[1],
        (waves(2, 4, 3), shares(4)),
        order=0,
        numeric=True,
    ),
    "rms": Case(lambda F, torch, x, w: F.rms_norm(x, (4, 2), w), (X, shares(4, 2)), numeric=True),
    "rms with eps": Case(lambda F, torch, x: F.rms_norm(x, (2,), None, 0.1), (X,)),
    "local response": Case(lambda F, torch, x: F.local_response_norm(x, 2, 0.5, 0.6, 2.0), (X,)),
    "local response 3d": Case(lambda F, torch, x: F.local_response_norm(x, 3, 0.5), (X[0],), numeric=True),
    **{f"normalize {p}": Case(lambda F, torch, x, p=p: F.normalize(x, p), (X,)) for p in (1, 2, 3)},
    "dropout": dropped("dropout", (5, 7), 0.3),
    "dropout in place": dropped("dropout", (5, 7), 0.3, True, True),
    "dropout of all": dropped("dropout", (3,), 1.0),
    "dropout off": dropped("dropout", (3,), 0.5, False),
    "dropout1d": dropped("dropout1d", (3, 5, 2)),
    "dropout1d unbatched": dropped("dropout1d", (5, 2)),
    "dropout2d": dropped("dropout2d", (3, 5, 2, 2), 0.2),
    "dropout3d": dropped("dropout3d", (5, 2, 2, 1)),
    "alpha dropout": dropped("alpha_dropout", (5, 7), 0.3, True),
    "feature alpha dropout": dropped("feature_alpha_dropout", (3, 5, 2), 0.3, True),
}
