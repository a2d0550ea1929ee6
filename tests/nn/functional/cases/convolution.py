"""Convolutions, transposed ones, and patches."""

import numpy as np

from .form import Case, waves

X = waves(2, 4, 6, 5)


def conv(input, kernel, *args, bias=True, groups=1, filters=4, **options):
    """A convolution of an input with filters of a kernel size."""
    dims = len(kernel)
    weight = waves(filters, input.shape[-dims - 1] // groups, *kernel, phase=2).astype(input.dtype)
    arrays = (input, weight, waves(filters, phase=3).astype(input.dtype)) if bias else (input, weight)

    def call(F, torch, x, w, b=None):
        return getattr(F, f"conv{dims}d")(x, w, b, *args, groups=groups, **options)

    return Case(call, arrays, numeric=input.dtype == np.float64 and 0 < input.size < 100)


def transposed(input, kernel, *args, filters=4, groups=1, bias=True):
    """A transposed convolution."""
    dims = len(kernel)
    weight = waves(input.shape[-dims - 1], filters // groups, *kernel, phase=2)
    arrays = (input, weight, waves(filters, phase=3)) if bias else (input, weight)

    def call(F, torch, x, w, b=None):
        stride, padding, beyond, dilation = args or (1, 0, 0, 1)
        return getattr(F, f"conv_transpose{dims}d")(x, w, b, stride, padding, beyond, groups, dilation)

    return Case(call, arrays, numeric=input.size < 50)


CONVOLUTION = {
    "plain": conv(X, (3, 3)),
    "no bias": conv(X, (3, 2), bias=False),
    "stride and padding": conv(X, (3, 2), (2, 1), (1, 2)),
    "dilation": conv(X, (2, 2), 1, 1, (2, 3)),
    "groups": conv(X, (2, 3), 2, 1, groups=2),
    "depthwise": conv(X, (3, 3), 1, 1, groups=4, filters=8),
    "same": conv(X, (3, 3), padding="same"),
    "same, even kernel": conv(X, (4, 2), padding="same", dilation=(1, 3)),
    "valid": conv(X, (3, 3), padding="valid", stride=2),
    "unbatched": conv(X[0], (3, 3), 1, 1),
    "large batch": conv(waves(9, 2, 4, 4), (3, 2), 2, 1),
    "float32": conv(X.astype(np.float32), (3, 3)),
    "1d": conv(waves(2, 3, 7), (3,), 2, 1),
    "1d unbatched": conv(waves(3, 7), (3,)),
    "3d": conv(waves(2, 2, 3, 4, 3), (2, 3, 2), 1, 1),
    "no samples": Case(conv(X, (3, 3)).call, (X[:0], waves(4, 4, 3, 3), waves(4))),
    "transposed": transposed(X, (3, 3)),
    "transposed, all options": transposed(X, (3, 2), (2, 3), (1, 0), (1, 2), (1, 2), groups=2),
    "transposed, output padding beyond the stride": transposed(X, (3, 2), 2, 0, 2, 4, bias=False),
    "transposed unbatched": transposed(X[0], (3, 3), 2, 1, 1, 1),
    "transposed 1d": transposed(waves(2, 3, 4), (3,), 2, 1, 1, 1),
    "transposed 3d": transposed(waves(2, 2, 2, 3, 2), (2, 2, 3), 2, 0, 1, 1),
    "unfold": Case(lambda F, torch, x: F.unfold(x, (3, 2), 2, 1, 2), (X,)),
    "unfold unbatched": Case(lambda F, torch, x: F.unfold(x, 2), (X[0],)),
    "fold": Case(lambda F, torch, x: F.fold(x, (6, 5), (3, 2), 1, 1, 2), (waves(2, 12, 9),)),
    "small": conv(waves(2, 4, 4, 3), (3, 2), (2, 1), (1, 2), groups=2),
    "same, small": conv(waves(1, 2, 4, 3), (2, 3), padding="same"),
    "transposed, small": transposed(waves(2, 2, 3, 3), (3, 2), (2, 3), (1, 0), (1, 2), (1, 2), groups=2),
    "patches, small": Case(
        lambda F, torch, x: F.fold(F.unfold(x, 2, 1, 1, 2), (3, 4), 2, 1, 1, 2), (waves(1, 2, 3, 4),), numeric=True
    ),
}
