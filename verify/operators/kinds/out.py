"""`out=` tensors of the right size, of another size, of another dtype, and views."""

import torch

from verify.operators.cases import UNSET, samples, tensors_in
from verify.operators.outcome import Raised

TITLE = "out="


def cases(op, count):
    """Samples of operators that take `out=`."""
    if op.supports_out and op.name not in UNSET:
        for dtype in (torch.float64, torch.int64):
            if dtype in op.dtypes:
                yield from samples(op, dtype, max(count // 2, 1))


def strided(library, t):
    """A tensor of the shape of another with gaps in memory."""
    return library.zeros(*t.shape, 2, dtype=t.dtype)[..., 0]


PLACES = {
    "right": lambda library, t: library.zeros(t.shape, dtype=t.dtype),
    "none": lambda library, t: library.empty(0, dtype=t.dtype),
    "wrong": lambda library, t: library.zeros(5, 7, dtype=t.dtype),
    "view": strided,
    "wider": lambda library, t: library.zeros(t.shape, dtype=library.complex128),
    "integers": lambda library, t: library.zeros(t.shape, dtype=library.int32),
}


def use(side):
    """For each kind of place: what lies there afterwards, and whether it is what was returned."""
    side.kwargs.pop("out", None)
    result = side.call()
    wanted = tensors_in(result, side.library.Tensor)
    found = {}
    for title, make in PLACES.items():
        places = [make(side.library, t) for t in wanted]
        try:
            given = side.call(out=places[0] if isinstance(result, side.library.Tensor) else tuple(places))
            same = all(a is b for a, b in zip(tensors_in(given, side.library.Tensor), places, strict=True))
            found[title] = [side.case.determined(given), [t.stride() for t in places if t.numel() > 1], same]
        except Exception as error:
            found[title] = Raised(error).type
    return found
