"""Images of another size, sampled at points, and rearranged."""

import numpy as np

from .form import Case, waves

X = waves(2, 2, 7, 5)
PIXELS = (np.arange(2 * 3 * 7 * 5) * 37 % 251).astype(np.uint8).reshape(2, 3, 7, 5)
POINTS = 1.2 * waves(2, 3, 4, 2, phase=7)


def resized(mode, input, *args, order=1, **options):
    """An interpolation."""
    return Case(lambda F, torch, x: F.interpolate(x, *args, mode=mode, **options), (input,), order)


def sampled(mode, padding, align):
    """Samples of images at points."""
    return Case(lambda F, torch, x, g: F.grid_sample(x, g, mode, padding, align), (X, POINTS), 1)


IMAGES = {}
for mode in ("nearest", "nearest-exact", "bilinear", "bicubic", "area"):
    IMAGES |= {f"{mode} to {size}": resized(mode, X, size) for size in ((3, 4), (14, 10), (9, 11), (1, 1))}
    IMAGES |= {f"{mode} by {scale}": resized(mode, X, None, scale) for scale in (0.5, 2, 1.7, (1.3, 0.6))}
for mode in ("bilinear", "bicubic"):
    IMAGES[f"{mode}, corners"] = resized(mode, X, (9, 3), align_corners=True)
    IMAGES[f"{mode}, smooth"] = resized(mode, X, (3, 4), antialias=True)
    IMAGES[f"{mode}, smooth, corners"] = resized(mode, X, (3, 4), antialias=True, align_corners=True)
    for smooth in (False, True):
        IMAGES |= {
            f"{mode} of bytes to {size}, smooth {smooth}": resized(mode, PIXELS, size, antialias=smooth)
            for size in ((3, 4), (14, 10), (7, 9))
        }
for mode in ("nearest", "nearest-exact", "bilinear", "bicubic"):
    IMAGES[f"{mode}, sizes kept and doubled"] = resized(mode, X, None, (1.1, 2.15))
    IMAGES[f"{mode} of bytes, sizes kept and doubled"] = resized(mode, PIXELS, None, (1.1, 2.15))
for mode in ("bilinear", "bicubic", "lanczos"):
    IMAGES[f"{mode}, smooth, sizes kept"] = resized(mode, X, None, (1.1, 1.9), antialias=True, order=0)
IMAGES["lanczos of bytes"] = resized("lanczos", PIXELS, (3, 4), antialias=True)
IMAGES["lanczos"] = resized("lanczos", X, (3, 4), antialias=True)
IMAGES["scale from sizes"] = resized("bilinear", X, None, 1.7, recompute_scale_factor=True)
for mode in ("nearest", "linear", "nearest-exact", "area"):
    IMAGES[f"{mode} 1d"] = resized(mode, X[0], None, 1.6)
for mode in ("nearest", "trilinear", "nearest-exact", "area"):
    IMAGES[f"{mode} 3d"] = resized(mode, waves(1, 2, 3, 4, 2), None, 1.6)
for mode in ("bilinear", "nearest", "bicubic"):
    for padding in ("zeros", "border", "reflection"):
        for align in (True, False):
            IMAGES[f"sampled, {mode}, {padding}, {align}"] = sampled(mode, padding, align)
IMAGES |= {
    "sampled 3d": Case(
        lambda F, torch, x, g: F.grid_sample(x, g, align_corners=False), (waves(2, 2, 3, 4, 5), waves(2, 2, 1, 3, 3)), 1
    ),
    "affine grid": Case(lambda F, torch, x: F.affine_grid(x, (2, 1, 3, 4), False), (waves(2, 2, 3),), 1, True),
    "affine grid, corners": Case(lambda F, torch, x: F.affine_grid(x, (2, 1, 3, 4), True), (waves(2, 2, 3),), 1),
    "affine grid 3d": Case(lambda F, torch, x: F.affine_grid(x, (2, 1, 3, 4, 2), False), (waves(2, 3, 4),), 1),
    "pixel shuffle": Case(lambda F, torch, x: F.pixel_shuffle(x, 2), (waves(2, 8, 3, 2),), 1, True),
    "pixel unshuffle": Case(lambda F, torch, x: F.pixel_unshuffle(x, 2), (waves(2, 2, 4, 6),), 1, True),
    "channel shuffle": Case(lambda F, torch, x: F.channel_shuffle(x, 2), (waves(2, 6, 2, 2),), 1, True),
}
for name in (
    "bicubic to (3, 4)",
    "bilinear by 1.7",
    "sampled, bilinear, zeros, False",
    "sampled, bicubic, border, True",
):
    IMAGES[name] = Case(IMAGES[name].call, IMAGES[name].arrays, 1, True)
