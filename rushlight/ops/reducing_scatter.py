"""Values reduced into the places they are sent to: what `scatter_reduce` and `index_reduce` share."""

import numpy as np

UFUNCS = {"sum": np.add, "mean": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}


def start_of(reduce, dtype):
    """The value that a reduction starts from."""
    if reduce in ("sum", "mean", "prod"):
        return 1 if reduce == "prod" else 0
    if dtype.kind == "f":
        return -np.inf if reduce == "amax" else np.inf
    if dtype.kind == "b":
        return reduce == "amin"
    return np.iinfo(dtype).min if reduce == "amax" else np.iinfo(dtype).max


def reduced(input, places, values, reduce, include_self):
    """A copy of `input` with values reduced into its elements at `places`, which count the flattened input."""
    out = np.array(input, order="C").reshape(-1)
    values = np.reshape(values, -1)
    if not include_self:
        out[places] = start_of(reduce, out.dtype)
    UFUNCS[reduce].at(out, places, values)
    if reduce == "mean":
        counts = np.ones(out.size, np.int64)
        if not include_self:
            counts[places] = 0
        np.add.at(counts, places, 1)
        divide = np.floor_divide if out.dtype.kind in "biu" else np.divide
        out = divide(out, np.maximum(counts, 1)).astype(out.dtype)
    return out.reshape(input.shape)


def reduce_cotangents(grad, input, src, result, take, add, product, reduce, include_self, needs):
    """The cotangents of what was there and of what was sent there.

    `take` picks the elements at the places the source is sent to, `add` is its adjoint, `product` multiplies what is
    there by a source. The extremes share their cotangent evenly; a product's is computed without dividing by zeros
    (PyTorch, `scatter_reduce_backward`).
    """
    own, sent = COTANGENTS[reduce](grad, input, src, result, take, add, product, include_self, needs)
    if own is not None and not include_self:
        own = np.where(add(np.ones_like(src)) == 0, grad, 0)
    return own, sent


def sum_cotangents(grad, input, src, result, take, add, product, include_self, needs):
    """Those of sums."""
    return grad, take(grad) if needs[1] else None


def mean_cotangents(grad, input, src, result, take, add, product, include_self, needs):
    """Those of means: divided by the numbers of values."""
    counts = add(np.ones_like(src)) + (1 if include_self else 0)
    share = grad / np.where(counts == 0, np.ones_like(counts), counts)
    return share, take(share) if needs[1] else None


def prod_cotangents(grad, input, src, result, take, add, product, include_self, needs):
    """Those of products: the product of the other factors, also where factors are zero."""
    own = grad * product(np.ones_like(input), src) if needs[0] else None
    if not needs[1]:
        return own, None
    safe = np.where(src == 0, np.ones_like(src), src)
    zeros = take(add(np.where(src == 0, np.ones_like(src), np.zeros_like(src))))
    alone = np.where(src == 0, zeros == 1, zeros == 0)
    total = product(input if include_self else np.ones_like(input), safe)
    return own, np.where(alone, take(grad * total) / safe, 0)


def extreme_cotangents(grad, input, src, result, take, add, product, include_self, needs):
    """Those of extremes: shared evenly among all that reach them."""
    ones = np.ones_like(src)
    own_hits = np.where(input == result, np.ones_like(input), np.zeros_like(input))
    hits = np.where(src == take(result), ones, np.zeros_like(src))
    total = add(hits) + (own_hits if include_self else 0)
    share = grad / np.where(total == 0, np.ones_like(total), total)
    return own_hits * share, hits * take(share) if needs[1] else None


COTANGENTS = {
    "sum": sum_cotangents, "mean": mean_cotangents, "prod": prod_cotangents, "amax": extreme_cotangents,
    "amin": extreme_cotangents,
}  # fmt: skip
