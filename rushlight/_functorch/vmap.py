"""`torch._functorch.vmap`: batches."""

from rushlight.func import vmap

__all__ = ["in_dims_t", "out_dims_t", "vmap"]

in_dims_t = int | tuple[int | None, ...]
out_dims_t = int | tuple[int, ...]
